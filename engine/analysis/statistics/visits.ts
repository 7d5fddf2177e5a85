/** Visits of AOIs as columns of equal length: indexes of test and AOI, times in ms from item onset. */
export type VisitColumns = {
  n: number
  test: Int32Array
  aoi: Int32Array
  startsAtMs: Float64Array
  endsAtMs: Float64Array
  dwellMs: Float64Array
}

/** Summary of an AOI's visits; means are null without a visit. */
type VisitSummary = {
  /** Number of tests with a visit, and of visits in all of them. */
  tests: number
  visits: number
  /** Mean over the tests with a visit. */
  perTest: number | null
  dwellMs: number | null
  durationMs: number | null
}

/** Summarizes visits by AOI. */
export function summarizeVisits(columns: VisitColumns, aoiCount: number): VisitSummary[] {
  const { n, test, aoi, startsAtMs, endsAtMs, dwellMs } = columns
  const tests = Array.from({ length: aoiCount }, () => new Set<number>())
  const [visits, dwell, duration] = [0, 1, 2].map(() => new Float64Array(aoiCount))
  for (let v = 0; v < n; v++) {
    const a = aoi[v]
    tests[a].add(test[v])
    visits[a]++
    dwell[a] += dwellMs[v]
    duration[a] += endsAtMs[v] - startsAtMs[v]
  }
  return tests.map(({ size }, a) => ({
    tests: size,
    visits: visits[a],
    perTest: size === 0 ? null : visits[a] / size,
    dwellMs: size === 0 ? null : dwell[a] / visits[a],
    durationMs: size === 0 ? null : duration[a] / visits[a],
  }))
}

/**
 * Returns the percent of tests that are in a visit of each AOI at each time, among the tests that have not ended by
 * then. A test that has ended counts as missing, not as outside the AOI. A visit includes its start and excludes its
 * end.
 *
 * @param untilMs end of each test; NaN if unknown, which means never
 * @param timesMs ascending, of length m
 * @returns `tests` that have not ended, of length m; `percents` by AOI, each of length m, NaN if all have ended
 */
export function visitingAt(
  { n, test, aoi, startsAtMs, endsAtMs }: VisitColumns,
  untilMs: Float64Array,
  aoiCount: number,
  timesMs: Float64Array,
): { tests: Int32Array; percents: Float64Array[] } {
  const tests = new Int32Array(timesMs.length)
  const isOver = (place: number, t: number) => t >= untilMs[place]
  for (let place = 0; place < untilMs.length; place++)
    for (let i = 0; i < timesMs.length; i++) if (!isOver(place, timesMs[i])) tests[i]++
  const percents = Array.from({ length: aoiCount }, () => new Float64Array(timesMs.length))
  for (let v = 0; v < n; v++) {
    const own = percents[aoi[v]]
    for (let i = 0; i < timesMs.length && timesMs[i] < endsAtMs[v]; i++)
      if (timesMs[i] >= startsAtMs[v] && !isOver(test[v], timesMs[i])) own[i]++
  }
  for (const own of percents) for (let i = 0; i < own.length; i++) own[i] = (100 * own[i]) / tests[i]
  return { tests, percents }
}
