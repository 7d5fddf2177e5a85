/** Runs a command that Ctrl-C and SIGTERM stop in an orderly way, so that it can clean up after itself. */
export async function stoppable<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const abort = () => stop.abort()
  process.once('SIGINT', abort).once('SIGTERM', abort)
  try {
    return await run(stop.signal)
  } finally {
    process.off('SIGINT', abort).off('SIGTERM', abort)
  }
}
