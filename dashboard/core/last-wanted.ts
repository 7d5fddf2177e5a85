/** Coalesces requests: sends one at a time, then the latest requested; those in between are never sent. */
type LastWanted<Wanted> = {
  want: (wanted: Wanted) => void
  /** Aborts the current request and clears the pending one. */
  drop: () => void
}

/** Timeout of an outdated request. Mostly its answer arrives before, and is drawn. */
const PATIENCE_MS = 500

/**
 * Coalesces requests for a value that changes faster than the server answers, such as a slider's.
 *
 * @param ask resolves when its answer has been handled, even without one; its signal aborts when the answer is no
 * longer wanted
 * @param patienceMs timeout of an outdated request
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
