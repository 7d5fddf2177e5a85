import type { RunningJob } from '../../engine/jobs/record/state.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { keepLimits } from '../../engine/run/pool/limited-process.ts'
import { createPool } from '../../engine/run/pool/pool.ts'
import { openHome } from '../../engine/study/bucket/open-home.ts'
import { openUploads } from '../../engine/uploads/open-uploads.ts'
import { kindOf, type WorkContext } from '../kinds/kinds.ts'
import type { JobContext, Log } from '../tries/job-context.ts'
import type { Outcome, StopReason, Tried } from '../tries/try.ts'

/**
 * Runs one try in this process, where nothing else runs. Its parent (`run-alone.ts`) holds the lock of the job, and
 * passes on what the try tells the queue and the log.
 */

/** Settings of work, wherever it runs. */
export type WorkConfig = WorkContext['config'] &
  Pick<Config, 'storeUrl' | 'storeCacheGib' | 'splitSamples' | 'jobDeathsMax' | 'exportTtlHours'>

/** Messages to the process. */
export type ToAlone =
  | { begin: { tried: Tried; config: WorkConfig } }
  | { stop: StopReason }
  | { answered: { call: number; failure: string | null } }

type Queue = JobContext['queue']
/** Messages from the process; an outcome or a bug is the last. */
export type FromAlone =
  | { progress: RunningJob }
  | { said: { level: keyof Log; about: object; words: string } }
  | { asked: { call: number; name: keyof Queue; given: unknown[] } }
  | { outcome: Outcome }
  | { bug: string }

const stop = new AbortController()
const waiting = new Map<number, (failure: string | null) => void>()
let calls = 0

const send = (message: FromAlone) => void process.send!(message)

/** Asks the queue by way of the parent. @throws ServiceError queue_away */
async function ask(name: keyof Queue, ...given: unknown[]): Promise<void> {
  const call = calls++
  send({ asked: { call, name, given } })
  const failure = await new Promise<string | null>((resolve) => void waiting.set(call, resolve))
  waiting.delete(call)
  if (failure !== null) throw new ServiceError('queue_away', failure)
}

const queue: Queue = {
  addParts: (...given) => ask('addParts', ...given),
  noteParts: (...given) => ask('noteParts', ...given),
  wake: (...given) => ask('wake', ...given),
}

/** Passes a line to the log of the parent, with the stack of an error, which would lose its type. */
function sayAt(level: keyof Log) {
  return (about: { err?: unknown }, words = '') => {
    const { err, ...rest } = about
    send({ said: { level, about: { ...rest, ...(err instanceof Error ? { stack: err.stack } : {}) }, words } })
  }
}
const log = { debug: sayAt('debug'), info: sayAt('info'), warn: sayAt('warn'), error: sayAt('error') } as Log

async function run({ tried, config }: { tried: Tried; config: WorkConfig }): Promise<Outcome> {
  const home = await openHome(config)
  const context: WorkContext = {
    ...home,
    uploads: openUploads(config.dataDir, home.objects),
    pool: createPool({ threads: config.engineThreads }),
    queue,
    config,
    splitSamples: config.splitSamples,
    deathsMax: config.jobDeathsMax,
    ttlMs: config.exportTtlHours * 3_600_000,
    log,
  }
  return kindOf(tried.jobId).run(tried, context, stop.signal, (progress) => send({ progress }))
}

keepLimits()
process.on('message', (message: ToAlone) => {
  if ('stop' in message) stop.abort(message.stop)
  else if ('answered' in message) waiting.get(message.answered.call)?.(message.answered.failure)
  else
    void run(message.begin).then(
      (outcome) => send({ outcome }),
      (error) => send({ bug: String(error?.stack ?? error) }),
    )
})
