import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ErrorCode, ServiceError } from '../errors.ts'
import { FORMATS, formatOf } from '../formats/formats.ts'
import type { Parameters } from '../params.ts'
import { jobId, type Plan } from '../plan.ts'
import { createDurably, isCode, replaceDurably, syncDirectory } from './durable.ts'
import { TIME_GRAIN_MS } from './file-state.ts'
import { shareReads } from './share.ts'
import { rememberWanted, type Wanted } from './wanted.ts'

/** How an attempt at a job ended. Times are RFC 3339 in UTC; SHA-256 in hex. */
export type JobEnd = {
  state: 'succeeded' | 'failed' | 'canceled' | 'expired'
  attempt: number
  startedAt: string | null
  finishedAt: string
  /** When the file goes; null where there is none. */
  expiresAt: string | null
  /** What was published; kept after expiry, when the file itself is gone. `rows` without the header. */
  file: {
    bytes: number
    /** null when the format has no twin. */
    gzipBytes: number | null
    rows: number
    samples: number
    sha256: string
    gzipSha256: string | null
  } | null
  error: { code: ErrorCode | 'internal'; message: string } | null
}

/** A job as it lies on disk. Without an end, it is for the queue to say how far it is. */
export type JobRecord = {
  id: string
  plan: Plan
  /** All parameters of the request, those that are not in the plan too. */
  parameters: Parameters
  samplesTotal: number
  /** The name that a download gets. */
  fileName: string
  /** When this attempt was asked for. */
  createdAt: string
  /** From 1; a job whose file is gone, or that failed, is asked for anew as the next attempt. */
  attempt: number
  /** null as long as this attempt has not ended. */
  end: JobEnd | null
  /** Ids of the tokens that asked for it and have not withdrawn. */
  interested: string[]
}

/** A job without those who asked for it. */
export type JobSummary = Omit<JobRecord, 'interested'>

/** The file itself, in whichever format its plan names, or its gzip twin. */
export type FileKind = 'csv' | 'gzip'

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
 * The jobs of a data directory: plain files, shared by any number of processes without a lock. Under exports/<job id>/ lie
 * plan.json, by/<token id>, and for each attempt <attempt>.csv (or another format's), <attempt>.csv.gz and <attempt>.end.json, which is published
 * last and by linking, so that an attempt ends once. Nothing of an attempt is ever written by another one.
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

/** plan.json. One entry of `begun` (RFC 3339) for each attempt. */
type PlanFile = Pick<JobRecord, 'plan' | 'parameters' | 'samplesTotal' | 'fileName'> & { begun: string[] }

const JOB_ID = /^x[0-9a-f]{64}$/
const TOKEN_ID = /^[\w-]{1,128}$/
const FILE_NAME = new RegExp(`^\\d+\\.(${FORMATS.map(({ extension }) => extension).join('|')})(\\.gz)?$`)
const FAILURE_STANDS_MS = 60_000
/** Jobs that are looked at side by side when it is the turn of all: fewer than libuv's threads, so that no request waits for them. */
const AT_ONCE = 12

/** @param dataDir absolute; `exports` under it is made when first needed */
export function openJobs(dataDir: string): Jobs {
  const root = join(dataDir, 'exports')
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

  const pathOf = (id: string, ...names: string[]) => join(root, id, ...names)
  const endPath = (id: string, attempt: number) => pathOf(id, `${attempt}.end.json`)
  const triesPath = (id: string, attempt: number) => pathOf(id, `${attempt}.tries`)
  const filePath: Jobs['filePath'] = ({ id, attempt, plan }, kind) =>
    pathOf(id, `${attempt}.${formatOf(plan).extension}${kind === 'gzip' ? '.gz' : ''}`)

  async function read(id: string): Promise<JobSummary | null> {
    if (!JOB_ID.test(id)) return null
    const file = await readJson<PlanFile>(pathOf(id, 'plan.json'))
    if (file === null) return null
    const { begun, ...rest } = file
    const attempt = begun.length
    return { id, ...rest, createdAt: begun[attempt - 1], attempt, end: await readJson<JobEnd>(endPath(id, attempt)) }
  }

  /** Who asked for this very attempt: a file of an earlier one says nothing about it. */
  async function interestedIn({ id, attempt }: JobSummary): Promise<string[]> {
    const asked = await Promise.all(
      (await namesIn(pathOf(id, 'by'))).map(async (tokenId) =>
        (await readText(pathOf(id, 'by', tokenId))) === String(attempt) ? [tokenId] : [],
      ),
    )
    return asked.flat()
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

  /** Once an attempt has ended, nobody asks how often it was tried, or how those before it ended. */
  async function forgetEarlier(id: string): Promise<void> {
    const job = await read(id)
    if (!job?.end) return
    for (const name of await namesIn(pathOf(id))) {
      const [, attempt, what] = /^(\d+)\.(tries|end\.json)$/.exec(name) ?? []
      if (what === 'tries' || Number(attempt) < job.attempt) await rm(pathOf(id, name), { force: true })
    }
  }

  const tidy: Jobs['tidy'] = async (olderThan, isRunning) => {
    const isOld = async (path: string) => ((await changedAt(path)) ?? Number.POSITIVE_INFINITY) < olderThan.getTime()
    for (const name of await namesIn(root)) {
      if (name.startsWith('.removed-')) await rm(join(root, name), { recursive: true, force: true })
      if (name.endsWith('.tmp') && (await isOld(join(root, name)))) await rm(join(root, name), { force: true })
    }
    for (const id of (await namesIn(root)).filter((name) => JOB_ID.test(name))) {
      if (!(await isThere(pathOf(id, 'plan.json')))) {
        // File by file and only if empty, since a request may be filling it again.
        if (!(await isOld(pathOf(id)))) continue
        for (const name of await namesIn(pathOf(id, 'by'))) await rm(pathOf(id, 'by', name), { force: true })
        for (const name of (await namesIn(pathOf(id))).filter((name) => name !== 'by' && name !== 'plan.json')) {
          await rm(pathOf(id, name), { force: true })
        }
        await removeIfEmpty(pathOf(id, 'by'))
        await removeIfEmpty(pathOf(id))
        continue
      }
      await forgetEarlier(id)
      for (const name of await namesIn(pathOf(id))) {
        const attempt = Number.parseInt(name, 10)
        const isPart = name.endsWith('.part') || name.endsWith('.tmp')
        const isFile = FILE_NAME.test(name)
        if (!(isPart || isFile) || !(await isOld(pathOf(id, name)))) continue
        if (isFile && (await readJson<JobEnd>(endPath(id, attempt)))?.state === 'succeeded') continue
        if (!(attempt > 0) || !(await isRunning(id, attempt))) await rm(pathOf(id, name), { force: true })
      }
    }
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
    tidy,
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

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

async function readJson<T>(path: string): Promise<T | null> {
  const text = await readText(path)
  return text === null ? null : (JSON.parse(text) as T)
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return []
    throw error
  }
}

/** When a file, or the names in a directory, last changed, in ms since the epoch; null when it is not there. */
async function changedAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await changedAt(path)) !== null
}

async function removeIfEmpty(path: string): Promise<void> {
  try {
    await rmdir(path)
  } catch (error) {
    if (!isCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error
  }
}
