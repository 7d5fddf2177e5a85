/** Coalesces requests: sends one at a time, and next the latest wanted; those in between are never sent. */
type LastWanted<Wanted> = {
  want: (wanted: Wanted) => void
  /** Aborts what is under way, and forgets what is wanted. */
  drop: () => void
}

/** Time for which an outdated answer is still awaited: mostly it arrives and is drawn meanwhile. */
const PATIENCE_MS = 500

/**
 * Follows a value that changes faster than the server answers, such as a slider, as fast as answers come.
 *
 * @param ask resolves when its answer was dealt with, also when there is none; its signal says that the answer is not
 * wanted any more
 * @param patienceMs beyond it an answer that was overtaken is given up
 */
export function lastWanted<Wanted>(
  ask: (wanted: Wanted, signal: AbortSignal) => Promise<void>,
  patienceMs = PATIENCE_MS,
): LastWanted<Wanted> {
  let underWay: { stop: AbortController; since: number } | null = null
  let next: { wanted: Wanted } | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  async function begin(wanted: Wanted): Promise<void> {
    const own = { stop: new AbortController(), since: performance.now() }
    underWay = own
    await ask(wanted, own.stop.signal)
    if (underWay !== own) return
    underWay = null
    clearTimeout(timer)
    if (next !== null) goOn(next.wanted)
  }
  function goOn(wanted: Wanted): void {
    next = null
    void begin(wanted)
  }
  return {
    want: (wanted) => {
      if (underWay === null) return goOn(wanted)
      const { stop, since } = underWay
      if (next === null) timer = setTimeout(() => stop.abort(), since + patienceMs - performance.now())
      next = { wanted }
    },
    drop: () => {
      clearTimeout(timer)
      underWay?.stop.abort()
      underWay = null
      next = null
    },
  }
}
