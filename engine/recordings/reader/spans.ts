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
    if (at > 0 && tMs < spans[at - 1].endMs) at = 0
    while (at < spans.length && tMs >= spans[at].endMs) at++
    return at < spans.length && tMs >= spans[at].startMs ? spans[at] : null
  }
}

/** Returns the ms between the borders of a span, to the µs; null while its end is open. */
export function spanDuration({ startMs, endMs }: Span): number | null {
  const durationMs = Math.round((endMs - startMs) * 1000) / 1000
  return Number.isFinite(durationMs) ? durationMs : null
}
