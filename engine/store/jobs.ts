import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shareReads } from '../files/coalesce.ts'
import { createDurably, isCode, replaceDurably, syncDirectory } from '../files/durable.ts'
import { TIME_GRAIN_MS } from '../files/file-state.ts'
import { changedAt, isThere, namesIn, readJson, readText, removeIfEmpty } from '../files/optional-files.ts'
import { ServiceError } from '../model/errors.ts'
import type { Parameters } from '../model/parameters.ts'
import { jobId, type Plan } from '../model/plan.ts'
import {
  FILE_NAME,
  type FileKind,
  JOB_ID,
  type JobEnd,
  type JobRecord,
  type JobSummary,
  jobFiles,
  type PlanFile,
} from './job-files.ts'
import { tidyJobs } from './tidy-jobs.ts'
import { rememberWanted, type Wanted } from './wanted.ts'

/** Files of one try at an attempt, while they are written; no two tries share them. That of the twin is not there if there is none. */
export type PartFiles = { csv: string; gzip: string }

export type JobRequest = {
  tokenId: string
  parameters: Parameters
  samplesTotal: number
  fileName: string
  now: Date
}

/**
 * The jobs of a data directory: plain files (job-files.ts), shared by any number of processes without a lock. The end of an attempt is
 * published last and by linking, so that it ends once. Nothing of an attempt is ever written by another one.
 */
export type Jobs = {
  /**
   * Asks for a plan's file, for one token. Equal plans are one job, whoever asks and from whichever process. The plan is on
   * disk, synced, when this returns. A job whose file is gone, or that failed more than 60 s ago, begins its next attempt.
   * `begun` says whether this call began the attempt; put it into the queue whenever `end` is null (adding twice is harmless).
   *
   * @throws ServiceError disk_full
   */
  request: (plan: Plan, request: JobRequest) => Promise<JobRecord & { begun: boolean }>
  /** Takes a request back that could not be queued, as if this token had not asked; a plan that nobody else asked for goes. */
  undo: (record: JobSummary, tokenId: string) => Promise<void>
  get: (id: string) => Promise<JobRecord | null>
  /** The same for those who ask often: what lies unchanged on disk is read once. */
  look: (id: string) => Promise<JobSummary | null>
  /** Newest first, by `createdAt`, then id descending; those beyond `after` (the last one seen) where given. */
  list: (after?: { createdAt: string; id: string }) => AsyncGenerator<JobSummary>
  /**
   * The jobs without an end that a token has asked for. What this process does counts at once. What others do counts when the disk
   * is read again, once a second has passed since (more where that takes long): in the background, or waited for with `fresh`.
   */
  openOf: (tokenId: string, options?: { fresh: boolean }) => Promise<ReadonlySet<string>>
  /**
   * Withdraws a token's interest, or everybody's. Once nobody is left, an unfinished job is canceled (its worker notices within
   * a second), and the file of a finished one goes, as if expired. False when there is no such job.
   */
  withdraw: (id: string, tokenId: string | 'all', now: Date) => Promise<boolean>
  /** Ends all jobs on a study for everybody and deletes all files of theirs at once, except on the snapshot to keep. */
  dropStudy: (studyId: string, keepSnapshotId: string | null, now: Date) => Promise<void>
  /** Publishes how an attempt ended, unless it is not the current one or has ended already. Says whether it did. */
  end: (id: string, attempt: number, end: Omit<JobEnd, 'attempt'>) => Promise<boolean>
  /** Where one try at an attempt writes: new names each time, in the job's directory. */
  partFiles: (id: string, attempt: number) => PartFiles
  /** Gives written and synced parts their names, then publishes the end; on the same terms as `end`, else the parts go. */
  publish: (id: string, attempt: number, parts: PartFiles, end: Omit<JobEnd, 'attempt'>) => Promise<boolean>
  /** Notes that a try at an attempt begins, and returns how many were begun and neither ended nor handed back. */
  beginTry: (id: string, attempt: number) => Promise<number>
  handBackTry: (id: string, attempt: number) => Promise<void>
  /** Deletes a finished job's file; whoever has it open reads on. */
  expire: (record: JobSummary, now: Date) => Promise<void>
  /** Deletes a job with all its files, unless it has been asked for anew since this was read. */
  remove: (record: JobSummary) => Promise<void>
  /** Deletes what dead processes left behind before `olderThan`: parts, files without a good end, half-made directories. */
  tidy: (olderThan: Date, isRunning: (id: string, attempt: number) => Promise<boolean>) => Promise<void>
  /**
   * Opens a published file; null when it is gone. Whoever holds the handle reads on to the end, also after expiry: an open
   * file outlives its name. So open once, take sizes from the handle, and read from it.
   */
  openFile: (record: JobSummary, kind: FileKind) => Promise<FileHandle | null>
  filePath: (record: JobSummary, kind: FileKind) => string
}

const TOKEN_ID = /^[\w-]{1,128}$/
const FAILURE_STANDS_MS = 60_000
/** Jobs that are looked at side by side when it is the turn of all: fewer than libuv's threads, so that no request waits for them. */
const AT_ONCE = 12

/** @param dataDir absolute; `exports` under it is made when first needed */
export function openJobs(dataDir: string): Jobs {
  const files = jobFiles(dataDir)
  const { root, pathOf, endPath, triesPath, filePath, read, interestedIn } = files
  const beginning = new Map<string, ReturnType<typeof begin>>()
  const remembered = new Map<string, { changedMs: number; job: JobSummary }>()
  const wanted = rememberWanted()
  /** Those who come while a directory is synced share the next sync, which begins after all that they did. */
  const sync = shareReads(syncDirectory)

  /** `exports` itself has to outlive a crash, too: looked after once, and again should it be made anew. */
  let isRootSynced = false
  async function syncRoot(made: string | undefined): Promise<void> {
    if (isRootSynced && made !== root) return
    await sync(dataDir)
    isRootSynced = true
  }

  const get = shareReads(async (id): Promise<JobRecord | null> => {
    const job = await read(id)
    return job && { ...job, interested: await interestedIn(job) }
  })

  /** Makes sure that the plan is on disk and that its attempt is under way or fresh. Says which that is, and whether this call began it. */
  async function begin(
    id: string,
    plan: Plan,
    { tokenId, parameters, samplesTotal, fileName, now }: JobRequest,
  ): Promise<{ begun: boolean; attempt: number }> {
    const path = pathOf(id, 'plan.json')
    const job = await read(id)
    const by = pathOf(id, 'by')
    const write = (begun: string[]) =>
      JSON.stringify({ plan, parameters, samplesTotal, fileName, begun } satisfies PlanFile, null, 2)
    if (job === null) {
      const made = await mkdir(pathOf(id), { recursive: true })
      const created = createDurably(path, write([now.toISOString()]))
      const noted = mkdir(by, { recursive: true }).then(() => writeFile(join(by, tokenId), '1'))
      const [begun] = await Promise.all([created, noted, sync(root), syncRoot(made)])
      if (begun) return { begun, attempt: 1 }
      await sync(pathOf(id))
      return { begun, attempt: (await read(id))?.attempt ?? 0 }
    }
    // Whoever began it may still be at syncing it.
    if (job.end === null) await Promise.all([sync(pathOf(id)), sync(root)])
    if (!(await isOver(job, now))) return { begun: false, attempt: job.attempt }
    const { begun } = (await readJson<PlanFile>(path)) ?? { begun: [] }
    // Two processes at once write the same attempt, which is as good as one.
    if (begun.length === job.attempt) await replaceDurably(path, write([...begun, now.toISOString()]))
    return { begun: true, attempt: job.attempt + 1 }
  }

  async function isOver(job: JobSummary, now: Date): Promise<boolean> {
    if (job.end === null) return false
    if (job.end.state === 'failed') return now.getTime() - Date.parse(job.end.finishedAt) > FAILURE_STANDS_MS
    if (job.end.state !== 'succeeded') return true
    const hasTwin = job.end.file?.gzipBytes != null
    return !((await isThere(filePath(job, 'csv'))) && (!hasTwin || (await isThere(filePath(job, 'gzip')))))
  }

  /** Equal requests of this process that come at once share one look at the disk. */
  function beginOnce(id: string, plan: Plan, request: JobRequest): ReturnType<typeof begin> {
    const underWay = beginning.get(id)
    if (underWay) return underWay.then(({ attempt }) => ({ begun: false, attempt }))
    const begun = begin(id, plan, request).finally(() => beginning.delete(id))
    beginning.set(id, begun)
    return begun
  }

  /** A job's first attempt that has only just been written, unless it was taken away at once. */
  async function justBegun(id: string, plan: Plan, { tokenId, now, ...asked }: JobRequest): Promise<JobRecord | null> {
    const [isPlanned, hasEnded] = await Promise.all([isThere(pathOf(id, 'plan.json')), isThere(endPath(id, 1))])
    if (!isPlanned || hasEnded) return get(id)
    const { parameters, samplesTotal, fileName } = asked
    const createdAt = now.toISOString()
    return { id, plan, parameters, samplesTotal, fileName, createdAt, attempt: 1, end: null, interested: [tokenId] }
  }

  const request: Jobs['request'] = async (plan, asked) => {
    if (!TOKEN_ID.test(asked.tokenId)) throw new Error('a token id must be safe in file names')
    const id = jobId(plan)
    let begun = false
    // Withdrawals and the sweep may come between: then what was asked for is gone again, and is begun anew.
    for (let tries = 0; tries < 20; tries++) {
      try {
        const { begun: isNew, attempt } = await beginOnce(id, plan, asked)
        begun ||= isNew
        const by = pathOf(id, 'by', asked.tokenId)
        const isFirst = isNew && attempt === 1
        if (!isFirst && (await readText(by)) !== String(attempt)) await writeFile(by, String(attempt))
        const job = isFirst ? await justBegun(id, plan, asked) : await get(id)
        if (job === null || job.attempt !== attempt || (await isOver(job, asked.now))) continue
        if (job.end === null) wanted.add(asked.tokenId, id)
        return { ...job, begun }
      } catch (error) {
        if (isCode(error, 'ENOSPC', 'EDQUOT')) {
          throw new ServiceError('disk_full', 'The disk is full: the job could not be recorded', { cause: error })
        }
        if (!isCode(error, 'ENOENT')) throw error
      }
    }
    throw new Error(`job ${id} is taken away as often as it is asked for`)
  }

  const undo: Jobs['undo'] = async ({ id, attempt }, tokenId) => {
    await rm(pathOf(id, 'by', tokenId), { force: true })
    wanted.drop(id, tokenId)
    const job = await get(id)
    if (!job || job.attempt !== attempt || job.end !== null || job.interested.length > 0) return
    const path = pathOf(id, 'plan.json')
    const { begun, ...rest } = (await readJson<PlanFile>(path)) ?? { begun: [] }
    if (begun.length > 1) await replaceDurably(path, JSON.stringify({ ...rest, begun: begun.slice(0, -1) }, null, 2))
    else {
      await rm(path, { force: true })
      await removeIfEmpty(pathOf(id, 'by'))
      await removeIfEmpty(pathOf(id))
    }
  }

  const end: Jobs['end'] = async (id, attempt, how) => {
    const job = await read(id)
    if (!job || job.attempt !== attempt || job.end !== null) return false
    try {
      const hasEnded = await createDurably(
        endPath(id, attempt),
        JSON.stringify({ ...how, attempt } satisfies JobEnd, null, 2),
      )
      if (hasEnded) wanted.drop(id)
      return hasEnded
    } catch (error) {
      if (isCode(error, 'ENOENT')) return false
      throw error
    }
  }

  const publish: Jobs['publish'] = async (id, attempt, parts, how) => {
    const job = await read(id)
    if (!job || job.attempt !== attempt || job.end !== null) {
      await Promise.all([rm(parts.csv, { force: true }), rm(parts.gzip, { force: true })])
      return false
    }
    try {
      await rename(parts.csv, filePath(job, 'csv'))
      if (how.file?.gzipBytes != null) await rename(parts.gzip, filePath(job, 'gzip'))
      // The directory is synced with the end. Should that outlive these names in a crash, it says of files that they are gone.
      if (await end(id, attempt, how)) return true
    } catch (error) {
      // Without an end they are no files of anybody's, and with a full disk the next thing needs their space.
      await Promise.all([parts.csv, parts.gzip].map((path) => rm(path, { force: true })))
      await removeUnended(job)
      throw error
    }
    await removeUnended(job)
    return false
  }

  /** For when another try ended the attempt: if that one succeeded, its bytes are these; otherwise nobody wants them. */
  async function removeUnended(job: JobSummary): Promise<void> {
    const ended = await readJson<JobEnd>(endPath(job.id, job.attempt))
    if (ended?.state !== 'succeeded') await removeFiles(job)
  }

  async function removeFiles(job: JobSummary): Promise<void> {
    await rm(filePath(job, 'csv'), { force: true })
    await rm(filePath(job, 'gzip'), { force: true })
  }

  const expire: Jobs['expire'] = async (job, now) => {
    if (job.end?.state !== 'succeeded') return
    // First the word, then the file: in between, a reader that opens it still gets it whole.
    const gone: JobEnd = { ...job.end, state: 'expired', expiresAt: now.toISOString() }
    await replaceDurably(endPath(job.id, job.attempt), JSON.stringify(gone, null, 2))
    await removeFiles(job)
  }

  /** Ends an attempt that nobody is interested in, whichever way is left. */
  async function stop(job: JobSummary, now: Date): Promise<void> {
    const finishedAt = now.toISOString()
    const canceled = {
      state: 'canceled' as const,
      startedAt: null,
      finishedAt,
      expiresAt: null,
      file: null,
      error: null,
    }
    if (job.end === null && (await end(job.id, job.attempt, canceled))) return
    const ended = await read(job.id)
    if (ended?.attempt === job.attempt) await expire(ended, now)
  }

  const withdraw: Jobs['withdraw'] = async (id, tokenId, now) => {
    const job = await get(id)
    if (job === null) return false
    const leaving = tokenId === 'all' ? job.interested : [tokenId]
    if (!leaving.every((leaver) => TOKEN_ID.test(leaver))) return true
    for (const leaver of leaving) {
      await rm(pathOf(id, 'by', leaver), { force: true })
      wanted.drop(id, leaver)
    }
    if ((await interestedIn(job)).length > 0) return true
    await stop(job, now)
    // Somebody may have asked after we looked, and been told that the job is under way: then it has to be.
    const late = await interestedIn(job)
    if (late.length > 0) for (const asker of late) await request(job.plan, { ...job, tokenId: asker, now })
    return true
  }

  const dropStudy: Jobs['dropStudy'] = async (studyId, keepSnapshotId, now) => {
    for await (const { id, plan } of list()) {
      if (plan.studyId !== studyId || plan.snapshotId === keepSnapshotId) continue
      const job = await read(id)
      if (job) await stop(job, now)
      // What a worker is still writing holds the same data; it finds out within a second.
      for (const name of await namesIn(pathOf(id))) {
        if (name.endsWith('.part') || FILE_NAME.test(name)) await rm(pathOf(id, name), { force: true })
      }
    }
  }

  /** Every job, in no order. What lies unchanged on disk is read once. */
  async function* all(): AsyncGenerator<JobSummary> {
    const ids = (await namesIn(root)).filter((name) => JOB_ID.test(name))
    const there = new Set(ids)
    for (const id of remembered.keys()) if (!there.has(id)) remembered.delete(id)
    for (let i = 0; i < ids.length; i += AT_ONCE) {
      const jobs = await Promise.all(ids.slice(i, i + AT_ONCE).map(summary))
      yield* jobs.filter((job) => job !== null)
    }
  }

  async function summary(id: string): Promise<JobSummary | null> {
    const lookedAtMs = Date.now()
    const changedMs = await changedAt(pathOf(id))
    if (changedMs === null) return null
    const known = remembered.get(id)
    if (known && known.changedMs === changedMs) return known.job
    const job = await read(id)
    if (job && lookedAtMs - changedMs > TIME_GRAIN_MS) remembered.set(id, { changedMs, job })
    else remembered.delete(id)
    return job
  }

  async function* list(after?: { createdAt: string; id: string }): AsyncGenerator<JobSummary> {
    const jobs: JobSummary[] = []
    for await (const job of all()) if (!after || isNewer(after, job)) jobs.push(job)
    yield* jobs.sort((a, b) => (isNewer(a, b) ? -1 : 1))
  }

  const look = shareReads(async (id): Promise<JobSummary | null> => (JOB_ID.test(id) ? summary(id) : null))

  async function* everyWanted(): AsyncGenerator<Wanted> {
    for await (const job of all()) {
      if (job.end === null) for (const tokenId of await interestedIn(job)) yield { tokenId, id: job.id }
    }
  }

  const remove: Jobs['remove'] = async ({ id, attempt }) => {
    const aside = join(root, `.removed-${id}-${randomBytes(6).toString('hex')}`)
    await rename(pathOf(id), aside)
    const file = await readJson<PlanFile>(join(aside, 'plan.json'))
    // Asked for anew just before it was moved: put it back, unless it has been asked for once more since.
    if (file && file.begun.length !== attempt) await rename(aside, pathOf(id)).catch(() => undefined)
    await rm(aside, { recursive: true, force: true })
  }

  return {
    request,
    undo,
    get,
    look,
    list,
    openOf: (tokenId, { fresh } = { fresh: false }) => wanted.of(tokenId, everyWanted, fresh),
    withdraw,
    dropStudy,
    end,
    publish,
    expire,
    remove,
    tidy: (olderThan, isRunning) => tidyJobs(files, olderThan, isRunning),
    filePath,
    partFiles: (id, attempt) => {
      const name = `${attempt}.${randomBytes(6).toString('hex')}`
      return { csv: pathOf(id, `${name}.part`), gzip: pathOf(id, `${name}.gz.part`) }
    },
    beginTry: async (id, attempt) => {
      await writeFile(triesPath(id, attempt), '.', { flag: 'a' })
      return (await stat(triesPath(id, attempt))).size
    },
    handBackTry: async (id, attempt) => {
      const tries = (await readText(triesPath(id, attempt))) ?? ''
      await writeFile(triesPath(id, attempt), tries.slice(1))
    },
    openFile: async (job, kind) => {
      try {
        return await open(filePath(job, kind), 'r')
      } catch (error) {
        if (isCode(error, 'ENOENT')) return null
        throw error
      }
    },
  }
}

function isNewer(a: { createdAt: string; id: string }, b: { createdAt: string; id: string }): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt
}
