/** Handles Ctrl-C and SIGTERM by ending the process, until a command takes over; set by the program's first lines. */
let endAtOnce: () => void = () => {}

export function setEndAtOnce(end: () => void): void {
  endAtOnce = end
}

/** Hands Ctrl-C and SIGTERM over to the caller, who has to clean up from then on. */
export function takeOverStop(): void {
  process.off('SIGINT', endAtOnce).off('SIGTERM', endAtOnce)
}

/**
 * Runs the work of a command with a signal that Ctrl-C and SIGTERM abort, so that it can clean up. If the work is
 * already done when they come, the command ends normally.
 */
export async function stoppable<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const abort = () => stop.abort()
  const isFirst = process.listeners('SIGINT').includes(endAtOnce)
  process.once('SIGINT', abort).once('SIGTERM', abort)
  takeOverStop()
  try {
    const result = await run(stop.signal)
    if (isFirst) process.exitCode = 0
    return result
  } finally {
    // What remains is printing and exiting. Added before the other listeners are removed: Node dies of a signal without
    // a listener.
    if (isFirst) process.on('SIGINT', endAtOnce).on('SIGTERM', endAtOnce)
    process.off('SIGINT', abort).off('SIGTERM', abort)
  }
}
