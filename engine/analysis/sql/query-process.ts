import { ServiceError, stopReason } from '../../model/errors.ts'
import { OWN_SIGNALS, startLimitedProcess } from '../../run/pool/limited-process.ts'
import { threadFile } from '../../run/pool/thread-file.ts'
import type { QueryStep, StepAnswer, Steps } from './query-child.ts'
import { tooMuchMemory } from './refusal.ts'

/** A process that runs one query, step by step. */
export type QueryProcess = {
  pid: number | undefined
  /**
   * Lets the process do a step, and returns its answer.
   *
   * @throws ServiceError of the step; usage if the process needs more memory than it may have; as `stopReason`
   */
  ask: <S extends QueryStep>(step: S, given: Parameters<Steps[S]>[0]) => Promise<Awaited<ReturnType<Steps[S]>>>
  /** Yields what the process writes during its last step, up to its end. */
  output: AsyncIterable<Uint8Array>
  /** Kills the process if it still runs, and waits for its end. */
  end: () => Promise<void>
}

/** Memory of Node and of encoding a row group, besides that of DuckDB and of its threads' stacks. */
const PROCESS_MIB = 384
const PER_THREAD_MIB = 16

type Options = {
  /** Memory limit of DuckDB; the process may have a constant more. */
  memoryMib: number
  threads: number
  /** Kills the process at once, whatever it does. */
  signal: AbortSignal
}

export function startQueryProcess({ memoryMib, threads, signal }: Options): QueryProcess {
  const maxMib = memoryMib + PROCESS_MIB + PER_THREAD_MIB * threads
  // Each thread takes memory for its stack; one runs the query.
  const env = { UV_THREADPOOL_SIZE: '4' }
  const { child, ended } = startLimitedProcess(threadFile(import.meta.url, './query-child.js'), maxMib, env)
  const kill = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  const isOver = ended.then(({ how, said }) => {
    signal.removeEventListener('abort', kill)
    if (signal.aborted) return stopReason(signal)
    // The system ends what takes too much memory by SIGKILL.
    if (how === 'SIGKILL' || OWN_SIGNALS.includes(how)) return tooMuchMemory(memoryMib, said)
    return new Error(`the process of the query ended by itself (${how}): ${said}`)
  })
  return {
    pid: child.pid,
    ask: async (step, given) => {
      const answering = new Promise<StepAnswer>((resolve) => void child.once('message', resolve))
      // Whether it can still be asked shows in its end.
      child.send({ step, given }, () => undefined)
      const answered = await Promise.race([answering, isOver])
      if (answered instanceof Error) throw answered
      if ('answer' in answered) return answered.answer as never
      if ('bug' in answered) throw new Error(answered.bug)
      const { code, message, detail } = answered.failed
      throw new ServiceError(code, message, { cause: detail })
    },
    output: child.stdout!,
    end: async () => {
      kill()
      child.stdout!.destroy()
      await isOver
    },
  }
}
