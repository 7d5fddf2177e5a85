import type { Request } from 'express'
import { readAttributes } from '../../engine/live/arrivals/read-attributes.ts'
import { UUID } from '../../engine/model/parameters.ts'
import { requireRoom, withinBounds } from '../access/bounds.ts'
import { ifMatch } from '../access/preconditions.ts'
import { contentType } from '../http/body/body.ts'
import { ProblemError } from '../http/problems.ts'
import type { Answers, RouteRequest } from '../routes/route.ts'
import type { PARTICIPANT_WRITES } from '../routes/writes.ts'
import { JSON_TYPE, PARTICIPANT_TYPES } from '../schemas/media-types.ts'
import { forgetTraces } from './forget-traces.ts'
import { changeOverHttp, changingOf, logWrite, readWriteBody, type WriteParts } from './write-parts.ts'

const ATTRIBUTES_MAX_BYTES = 2 ** 20

type Writes = typeof PARTICIPANT_WRITES

/** Returns the handlers that add, change and delete participants. */
export function participantWrites(parts: WriteParts): Answers<Writes> {
  return {
    addParticipant: (asked) => addParticipant(parts, asked),
    changeParticipant: async ({ req, res, snapshot: { study } }) => {
      const participantId = participantIdOf(req)
      const match = ifMatch(req, false)
      const attributes = readAttributes(await readWriteBody(parts, req, res, [JSON_TYPE], ATTRIBUTES_MAX_BYTES))
      const asked = { kind: 'attributes', participantId, attributes } as const
      const did = 'participant changed'
      const { snapshotId } = await changeOverHttp(parts, res, study.id, { asked, did, match, participantId })
      return { snapshot: snapshotId }
    },
    deleteParticipant: async ({ req, res, snapshot: { study } }) => {
      const participantId = participantIdOf(req)
      const { live, studies, tokens, records, uploads } = parts
      await forgetTraces({ records, uploads, studies, tokens }, study.id, participantId)
      const asked = { kind: 'removal', participantId } as const
      const { snapshotId } = await live.change(changingOf(parts, res, study.id), null, asked)
      // Without the participant's id, which is to be forgotten.
      logWrite(parts, res, { event: 'removal', did: 'participant removed', studyId: study.id, snapshotId })
    },
  }
}

async function addParticipant(
  parts: WriteParts,
  { req, res, token, snapshot }: RouteRequest<Writes['addParticipant']>,
) {
  const { config, live, usages } = parts
  const { study } = snapshot
  await requireRoom(usages, token, config, { participants: 1 })
  const sender = { tokenId: token.id, key: keyOf(req) }
  const bytes = await readWriteBody(parts, req, res, PARTICIPANT_TYPES, config.participantMaxMib * 2 ** 20)
  const arrival = await live.readArrival(bytes, contentType(req) === JSON_TYPE ? 'json' : 'ndjson')
  const added = { participants: 1, bytes: bytes.length }
  const { entry, isNew } = await withinBounds(usages, token, config, added, async (takeBack) => {
    const arrived = await live.add(study.id, arrival, sender)
    if (!arrived.isNew) await takeBack()
    return arrived
  })
  if (isNew) logWrite(parts, res, { ...entry, event: 'change', studyId: study.id })
  const { participantId, testCount, sampleCount, snapshotId } = entry
  res.setHeader('Location', `/api2/studies/${study.id}/participants/${participantId}`)
  return {
    participantId: participantId!,
    testCount: testCount!,
    sampleCount: sampleCount!,
    snapshot: snapshotId,
  }
}

const KEY_MAX = 255

/** Returns the Idempotency-Key of a request. @throws ProblemError bad_request if it is empty or too long */
function keyOf(req: Request): string | null {
  const key = req.get('idempotency-key')
  if (key === undefined) return null
  if (key.length > 0 && key.length <= KEY_MAX) return key
  throw new ProblemError('bad_request', { detail: `Idempotency-Key must have 1 to ${KEY_MAX} characters.` })
}

/** Parses the id of a participant. @throws ProblemError not_found */
function participantIdOf(req: Request): string {
  const id = String(req.params.participantId)
  if (!UUID.test(id)) throw new ProblemError('not_found')
  return id.toLowerCase()
}
