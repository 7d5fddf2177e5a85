import { PICTURE_MAX_BYTES } from '../../engine/import/bundle/bundle-limits.ts'
import type { AskedChange, DoneChange } from '../../engine/live/thread-work.ts'
import { pictureSize, sizeFault } from '../../engine/model/picture-size.ts'
import { mayPlace } from '../../engine/model/projects.ts'
import type { Item } from '../../engine/model/study.ts'
import { removeStudy } from '../../engine/study/changes/removal.ts'
import { forgetImports } from '../../engine/uploads/import-job.ts'
import type { Size } from '../../isomorphic/same-shape.ts'
import { requireRoom, withinBounds } from '../access/bounds.ts'
import { ifMatch } from '../access/preconditions.ts'
import { contentType } from '../http/body/body.ts'
import { invalidParameters, ProblemError } from '../http/problems.ts'
import type { Answers, RouteRequest } from '../routes/route.ts'
import type { STUDY_WRITES } from '../routes/writes.ts'
import { AOI_TYPES, JSON_TYPE, PICTURE_TYPES } from '../schemas/media-types.ts'
import { fitOf } from './picture-fit.ts'
import { nameForPicture, pictureFault } from './pictures.ts'
import { isVideoType, type ReceivedPicture, withVideo } from './receive-video.ts'
import { changeOverHttp, descriptionOf, LOCK_WAIT_MS, logWrite, readWriteBody, type WriteParts } from './write-parts.ts'

type Writes = typeof STUDY_WRITES

/** Returns the handlers that create, change and delete studies. */
export function studyWrites(parts: WriteParts): Answers<Writes> {
  return {
    createStudy: (asked) => createStudy(parts, asked),
    putStudy: (asked) =>
      replace(parts, asked, async (bytes) => {
        const described = await parts.live.describe(bytes)
        if (described.id === asked.snapshot.study.id) return { kind: 'description', described }
        throw invalidParameters([{ parameter: 'id', rule: "must be that of the path's study", value: described.id }])
      }),
    putAbout: (asked) => replace(parts, asked, (bytes) => ({ kind: 'about', bytes })),
    putAois: (asked) => {
      const kind = contentType(asked.req) === JSON_TYPE ? 'aois' : 'boxes'
      return replace(parts, asked, (bytes) => ({ kind, itemId: asked.item.id, bytes }), AOI_TYPES)
    },
    putItemImage: (asked) => putImage(parts, asked),
    renameStudy: (asked) => renameStudy(parts, asked),
    undoChange: (asked) => undoChange(parts, asked),
    deleteStudy: async ({ res, snapshot: { study } }) => {
      const { place, config } = parts
      await removeStudy({ dataDir: config.dataDir, place, studyId: study.id, now: new Date(), waitMs: LOCK_WAIT_MS })
      await parts.tokens.endLinks(study.id)
      await forgetImports(parts.records, parts.uploads, study.id)
      logWrite(parts, res, { event: 'removal', did: 'study deleted', studyId: study.id, snapshotId: null })
    },
  }
}

async function createStudy(parts: WriteParts, { req, res, token }: RouteRequest<Writes['createStudy']>) {
  await requireRoom(parts.usages, token, parts.config, { studies: 1 })
  const bytes = await descriptionOf(parts, req, res)
  const study = await parts.live.describe(bytes)
  if (!mayPlace(token.reach, study))
    throw new ProblemError('forbidden', { detail: 'The token is for other studies or projects.' })
  const asked = { kind: 'creation', described: study } as const
  const added = { studies: 1, bytes: bytes.length }
  const { snapshotId } = await withinBounds(parts.usages, token, parts.config, added, () =>
    changeOverHttp(parts, res, study.id, { asked, did: 'study created', match: null }),
  )
  res.setHeader('Location', `/api2/studies/${study.id}`)
  return { id: study.id, snapshot: snapshotId }
}

/**
 * Replaces a part of a study's description.
 *
 * @param askedBy derives the change from the body
 * @param types media types that the body may have
 */
async function replace(
  parts: WriteParts,
  { req, res, snapshot: { study }, query }: RouteRequest<Writes['putAbout']>,
  askedBy: (bytes: Buffer) => AskedChange | Promise<AskedChange>,
  types?: readonly string[],
) {
  const isDryRun = query.dryRun === 'true'
  const match = ifMatch(req, true)
  const asked = await askedBy(await descriptionOf(parts, req, res, types))
  return viewOf(await changeOverHttp(parts, res, study.id, { asked, did: 'study changed', match, isDryRun }), isDryRun)
}

function viewOf({ snapshotId, impact, aois }: DoneChange, isDryRun: boolean) {
  const { itemIds, tests, participants } = impact!
  return {
    snapshot: snapshotId,
    isDryRun,
    changedItemIds: itemIds,
    affectedTestCount: tests,
    affectedParticipantCount: participants,
    ...(aois === null ? {} : { aois }),
  }
}

async function putImage(
  parts: WriteParts,
  { req, res, token, snapshot, item, query }: RouteRequest<Writes['putItemImage']>,
) {
  const match = ifMatch(req, false)
  const type = contentType(req)
  const take = async ({ content, beginning, sizeBytes, size: found }: ReceivedPicture) => {
    const filename = query.rename === 'true' ? nameForPicture(item.filename, type) : item.filename
    const tooOdd = sizeFault(beginning)
    const fault = pictureFault(beginning, type, filename) ?? (tooOdd && `The picture ${tooOdd}.`)
    if (fault !== null) throw new ProblemError('invalid_body', { detail: fault })
    const size = query.resize === 'true' ? sizeFor(item, found) : null
    const { misfit } = size === null ? await fitOf(snapshot, item, found) : { misfit: null }
    if (misfit !== null) throw new ProblemError('invalid_body', { detail: `${misfit} ${WHAT_FITS}` })
    const asked = { kind: 'picture', itemId: item.id, content, filename, size } as const
    const { snapshotId } = await withinBounds(parts.usages, token, parts.config, { bytes: sizeBytes }, () =>
      changeOverHttp(parts, res, snapshot.study.id, { asked, did: 'picture changed', match }),
    )
    return { snapshot: snapshotId }
  }
  if (isVideoType(type)) {
    const announced = Number(req.get('content-length') ?? 0) || 0
    await requireRoom(parts.usages, token, parts.config, { bytes: announced })
    return withVideo(req, parts.config, take)
  }
  const bytes = await readWriteBody(parts, req, res, PICTURE_TYPES, PICTURE_MAX_BYTES)
  return take({ content: { bytes }, beginning: bytes, sizeBytes: bytes.length, size: pictureSize(bytes, type) })
}

const WHAT_FITS =
  'Send the picture as it was shown or, if the item has no size and the picture was shown whole, say so with resize=true.'

/** Returns the size of a picture for an item without a size. @throws ProblemError invalid_body */
function sizeFor(item: Item, found: Size | null): Size {
  const refuse = (detail: string) => new ProblemError('invalid_body', { detail })
  if (item.widthPx !== null) throw refuse('The item has a size: leave out resize.')
  if (found === null) throw refuse('The picture does not say how large it is: leave out resize.')
  return found
}

/** Undoes the newest change, if nothing has changed since. */
async function undoChange(parts: WriteParts, { req, res, snapshot: { study } }: RouteRequest<Writes['undoChange']>) {
  const wanted = { asked: { kind: 'undo' }, did: 'change undone', match: ifMatch(req, true) } as const
  const { snapshotId } = await changeOverHttp(parts, res, study.id, wanted)
  return { snapshot: snapshotId }
}

async function renameStudy(
  parts: WriteParts,
  { req, res, snapshot: { study }, query, body }: RouteRequest<Writes['renameStudy']>,
) {
  const isDryRun = query.dryRun === 'true'
  const { removesTests = false, ...renaming } = body
  const asked = { kind: 'renaming', renaming, removesTests } as const
  const match = ifMatch(req, true)
  return viewOf(await changeOverHttp(parts, res, study.id, { asked, did: 'study changed', match, isDryRun }), isDryRun)
}
