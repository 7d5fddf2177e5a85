import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { openThrottle } from '../../storage/concurrency/intervals.ts'

/** Time after a small export during which another one is expected. */
const FAVOR_MS = 100
/** Pause between two blocks of a job, four times what hashing and copying a block takes. */
const PAUSE_MS = 2

/** Limits shards of jobs to all threads, or to all but one while small exports are requested. */
export type JobLimiter = {
  /** Announces a small export: for a moment, jobs leave one of several threads free. */
  prioritizeSmall: () => void
  /**
   * Yields between two blocks of a job to work that arrived meanwhile, for longer while small exports are requested.
   */
  giveWay: () => Promise<void>
  /** Waits for a slot, and releases it when `work` has settled. */
  pass: <T>(work: () => Promise<T>) => Promise<T>
  waiting: () => number
}

/** Creates the limiter for shards of jobs. @param threads if there is only one, jobs may use it */
export function openJobLimiter(threads: number): JobLimiter {
  const line: (() => void)[] = []
  let passing = 0
  /** Due when small exports are no longer favored. */
  const favor = openThrottle()
  let isPutOff = false

  function letIn(): void {
    const favorMs = favor.restMs()
    const places = favorMs > 0 ? Math.max(1, threads - 1) : threads
    while (passing < places && line.length > 0) {
      passing++
      line.shift()!()
    }
    if (line.length > 0 && favorMs > 0 && !isPutOff) void letInAfter(favorMs)
  }

  /** Admits waiting shards when the time for small exports is over, since no other event signals that. */
  async function letInAfter(favorMs: number): Promise<void> {
    isPutOff = true
    await sleep(favorMs + 1)
    isPutOff = false
    letIn()
  }

  return {
    prioritizeSmall: () => favor.putOff(FAVOR_MS),
    giveWay: () => (favor.isDue() ? setImmediate() : sleep(PAUSE_MS)),
    pass: async (work) => {
      await new Promise<void>((resolve) => {
        line.push(resolve)
        letIn()
      })
      try {
        return await work()
      } finally {
        passing--
        letIn()
      }
    },
    waiting: () => line.length,
  }
}
