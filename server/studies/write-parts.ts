import type { Request, Response } from 'express'
import type { Logger } from 'pino'
import type { AuditLog } from '../../engine/access/audit-log.ts'
import type { Tokens } from '../../engine/access/tokens.ts'
import type { Usages } from '../../engine/access/usage.ts'
import { STUDY_JSON_MAX_BYTES } from '../../engine/import/bundle/bundle-limits.ts'
import type { LiveStudies } from '../../engine/live/live-studies.ts'
import type { AskedChange, DoneChange, ThreadChanging } from '../../engine/live/thread-work.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { StudyWrite } from '../../engine/model/study.ts'
import type { StudyReader } from '../../engine/snapshot/snapshots.ts'
import type { RecordsAt } from '../../engine/storage/records.ts'
import type { StudyPlace } from '../../engine/study/place.ts'
import type { Uploads } from '../../engine/uploads/open-uploads.ts'
import { tokenOf } from '../access/authorize.ts'
import { studyTag } from '../access/preconditions.ts'
import { readBody } from '../http/body/body.ts'
import type { BodyRoom } from '../http/body/body-room.ts'
import { leaving } from '../http/leaving.ts'
import { requestIdOf } from '../http/request-log.ts'
import type { RateLimiter } from '../http/waiting/rate-limiter.ts'
import { JSON_TYPE } from '../schemas/media-types.ts'

/** Parts of a server that handlers of writes need. */
export type WriteParts = {
  config: Config
  studies: StudyReader
  place: StudyPlace
  records: RecordsAt
  uploads: Uploads
  live: LiveStudies
  room: BodyRoom
  rateLimiter: RateLimiter
  usages: Usages
  tokens: Tokens
  audit: AuditLog
  log: Logger
}

/** Reads a body of at most so many bytes, within the memory limit of its token. @throws ProblemError as `readBody` */
export function readWriteBody(
  { room }: Pick<WriteParts, 'room'>,
  req: Request,
  res: Response,
  types: readonly string[],
  maxBytes: number,
): Promise<Buffer> {
  return readBody(req, res, { types, maxBytes, place: room.enter(tokenOf(res).id) })
}

/**
 * Reads a description of a study, or AOIs, and waits for its turn in the rate limit of validation.
 *
 * @throws ProblemError as `readBody` and `RateLimiter`
 */
export async function descriptionOf(
  { room, rateLimiter }: Pick<WriteParts, 'room' | 'rateLimiter'>,
  req: Request,
  res: Response,
  types: readonly string[] = [JSON_TYPE],
): Promise<Buffer> {
  const owner = tokenOf(res).id
  rateLimiter.requireTurn(owner)
  const bytes = await readWriteBody({ room }, req, res, types, STUDY_JSON_MAX_BYTES)
  await rateLimiter.turn(owner, bytes.length, leaving(res))
  return bytes
}

/** Timeout of a change that waits for another change of the same study. */
export const LOCK_WAIT_MS = 20_000

/** Returns the function with which requests change a study. */
export function changingOf({ config }: WriteParts, res: Response, studyId: string): ThreadChanging {
  const { dataDir, storeUrl, engineThreads: threads, engineMemoryMib: memoryMib } = config
  return {
    address: { dataDir, storeUrl },
    studyId,
    threads,
    memoryMib,
    tokenId: tokenOf(res).id,
    reach: tokenOf(res).reach,
    now: new Date(),
    waitMs: LOCK_WAIT_MS,
  }
}

/** A requested change; `did` names it in the logs. */
type Wanted = { asked: AskedChange; did: string; match: string | null; isDryRun?: boolean; participantId?: string }

/**
 * Changes a study, writes the logs, and sends the client the new entity tag of the study.
 *
 * @throws ServiceError moved_on if the study has changed since the version that `match` names
 */
export async function changeOverHttp(
  parts: WriteParts,
  res: Response,
  studyId: string,
  { asked, did, match, isDryRun = false, participantId }: Wanted,
): Promise<DoneChange> {
  const done = await parts.live.change({ ...changingOf(parts, res, studyId), dryRun: isDryRun }, match, asked)
  const { snapshotId } = done
  if (!isDryRun) logWrite(parts, res, { event: 'change', did, studyId, participantId, snapshotId })
  res.setHeader('ETag', studyTag(snapshotId))
  return done
}

/**
 * A change that was made.
 *
 * @property event class of the change in the audit log: `removal` if something is gone for good
 */
type Written = Partial<Omit<StudyWrite, 'did'>> & {
  studyId: string
  snapshotId: string | null
  did: string
  event: 'change' | 'removal'
}

/** Logs a change, also in the audit log: who, what, and the resulting snapshot. */
export function logWrite({ log, audit }: WriteParts, res: Response, write: Written): void {
  const { studyId: study, participantId: participant, snapshotId, did, event } = write
  const [requestId, token] = [requestIdOf(res), tokenOf(res).id]
  log.info({ requestId, token, did, study, participant, snapshot: snapshotId }, 'study written')
  const snapshot = snapshotId === null ? {} : { snapshot: snapshotId }
  audit.write({ event, by: { token }, did, study, participant, ...snapshot, requestId }, new Date())
}
