/** Time span of an item, on the clock of a recording; `test` is -1 until it has a sample. */
export type Span = { name: string; startMs: number; endMs: number; test: number }

/**
 * Returns a function that finds the span of each sample of a recording, optimised for times that mostly ascend.
 *
 * @param spans ordered by time, without overlaps; half-open
 * @returns a function from a time to its span, or null outside of all
 */
export function spanFinder(spans: Span[]): (tMs: number) => Span | null {
  let at = 0
  return (tMs) => {
    const isHere = at < spans.length && tMs < spans[at].endMs && (at === 0 || tMs >= spans[at - 1].endMs)
    if (!isHere) at = firstEndingAfter(spans, tMs)
    return at < spans.length && tMs >= spans[at].startMs ? spans[at] : null
  }
}

function firstEndingAfter(spans: Span[], tMs: number): number {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (tMs >= spans[middle].endMs) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the duration of a span in ms, rounded to µs; null while its end is open. */
export function spanDuration({ startMs, endMs }: Span): number | null {
  const durationMs = Math.round((endMs - startMs) * 1000) / 1000
  return Number.isFinite(durationMs) ? durationMs : null
}
