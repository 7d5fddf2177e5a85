/** The time in which an item was shown, on the clock of a recording; `test` is -1 until it has a sample. */
export type Span = { name: string; startMs: number; endMs: number; test: number }

/**
 * Finds the span of each sample of a recording, whose times mostly ascend.
 *
 * @param spans in time, none of which overlap; start is in, end is out
 * @returns for a time its span, or null outside of all
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

/** Returns the duration of a span in ms, to the µs; null while its end is open. */
export function spanDuration({ startMs, endMs }: Span): number | null {
  const durationMs = Math.round((endMs - startMs) * 1000) / 1000
  return Number.isFinite(durationMs) ? durationMs : null
}
