import { type Job as BullJob, type Processor, Queue, Worker } from 'bullmq'
import type { ImportJob } from '../../engine/import/uploads/import-job.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import type { JobPart } from '../../engine/jobs/record/job-paths.ts'
import type { RunningJob } from '../../engine/jobs/record/state.ts'
import { singleFlight } from '../../engine/storage/concurrency/coalesce.ts'
import { instanceId } from '../../engine/storage/files/instance.ts'
import { chooseBackEnd, isRedis } from './back-end.ts'
import { type CircuitBreaker, circuitBreaker, withTimeout } from './circuit-breaker.ts'
import { withUnderWay } from './progress.ts'
import { checkRedis } from './redis-check.ts'

/**
 * Data of a job in the queue. It holds no secrets and no names of people, since the queue's log keeps data long after
 * its removal. All fields except the first two are for operators who look at the board.
 */
export type Payload = {
  jobId: string
  attempt: number
  /** Part of the attempt; absent for the whole job. */
  part?: JobPart
  /** Start of the attempt, RFC 3339; also for a part. */
  startedAt?: string
} & Partial<Facts>

/** Subject of the work, for work of any kind. */
export type Facts = JobFacts | ImportFacts

/** Number of ended jobs that stay in the queue for operators. */
export type EndedPayload = { state: string; rows?: number; bytes?: number; study?: string; message?: string }

/** Describes a job for the board. `askedBy` are names or ids of tokens. */
type JobFacts = Pick<Job, 'parameters' | 'fileName'> & {
  export: string
  study: string
  samples: number
  askedBy: string[]
}

/** Placeholder for a filter, which may name people. */
const WITHHELD = '(a filter)'

/** Id of an import in the queue. It has one attempt, which may take several tries. */
export const IMPORT_ATTEMPT = 1

/** Describes an import for the board. */
type ImportFacts = Pick<JobFacts, 'study' | 'askedBy'> & { fileName: string; files: number; dryRun: boolean }

export function importFactsOf({ request }: ImportJob): ImportFacts {
  const { studyId, uploads, dryRun, tokenId, tokenName } = request
  return { fileName: 'import', study: studyId ?? 'new', files: uploads.length, dryRun, askedBy: [tokenName || tokenId] }
}

export function jobFactsOf({ plan, parameters, fileName, samplesTotal }: Job, askedBy: string[]): JobFacts {
  const { ignored: _, offsets: _offsets, ...rest } = parameters
  const shown = { ...rest, filter: parameters.filter === null ? null : WITHHELD }
  return { export: plan.export, study: plan.studyId, fileName, parameters: shown, samples: samplesTotal, askedBy }
}

/** State of an attempt in the queue; `unknown` if it is missing there, `ended` if the queue only remembers its end. */
type QueueState = 'waiting' | 'active' | 'ended' | 'unknown'

/** Counts of jobs by state; of ended jobs, only those that the queue still remembers. */
type QueueCounts = { waiting: number; active: number; completed: number; failed: number }

export type JobQueue = {
  /**
   * Adds an attempt at the end of its token's line. Lines are served in turn (fair queueing), so a token with a
   * thousand jobs does not make another token's first job wait for all of them.
   *
   * @param ahead number of unfinished jobs that the token already has
   * @throws ServiceError queue_away within 2 s
   */
  add: (jobId: string, attempt: number, ahead?: number, facts?: Facts) => Promise<void>
  /** Queues the parts of a job that exist neither on disk nor in the queue; as `add`. */
  addParts: (job: Job, progress: RunningJob) => Promise<void>
  /** Stores which parts of a job exist. @throws ServiceError queue_away within 2 s */
  noteParts: (jobId: string, attempt: number, progress: RunningJob) => Promise<void>
  /** Wakes a job that waits for its parts. @throws ServiceError queue_away within 2 s */
  wake: (jobId: string, attempt: number) => Promise<void>
  /**
   * Returns the progress of a job; null unless a worker is running it, or it waits for its parts.
   *
   * @throws ServiceError queue_away within 2 s
   */
  progress: (jobId: string, attempt: number) => Promise<RunningJob | null>
  /** Returns the state of an attempt. @throws ServiceError queue_away within 2 s */
  state: (jobId: string, attempt: number) => Promise<QueueState>
  /**
   * Returns a function that tells, for many jobs at once, whether they or their parts wait or run; null for a job that
   * changes meanwhile.
   *
   * @throws ServiceError queue_away
   */
  lookUp: () => Promise<(jobId: string, attempt: number) => 'waiting' | 'active' | null>
  /** Counts jobs by state. @throws ServiceError queue_away within 2 s */
  counts: () => Promise<QueueCounts>
  /** Returns true if the queue answers within 2 s. Never throws. */
  ping: () => Promise<boolean>
  /** Counts the workers that take jobs; null if the back end does not report it, and while it is unavailable. */
  workers: () => Promise<number | null>
  /** Returns true if the queue is paused. @throws ServiceError queue_away within 2 s */
  isPaused: () => Promise<boolean>
  /** Pauses or resumes the queue, for all workers. @throws ServiceError queue_away within 2 s */
  pause: (isToPause: boolean) => Promise<void>
  /**
   * Drops all waiting work. The next sweep queues unfinished work again.
   *
   * @throws ServiceError queue_away within 2 s
   */
  drain: () => Promise<void>
  /** Queue for Bull Board. */
  bull: Queue
  /** Runs jobs of this queue; waits for the queue without timeout. For worker/worker.ts. */
  takeJobs: (processor: Processor<Payload, unknown>, options: WorkerOptions) => Worker<Payload, unknown>
  close: () => Promise<void>
}

/** BullMQ worker settings that differ from its defaults. */
type WorkerOptions = { concurrency: number; lockDurationMs: number; stalledIntervalMs: number }

/** BullMQ's states of waiting jobs. */
const WAITING = ['waiting', 'prioritized', 'delayed'] as const
/** BullMQ's largest priority. */
const PRIORITY_MAX = 2 ** 21
/** Options that keep ended jobs in the queue for operators; the disk records how each job ended. */
const REMEMBERED = { removeOnComplete: { age: 3600, count: 1000 }, removeOnFail: { age: 86_400, count: 1000 } }

/**
 * Connects to the queue of `queueUrl` (redis://, rediss://, postgres://), or starts the embedded one below `dataDir`
 * for ''. It connects to nothing else. An unavailable queue is not an error: connecting goes on in the background.
 *
 * @param dataDir absolute; only the embedded queue uses it, in one process at a time
 * @param instance the installation's id, if it is not that of the data directory
 * @param onError called with connection errors for which no caller waits
 * @param onWarning called with settings of the queue's server that may lose jobs
 * @throws ServiceError busy if another process holds the embedded queue
 */
export async function openQueue({
  queueUrl,
  dataDir,
  instance,
  onError,
  onWarning = () => {},
}: {
  queueUrl: string
  dataDir: string
  instance?: string
  onError: (error: Error) => void
  onWarning?: (sentence: string) => void
}): Promise<JobQueue> {
  const stopCheck = isRedis(queueUrl) ? checkRedis(queueUrl, onWarning) : () => {}
  const backEnd = await chooseBackEnd(queueUrl, dataDir, onError)
  const { connection, factory } = backEnd
  // Two installations may share one Redis, and must not see each other's jobs.
  const name = `gazette-${instance ?? (await instanceId(dataDir))}`
  const bull = new Queue(name, { connection, streams: { events: { maxLen: 1000 } } }, factory)
  bull.on('error', onError)
  const ask = circuitBreaker(async () => {
    await bull.getJobCountByTypes('active')
  })
  let workersHere = 0
  const add = addingTo(bull, ask)
  return {
    bull,
    add: (jobId, attempt, ahead = 0, facts = undefined) => add({ jobId, attempt, ...facts }, ahead),
    ...inParts(bull, ask, add),
    ...asking(bull, ask),
    // No other process can take jobs from the embedded queue.
    ...(queueUrl === '' ? { workers: async () => workersHere } : {}),
    takeJobs: (processor, options) => {
      const worker = new Worker<Payload, unknown>(name, processor, { connection, ...workerOptions(options) }, factory)
      workersHere++
      worker.on('error', onError).once('closed', () => workersHere--)
      return worker
    },
    close: async () => {
      ask.stop()
      stopCheck()
      // While the queue is unavailable, neither may finish by itself.
      await withTimeout(bull.close()).catch(() => undefined)
      await withTimeout(backEnd.close()).catch(onError)
    },
  }
}

function asking(
  bull: Queue,
  ask: CircuitBreaker,
): Omit<JobQueue, 'add' | 'addParts' | 'noteParts' | 'wake' | 'bull' | 'takeJobs' | 'close'> {
  const lookAt = progressIn(bull)

  /**
   * Changes the queue only if it answers first: otherwise a change that timed out might still be applied when the queue
   * comes back.
   */
  const change = (work: () => Promise<void>) =>
    ask.for(async (isGivenUp) => {
      await bull.isPaused()
      if (!isGivenUp()) await work()
    })

  return {
    state: (jobId, attempt) =>
      ask.for(async () => {
        const id = bullId(jobId, attempt)
        const state = await bull.getJobState(id)
        if (state === 'delayed' && withWholes(await bull.getRanges(['active'], 0, -1)).has(id)) return 'active'
        if (state === 'completed' || state === 'failed') return 'ended'
        return state === 'active' || state === 'unknown' ? state : 'waiting'
      }),
    progress: (jobId, attempt) => ask.for(() => lookAt(bullId(jobId, attempt))),
    lookUp: () =>
      ask.for(async () => {
        const waiting = withWholes(await bull.getRanges(['wait', 'prioritized'], 0, -1))
        const active = withWholes(await bull.getRanges(['active'], 0, -1))
        return (jobId, attempt) => {
          const id = bullId(jobId, attempt)
          return active.has(id) ? 'active' : waiting.has(id) ? 'waiting' : null
        }
      }),
    counts: () =>
      ask.for(async () => {
        const { active, completed, failed, ...waiting } = await bull.getJobCounts(
          ...WAITING,
          'active',
          'completed',
          'failed',
        )
        return { waiting: WAITING.reduce((sum, state) => sum + (waiting[state] ?? 0), 0), active, completed, failed }
      }),
    workers: () => ask.for(() => bull.getWorkersCount().catch(() => null)).catch(() => null),
    isPaused: () => ask.for(() => bull.isPaused()),
    pause: (isToPause) => change(() => (isToPause ? bull.pause() : bull.resume())),
    drain: () => change(() => bull.drain(true)),
    ping: () =>
      ask
        .for(() => bull.getJobCountByTypes('active'))
        .then(() => true)
        .catch(() => false),
  }
}

/** Returns a function that reads the progress of a job. Identical requests share one query. */
function progressIn(bull: Queue): (id: string) => Promise<RunningJob | null> {
  return singleFlight(async (id): Promise<RunningJob | null> => {
    const [state, job] = await Promise.all([bull.getJobState(id), bull.getJob(id)])
    if (!job || !isProgress(job.progress) || state === 'completed' || state === 'failed') return null
    if (!job.progress.parts) return state === 'active' ? job.progress : null
    const active: BullJob<Payload>[] = await bull.getJobs(['active'])
    // Read after them: a part that ended in between would count in neither, and progress would fall.
    const latest = (await bull.getJob(id))?.progress
    if (!isProgress(latest)) return null
    const { parts } = latest
    // It is being composed.
    if (!parts) return latest
    const isUnderWay = ({ data, progress }: BullJob<Payload>) =>
      data.part?.of === parts.of &&
      bullId(data.jobId, data.attempt) === id &&
      !parts.there.includes(data.part.number) &&
      isProgress(progress)
    return withUnderWay(
      latest,
      active.filter(isUnderWay).map(({ progress }) => progress as RunningJob),
    )
  })
}

function workerOptions({ concurrency, lockDurationMs, stalledIntervalMs }: WorkerOptions) {
  return {
    concurrency,
    lockDuration: lockDurationMs,
    stalledInterval: stalledIntervalMs,
    // The job itself counts its tries, since it outlives the queue's memory.
    maxStalledCount: 1_000_000,
    runRetryDelay: 1000,
    ...REMEMBERED,
  }
}

type Add = (payload: Payload, ahead: number) => Promise<void>

/** Returns a function that adds attempts and their parts; identical concurrent calls are coalesced. */
function addingTo(bull: Queue, ask: CircuitBreaker): Add {
  const adding = new Map<string, Promise<void>>()

  /**
   * Returns the priority of a token's next job (fair queueing). A token without waiting jobs comes right after the
   * first job in the queue, other tokens as many places later as they have jobs. Since the count begins at the first
   * job in line and not at zero, newcomers overtake waiting jobs, but not for ever.
   */
  const priorityOf = (first: number, ahead: number) => Math.min(PRIORITY_MAX, Math.max(1, first) + ahead)
  const firstInLine = singleFlight(async () => (await bull.getJobs(['prioritized'], 0, 0, true))[0]?.priority ?? 1)

  async function put(payload: Payload, ahead: number, isGivenUp: () => boolean): Promise<void> {
    const id = idOf(payload)
    // BullMQ ignores an id that it remembers as ended, so that is removed first: the caller knows that it must run. If
    // the state were read later, a quick worker might just have ended the job, and it would run twice.
    const [state, first] = await Promise.all([bull.getJobState(id), firstInLine('')])
    // While the queue was unavailable, this may have waited until it came back.
    if (isGivenUp()) return
    if (state === 'completed' || state === 'failed') await (await bull.getJob(id))?.remove()
    const options = { jobId: id, attempts: 1, priority: priorityOf(first, ahead), ...REMEMBERED }
    await bull.add(payload.fileName ?? 'export', payload, options)
  }

  return (payload, ahead) => {
    const id = idOf(payload)
    const underWay = adding.get(id)
    if (underWay) return underWay
    const added = ask.for((isGivenUp) => put(payload, ahead, isGivenUp)).finally(() => adding.delete(id))
    adding.set(id, added)
    return added
  }
}

/**
 * Adds parts as independent BullMQ jobs; the job to which they belong waits as a delayed job. BullMQ's flows would do
 * on Redis. On PostgreSQL, if a child is lost and added again, its parent waits for ever.
 */
function inParts(bull: Queue, ask: CircuitBreaker, add: Add): Pick<JobQueue, 'addParts' | 'noteParts' | 'wake'> {
  return {
    addParts: async (job, { startedAt, parts }) => {
      const { of, there } = parts!
      const known = await ask.for(() => bull.getRanges(['wait', 'prioritized', 'active', 'delayed'], 0, -1))
      const [isKnown, isThere] = [new Set(known), new Set(there)]
      let ahead = 0
      // Added one after the other to the token's line, so that parts of other jobs come between.
      for (let number = 1; number <= of; number++) {
        const payload = { jobId: job.id, attempt: job.attempt, part: { number, of }, startedAt, ...jobFactsOf(job, []) }
        if (!isThere.has(number) && !isKnown.has(idOf(payload))) await add(payload, ahead++)
      }
    },
    noteParts: (jobId, attempt, progress) =>
      ask.for(async () => {
        await (await bull.getJob(bullId(jobId, attempt)))?.updateProgress(progress)
      }),
    wake: (jobId, attempt) =>
      ask.for(async () => {
        const job = await bull.getJob(bullId(jobId, attempt))
        // A worker may take it between the two.
        if (await job?.isDelayed()) await job?.promote().catch(() => undefined)
      }),
  }
}

/** Returns the id of an attempt in BullMQ, which refuses ids that hold a colon or are all digits. */
function bullId(jobId: string, attempt: number): string {
  return `${jobId}-${attempt}`
}

/** Returns the id of the work that a payload names: an attempt, or a part of it. */
function idOf({ jobId, attempt, part }: Payload): string {
  return part ? `${bullId(jobId, attempt)}-${part.number}of${part.of}` : bullId(jobId, attempt)
}

/** Adds the attempts to which the given parts belong. */
function withWholes(ids: string[]): Set<string> {
  return new Set(ids.flatMap((id) => [id, id.replace(/-\d+of\d+$/, '')]))
}

function isProgress(value: unknown): value is RunningJob {
  return typeof value === 'object' && value !== null && 'samplesTotal' in value
}
