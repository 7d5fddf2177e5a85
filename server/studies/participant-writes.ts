import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { z } from 'zod'
import { readAttributes } from '../../engine/live/arrivals/read-attributes.ts'
import { UUID } from '../../engine/model/parameters.ts'
import { tokenOf } from '../access/authorize.ts'
import { requireRoom } from '../access/bounds.ts'
import { ifMatch, studyTag } from '../access/preconditions.ts'
import { changeableStudy } from '../access/readable-study.ts'
import { checkingBody, contentType } from '../http/body/body.ts'
import { onlyMethods, ProblemError } from '../http/problems.ts'
import { queryOf, refuseUnknown } from '../http/query.ts'
import { PARTICIPANT_TYPES } from '../schemas/media-types.ts'
import type { AddedParticipant, ChangedStudy } from '../schemas/writes.ts'
import { forgetTraces } from './forget-traces.ts'
import { bodyOf, changingOf, logWrite, onward, type WriteParts } from './write-parts.ts'

const JSON_TYPE = 'application/json'
const ATTRIBUTES_MAX_BYTES = 2 ** 20

/** Returns the routes by which participants come, change and go. */
export function participantWrites(parts: WriteParts): Router {
  const router = Router({ caseSensitive: true })
  router.route('/studies/:studyId/participants').all(onward).post(addParticipant(parts))
  router
    .route('/studies/:studyId/participants/:participantId')
    .patch(patchParticipant(parts))
    .delete(deleteParticipant(parts))
    .all(onlyMethods('PATCH', 'DELETE'))
  return router
}

function addParticipant(parts: WriteParts): RequestHandler {
  const { config, live, store, usages } = parts
  return checkingBody(async (req, res) => {
    const { study } = await changeableStudy(store, res, String(req.params.studyId), 'collect')
    refuseUnknown(queryOf(req.url), [])
    const token = tokenOf(res)
    await requireRoom(usages, token, config, { participants: 1 })
    const sender = { tokenId: token.id, key: keyOf(req) }
    const bytes = await bodyOf(parts, req, res, PARTICIPANT_TYPES, config.participantMaxMib * 2 ** 20)
    const size = bytes.length
    await requireRoom(usages, token, config, { participants: 1, bytes: size })
    const arrival = await live.readArrival(bytes, contentType(req) === JSON_TYPE ? 'json' : 'ndjson')
    const { entry, isNew } = await live.add(study.id, arrival, sender)
    if (isNew) {
      await usages.add(token.id, { participants: 1, bytes: size })
      logWrite(parts, res, { ...entry, studyId: study.id })
    }
    const { participantId, testCount, sampleCount, snapshotId } = entry
    const body: z.infer<typeof AddedParticipant> = {
      participantId: participantId!,
      testCount: testCount!,
      sampleCount: sampleCount!,
      snapshot: snapshotId,
    }
    res.setHeader('Location', `/api2/studies/${study.id}/participants/${participantId}`)
    res.setHeader('Cache-Control', 'no-store')
    res.status(201).json(body)
  })
}

const KEY_MAX = 255

/** Returns the Idempotency-Key of a request. @throws ProblemError bad_request when it is too long, or empty */
function keyOf(req: Request): string | null {
  const key = req.get('idempotency-key')
  if (key === undefined) return null
  if (key.length > 0 && key.length <= KEY_MAX) return key
  throw new ProblemError('bad_request', { detail: `Idempotency-Key must have 1 to ${KEY_MAX} characters.` })
}

function patchParticipant(parts: WriteParts): RequestHandler {
  return checkingBody(async (req, res) => {
    const { study } = await changeableStudy(parts.store, res, String(req.params.studyId), 'write')
    refuseUnknown(queryOf(req.url), [])
    const participantId = participantIdOf(req)
    const match = ifMatch(req, false)
    const attributes = readAttributes(await bodyOf(parts, req, res, [JSON_TYPE], ATTRIBUTES_MAX_BYTES))
    const asked = { kind: 'attributes', participantId, attributes } as const
    const { snapshotId } = await parts.live.change(changingOf(parts, res, study.id), match, asked)
    logWrite(parts, res, { did: 'participant changed', studyId: study.id, participantId, snapshotId })
    const body: z.infer<typeof ChangedStudy> = { snapshot: snapshotId }
    sendChanged(res, snapshotId, body)
  })
}

/** Answers with what a change has made, and the tag of the study then. */
export function sendChanged(res: Response, snapshotId: string, body: unknown): void {
  res.setHeader('ETag', studyTag(snapshotId))
  res.setHeader('Cache-Control', 'no-store')
  res.json(body)
}

function deleteParticipant(parts: WriteParts): RequestHandler {
  return checkingBody(async (req, res) => {
    const { study } = await changeableStudy(parts.store, res, String(req.params.studyId), 'write')
    refuseUnknown(queryOf(req.url), [])
    const participantId = participantIdOf(req)
    const changing = changingOf(parts, res, study.id)
    await forgetTraces({ dataDir: changing.dataDir, store: parts.store, tokens: parts.tokens }, study.id, participantId)
    const { snapshotId } = await parts.live.change(changing, null, { kind: 'removal', participantId })
    // Not who it was, which is to be forgotten.
    logWrite(parts, res, { did: 'participant removed', studyId: study.id, snapshotId })
    res.setHeader('Cache-Control', 'no-store')
    res.status(204).end()
  })
}

/** @throws ProblemError not_found for what is no id */
function participantIdOf(req: Request): string {
  const id = String(req.params.participantId)
  if (!UUID.test(id)) throw new ProblemError('not_found')
  return id.toLowerCase()
}
