import type { Log } from './job-context.ts'

/** Work that looks for itself what is to be done, every so often. */
export type Passes = {
  /** Runs a pass now, or joins the one under way: passes do not overlap. */
  pass: () => Promise<void>
  close: () => Promise<void>
}

/**
 * Runs a pass now, and one every `everyMs`, until it is closed. This carries what must go on while the queue is away,
 * or is what mends the queue: jobs that are put back, messages to webhooks, files that are merged.
 *
 * @param look aborted by its signal when it is closed
 * @param fault what the log calls a pass that failed
 * @param settle awaited at the end, after the last pass
 */
export function startPasses(
  look: (stopping: AbortSignal) => Promise<void>,
  { everyMs, fault, log, settle }: { everyMs: number; fault: string; log: Log; settle?: () => Promise<void> },
): Passes {
  const stopping = new AbortController()
  let passing: Promise<void> | null = null
  function pass(): Promise<void> {
    passing ??= look(stopping.signal)
      .catch((error) => log.error({ err: error }, fault))
      .finally(() => {
        passing = null
      })
    return passing
  }
  const timer = setInterval(() => void pass(), everyMs)
  void pass()
  return {
    pass,
    close: async () => {
      stopping.abort()
      clearInterval(timer)
      await passing
      await settle?.()
    },
  }
}
