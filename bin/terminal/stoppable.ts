/** Ends the process on Ctrl-C or SIGTERM until a command takes that over; set by the program's first lines. */
let endAtOnce: () => void = () => {}

export function setEndAtOnce(end: () => void): void {
  endAtOnce = end
}

/** Hands Ctrl-C and SIGTERM over to the caller, who has something to clean up from here on. */
export function takeOverStop(): void {
  process.off('SIGINT', endAtOnce).off('SIGTERM', endAtOnce)
}

/**
 * Runs all the work of a command, which Ctrl-C and SIGTERM stop in an orderly way, so that it can clean up after
 * itself. What is done when they come is done: the command then ends as if they had not come.
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
    // What is left is to print and to end. Before the others are gone: Node dies of a signal that nobody listens to.
    if (isFirst) process.on('SIGINT', endAtOnce).on('SIGTERM', endAtOnce)
    process.off('SIGINT', abort).off('SIGTERM', abort)
  }
}
