import { type ChildProcess, spawn } from 'node:child_process'
import { ServiceError, stopReason } from '../../model/errors.ts'
import { threadFile } from '../../run/pool/thread-file.ts'
import type { Answered, Step, Steps } from './query-child.ts'
import { tooMuchMemory } from './refusal.ts'

/** A process that runs one query, step by step. */
export type QueryProcess = {
  pid: number | undefined
  /**
   * Lets the process do a step, and returns its answer.
   *
   * @throws ServiceError of the step; usage if the process needs more memory than it may have; as `stopReason`
   */
  ask: <S extends Step>(step: S, given: Parameters<Steps[S]>[0]) => Promise<Awaited<ReturnType<Steps[S]>>>
  /** Yields what the process writes during its last step, up to its end. */
  output: AsyncIterable<Uint8Array>
  /** Kills the process if it still runs, and waits for its end. */
  end: () => Promise<void>
}

/** Memory of Node and of encoding a row group, besides that of DuckDB and of its threads' stacks. */
const PROCESS_MIB = 384
const PER_THREAD_MIB = 16

/** Signals that end a process which gets no more memory, or which the system ends for its memory. */
const OF_MEMORY: unknown[] = ['SIGKILL', 'SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGBUS']

/**
 * Limits the data of a process before it begins: all memory that it may write, but not the addresses that Node only
 * reserves. Where the system does not heed that limit, the process watches itself.
 */
const LIMITED = 'ulimit -c 0; ulimit -d "$1"; shift; exec "$@"'

const SAID_MAX = 4000

type Options = {
  /** Memory limit of DuckDB; the process may have a constant more. */
  memoryMib: number
  threads: number
  /** Kills the process at once, whatever it does. */
  signal: AbortSignal
}

export function startQueryProcess({ memoryMib, threads, signal }: Options): QueryProcess {
  const maxKib = (memoryMib + PROCESS_MIB + PER_THREAD_MIB * threads) * 1024
  const own = [process.execPath, threadFile(import.meta.url, './query-child.js'), String(maxKib * 1024)]
  const child = spawn('/bin/sh', ['-c', LIMITED, 'sh', String(maxKib), ...own], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
    // Ctrl-C on a terminal reaches only the parent, which then says why the query ended.
    detached: true,
    // Each thread takes memory for its stack; one runs the query.
    env: { ...process.env, UV_THREADPOOL_SIZE: '4' },
  })
  const kill = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  const isOver = endOf(child).then(({ how, said }) => {
    signal.removeEventListener('abort', kill)
    return signal.aborted
      ? stopReason(signal)
      : OF_MEMORY.includes(how)
        ? tooMuchMemory(memoryMib)
        : new Error(`the process of the query ended by itself (${how}): ${said}`)
  })
  return {
    pid: child.pid,
    ask: async (step, given) => {
      const answering = new Promise<Answered>((resolve) => void child.once('message', resolve))
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

/** Waits for the end of a process: its signal, its exit code or why it could not start, and what it said. */
function endOf(child: ChildProcess): Promise<{ how: unknown; said: string }> {
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-SAID_MAX)
  })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ how: error.message, said }))
    child.once('exit', (code, signal) => resolve({ how: signal ?? code, said }))
  })
}
