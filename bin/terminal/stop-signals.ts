import { isByNohup } from './parents.ts'

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Signals that end the program: Ctrl-C, a supervisor and, without `nohup`, a terminal that closes. */
export const STOP_SIGNALS: readonly StopSignal[] = isByNohup(process.env)
  ? ['SIGINT', 'SIGTERM']
  : ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Time in which several signals are one: npm passes Ctrl-C on to a process that the terminal has interrupted, too. */
const SAME_MS = 500

/**
 * Listens for signals that stop the program.
 *
 * @param stop called with the first
 * @param again called with a later one of someone who will not wait
 * @returns a function that stops listening
 */
export function onStopSignal(
  stop: (signal: StopSignal) => void,
  again: () => void = () => {},
  signals: readonly StopSignal[] = STOP_SIGNALS,
): () => void {
  let firstAtMs: number | null = null
  const listener = (signal: StopSignal) => {
    if (firstAtMs === null) {
      firstAtMs = performance.now()
      stop(signal)
      // A shell and its terminal each send SIGHUP, at their own times.
    } else if (signal !== 'SIGHUP' && performance.now() - firstAtMs > SAME_MS) again()
  }
  for (const signal of signals) process.on(signal, listener)
  return () => {
    for (const signal of signals) process.off(signal, listener)
  }
}
