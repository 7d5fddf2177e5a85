import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../engine/model/errors.ts'
import { OWN_SIGNALS, startLimitedProcess } from '../../engine/run/pool/limited-process.ts'
import { threadFile } from '../../engine/run/pool/thread-file.ts'
import type { JobContext } from '../tries/job-context.ts'
import type { Outcome, RunAlone, StopReason } from '../tries/try.ts'
import type { FromAlone, ToAlone, WorkConfig } from './alone-process.ts'

/** Memory of a process beside DuckDB, and of each of its threads: twice what exports and imports were seen to take. */
const PROCESS_MIB = 1024
const PER_THREAD_MIB = 512
/** Delay after which what harmed the machine may be over. */
const BACK_OFF_MS = 10_000

/**
 * Returns a function that runs a try alone, in a process with a memory limit, which this one survives. So it sees by
 * what that process ends: by a fault of its own, or by somebody else.
 */
export function runningAlone(
  config: WorkConfig,
  { queue, log }: Pick<JobContext, 'queue' | 'log'>,
  backOffMs = BACK_OFF_MS,
): RunAlone {
  const maxMib = PROCESS_MIB + config.engineMemoryMib + PER_THREAD_MIB * config.engineThreads
  return async (tried, stop, onProgress) => {
    await sleep(backOffMs, undefined, { signal: stop })
    const { child, ended } = startLimitedProcess(threadFile(import.meta.url, './alone-process.js'), maxMib)
    const tell = (message: ToAlone) => child.send(message, () => undefined)
    // Whether the job is over, the process finds out by itself.
    const passOn = () => typeof stop.reason === 'string' && tell({ stop: stop.reason as StopReason })
    stop.addEventListener('abort', passOn, { once: true })
    const answer = (call: number, asked: Promise<unknown>) =>
      asked.then(
        () => tell({ answered: { call, failure: null } }),
        (error) => tell({ answered: { call, failure: String(error?.message ?? error) } }),
      )
    const outcome = new Promise<Outcome>((resolve, reject) => {
      child.on('message', (message: FromAlone) => {
        if ('progress' in message) onProgress(message.progress)
        else if ('said' in message) log[message.said.level](message.said.about, message.said.words)
        else if ('asked' in message) {
          const { call, name, given } = message.asked
          void answer(call, (queue[name] as (...all: unknown[]) => Promise<void>)(...given))
        } else if ('outcome' in message) resolve(message.outcome)
        else reject(new Error(message.bug))
      })
      void ended.then(({ how, said }) => reject(causeOf(how, said, stop)))
    })
    try {
      tell({ begin: { tried, config } })
      if (stop.aborted) passOn()
      return await outcome
    } finally {
      stop.removeEventListener('abort', passOn)
      child.kill('SIGKILL')
      await ended
    }
  }
}

/** Returns the fault of a try whose process ended before it told an outcome. */
function causeOf(how: string | number, said: string, stop: AbortSignal): ServiceError {
  const cause = new Error(`the process of a job that ran alone ended by ${how}: ${said}`)
  if (!stop.aborted && (OWN_SIGNALS.includes(how) || typeof how === 'number'))
    return new ServiceError('set_aside', `its worker died, also of this job alone (${how})`, { cause })
  return new ServiceError('overloaded', 'the process of the job was ended by somebody else', { cause })
}
