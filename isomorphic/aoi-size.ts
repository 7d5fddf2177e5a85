/** Size of a part of an AOI in percent of the item, and the time in which the part counts; null for always. */
type SizedPart = { sizePercent: number; timeRange: { fromMs: number; toMs: number } | null }

/**
 * Returns the size of an AOI in percent of the item: the sum of its parts or, if every part has a time, the mean over
 * the time in which any of them counts, since an AOI that moves would otherwise grow with each position.
 */
export function meanSizePercent(parts: SizedPart[]): number {
  const timed = parts.flatMap(({ sizePercent, timeRange }) =>
    timeRange === null ? [] : [{ sizePercent, ...timeRange }],
  )
  if (timed.length < parts.length || parts.length === 0) return parts.reduce((sum, each) => sum + each.sizePercent, 0)
  const sized = timed.reduce((sum, { sizePercent, fromMs, toMs }) => sum + sizePercent * (toMs - fromMs), 0)
  return sized / coveredMs(timed)
}

/** Returns the length of the union of times. */
function coveredMs(times: { fromMs: number; toMs: number }[]): number {
  let [covered, end] = [0, Number.NEGATIVE_INFINITY]
  for (const { fromMs, toMs } of times.toSorted((one, other) => one.fromMs - other.fromMs)) {
    covered += Math.max(0, toMs - Math.max(fromMs, end))
    end = Math.max(end, toMs)
  }
  return covered
}
