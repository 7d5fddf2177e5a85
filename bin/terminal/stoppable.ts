import { ServiceError } from '../../engine/model/errors.ts'
import { onStopSignal, STOP_SIGNALS } from './stop-signals.ts'

/** Words for a command that was stopped, unless it has its own. */
export const COMMAND_CANCELED = 'the command was canceled'

/** Handles signals by ending the process, until a command takes over; set by the program's first lines. */
let endAtOnce: () => void = () => {}

export function setEndAtOnce(end: () => void): void {
  endAtOnce = end
}

/** Hands the signals that stop the program over to the caller, who has to clean up from then on. */
export function takeOverStop(): void {
  for (const signal of STOP_SIGNALS) process.off(signal, endAtOnce)
}

/**
 * Runs the work of a command with an AbortSignal that the signals of `STOP_SIGNALS` abort, so that it can clean up. If
 * the work is already done when they come, the command ends normally. A second one ends the process.
 */
export async function stoppable<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const isFirst = process.listeners('SIGINT').includes(endAtOnce)
  const ignore = onStopSignal(
    () => stop.abort(new ServiceError('canceled', COMMAND_CANCELED)),
    () => process.kill(process.pid, 'SIGKILL'),
  )
  takeOverStop()
  try {
    const result = await run(stop.signal)
    if (isFirst) process.exitCode = 0
    return result
  } finally {
    // What remains is printing and exiting. Added before the other listeners are removed: Node dies of a signal without
    // a listener.
    if (isFirst) for (const signal of STOP_SIGNALS) process.on(signal, endAtOnce)
    ignore()
  }
}
