import type { Log } from './tries/job-context.ts'

/** Periodic work that finds out by itself what to do. */
export type Passes = {
  /** Runs a pass now, or joins the one in progress: passes do not overlap. */
  pass: () => Promise<void>
  close: () => Promise<void>
}

/**
 * Runs a pass now, and one every `everyMs`, until it is closed. Passes do the work that must go on while the queue is
 * unavailable, or that repairs the queue: queueing lost jobs again, delivering messages, merging files.
 *
 * @param look runs a pass; its signal aborts on close
 * @param fault text with which the log names a failed pass
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
