import { type Request, type RequestHandler, Router } from 'express'
import type { z } from 'zod'
import { PICTURE_MAX_BYTES } from '../../engine/import/bundle/bundle-limits.ts'
import type { AskedChange, DoneChange } from '../../engine/live/thread-work.ts'
import type { Fault } from '../../engine/model/errors.ts'
import { pictureSize } from '../../engine/model/picture-size.ts'
import { removeStudy } from '../../engine/study/changes/removal.ts'
import { may, tokenOf } from '../access/authorize.ts'
import { requireRoom } from '../access/bounds.ts'
import { ifMatch, studyTag } from '../access/preconditions.ts'
import { changeableStudy } from '../access/readable-study.ts'
import { checkingBody, contentType } from '../http/body/body.ts'
import { invalidParameters, onlyMethods, ProblemError } from '../http/problems.ts'
import { queryOf, refuseUnknown, single } from '../http/query.ts'
import { PICTURE_TYPES } from '../schemas/media-types.ts'
import type { ChangedDescription, ChangedStudy, CreatedStudy } from '../schemas/writes.ts'
import { sendChanged } from './participant-writes.ts'
import { fitOf } from './picture-fit.ts'
import { pictureFault } from './pictures.ts'
import { bodyOf, changingOf, descriptionOf, LOCK_WAIT_MS, logWrite, onward, type WriteParts } from './write-parts.ts'

/** Returns the routes by which studies are made, changed and deleted. */
export function studyWrites(parts: WriteParts): Router {
  const router = Router({ caseSensitive: true })
  router.route('/studies').all(onward).post(postStudy(parts))
  router.route('/studies/:studyId').all(onward).put(putStudy(parts)).delete(deleteStudy(parts))
  router.route('/studies/:studyId/about').put(putAbout(parts)).all(onlyMethods('PUT'))
  router.route('/studies/:studyId/items/:itemId/aois').put(putAois(parts)).all(onlyMethods('PUT'))
  router.route('/studies/:studyId/items/:itemId/image').all(onward).put(putImage(parts))
  return router
}

function postStudy(parts: WriteParts): RequestHandler {
  return checkingBody(async (req, res) => {
    const token = tokenOf(res)
    if (token.role !== 'write' && token.role !== 'ops') throw new ProblemError('forbidden')
    refuseUnknown(queryOf(req.url), [])
    await requireRoom(parts.usages, token, parts.config, { studies: 1 })
    const bytes = await descriptionOf(parts, req, res)
    const size = bytes.length
    await requireRoom(parts.usages, token, parts.config, { studies: 1, bytes: size })
    const study = await parts.live.describe(bytes)
    if (!may('write', token, study.id))
      throw new ProblemError('forbidden', { detail: 'The token is for other studies.' })
    const asked = { kind: 'creation', described: study } as const
    const { snapshotId } = await parts.live.change(changingOf(parts, res, study.id), null, asked)
    await parts.usages.add(token.id, { studies: 1, bytes: size })
    logWrite(parts, res, { did: 'study created', studyId: study.id, snapshotId })
    const body: z.infer<typeof CreatedStudy> = { id: study.id, snapshot: snapshotId }
    res.setHeader('Location', `/api2/studies/${study.id}`)
    res.setHeader('ETag', studyTag(snapshotId))
    res.setHeader('Cache-Control', 'no-store')
    res.status(201).json(body)
  })
}

/** Answers a change of a study's description. @param askedBy what a request with this body asks for */
function answerChange(
  parts: WriteParts,
  askedBy: (req: Request, bytes: Buffer, studyId: string) => AskedChange | Promise<AskedChange>,
): RequestHandler {
  return checkingBody(async (req, res) => {
    const { study } = await changeableStudy(parts.store, res, String(req.params.studyId), 'write')
    const dryRun = readDryRun(req)
    const match = ifMatch(req, true)
    const asked = await askedBy(req, await descriptionOf(parts, req, res), study.id)
    const done = await parts.live.change({ ...changingOf(parts, res, study.id), dryRun }, match, asked)
    if (!dryRun) logWrite(parts, res, { did: 'study changed', studyId: study.id, snapshotId: done.snapshotId })
    sendChanged(res, done.snapshotId, viewOf(done, dryRun))
  })
}

function viewOf({ snapshotId, impact }: DoneChange, isDryRun: boolean) {
  const { itemIds, tests, participants } = impact!
  const view: z.infer<typeof ChangedDescription> = {
    snapshot: snapshotId,
    isDryRun,
    changedItemIds: itemIds,
    affectedTestCount: tests,
    affectedParticipantCount: participants,
  }
  return view
}

function readDryRun(req: Request): boolean {
  const query = queryOf(req.url)
  const faults: Fault[] = []
  const value = single(query, 'dryRun', faults) ?? 'false'
  if (value !== 'true' && value !== 'false') faults.push({ parameter: 'dryRun', rule: 'must be true or false', value })
  refuseUnknown(query, ['dryRun'], faults)
  return value === 'true'
}

function putStudy(parts: WriteParts): RequestHandler {
  return answerChange(parts, async (_req, bytes, studyId) => {
    const described = await parts.live.describe(bytes)
    if (described.id === studyId) return { kind: 'description', described }
    throw invalidParameters([{ parameter: 'id', rule: "must be that of the path's study", value: described.id }])
  })
}

function putAois(parts: WriteParts): RequestHandler {
  return answerChange(parts, (req, bytes) => ({ kind: 'aois', itemId: itemIdOf(req), bytes }))
}

function putAbout(parts: WriteParts): RequestHandler {
  return answerChange(parts, (_req, bytes) => ({ kind: 'about', bytes }))
}

function itemIdOf(req: Request): string {
  return String(req.params.itemId).toLowerCase()
}

function putImage(parts: WriteParts): RequestHandler {
  return checkingBody(async (req, res) => {
    const snapshot = await changeableStudy(parts.store, res, String(req.params.studyId), 'write')
    const { study } = snapshot
    const item = study.items.find(({ id }) => id === itemIdOf(req))
    if (item === undefined) throw new ProblemError('not_found')
    refuseUnknown(queryOf(req.url), [])
    const match = ifMatch(req, false)
    const bytes = await bodyOf(parts, req, res, PICTURE_TYPES, PICTURE_MAX_BYTES)
    const size = bytes.length
    await requireRoom(parts.usages, tokenOf(res), parts.config, { bytes: size })
    const fault = pictureFault(bytes, contentType(req), item.filename)
    if (fault !== null) throw new ProblemError('invalid_body', { detail: fault })
    const { misfit } = await fitOf(snapshot, item, pictureSize(bytes, contentType(req)))
    if (misfit !== null) throw new ProblemError('invalid_body', { detail: misfit })
    const asked = { kind: 'picture', itemId: item.id, bytes } as const
    const { snapshotId } = await parts.live.change(changingOf(parts, res, study.id), match, asked)
    await parts.usages.add(tokenOf(res).id, { bytes: size })
    logWrite(parts, res, { did: 'picture changed', studyId: study.id, snapshotId })
    const body: z.infer<typeof ChangedStudy> = { snapshot: snapshotId }
    sendChanged(res, snapshotId, body)
  })
}

function deleteStudy(parts: WriteParts): RequestHandler {
  return checkingBody(async (req, res) => {
    const { study } = await changeableStudy(parts.store, res, String(req.params.studyId), 'write')
    refuseUnknown(queryOf(req.url), [])
    const { dataDir } = parts.config
    await removeStudy({ dataDir, studyId: study.id, now: new Date(), waitMs: LOCK_WAIT_MS })
    await parts.tokens.endLinks(study.id)
    logWrite(parts, res, { did: 'study deleted', studyId: study.id, snapshotId: null })
    res.setHeader('Cache-Control', 'no-store')
    res.status(204).end()
  })
}
