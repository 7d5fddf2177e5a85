/**
 * Computes quality grades (docs/metrics.md, "Quality grades"): the lowest of three partial grades, from 1 (Very Low) to
 * 6 (Perfect). All sums are whole µs and counts, and all comparisons are exact, so a grade never depends on the order
 * of samples or tests.
 */

/** Sums that a test adds to its own grade and to that of its participant. */
export type GazeSums = {
  /** Samples with gaze and t ≥ 0. */
  validCount: number
  /** Time from the first valid sample to the last, µs. */
  spanUs: number
  /**
   * Sum of gaps longer than 50 ms, in full, including the time from 0 to the first sample and from the last to the
   * duration, µs.
   */
  missingUs: number
  /** Given duration; otherwise the largest time of all samples, including lost ones, at least 0, µs. */
  durationUs: number
  /** Valid samples inside the browser window, and valid samples with a known window; 0 of 0 without a window. */
  onScreenCount: number
  windowedCount: number
}

const GAP_US = 50_000
/** Grades, best first: grade, Hz, % of data, % on screen, each "at least". */
const GRADES: [grade: number, hz: bigint, integrity: bigint, onScreen: bigint][] = [
  [6, 28n, 97n, 95n],
  [5, 24n, 93n, 90n],
  [4, 20n, 85n, 80n],
  [3, 15n, 70n, 65n],
  [2, 8n, 40n, 40n],
]

/** Returns what a test needs for a grade of 2 or more: samples with gaze per second, % of data, % on screen. */
export function gradeConditions(grade: number): { hz: number; integrity: number; onScreen: number } | null {
  const found = GRADES.find(([each]) => each === grade)
  return found ? { hz: Number(found[1]), integrity: Number(found[2]), onScreen: Number(found[3]) } : null
}

/**
 * Measures the samples of one test for its grade.
 *
 * @param tUs whole µs, in recorded order, length n
 * @param xPx, yPx gaze, NaN if lost, length n
 * @param start, end of the test's samples in those arrays, half-open
 * @param durationUs from the bundle, or null
 * @param window size of the browser window in px, or null if unknown
 */
export function measureGaze(
  tUs: Float64Array,
  xPx: Float64Array,
  yPx: Float64Array,
  start: number,
  end: number,
  durationUs: number | null,
  window: { widthPx: number; heightPx: number } | null,
): GazeSums {
  const widthPx = window?.widthPx ?? -1
  const heightPx = window?.heightPx ?? -1
  let times = new Float64Array(end - start)
  let validCount = 0
  let onScreenCount = 0
  let lastOfAllUs = 0
  let ascending = true
  for (let i = start; i < end; i++) {
    const t = tUs[i]
    if (t > lastOfAllUs) lastOfAllUs = t
    if (t < 0 || Number.isNaN(xPx[i]) || Number.isNaN(yPx[i])) continue
    if (validCount > 0 && t < times[validCount - 1]) ascending = false
    times[validCount++] = t
    if (xPx[i] >= 0 && xPx[i] <= widthPx && yPx[i] >= 0 && yPx[i] <= heightPx) onScreenCount++
  }
  times = times.subarray(0, validCount)
  if (!ascending) times.sort()
  const wholeUs = durationUs ?? lastOfAllUs
  let missingUs = 0
  let previousUs = 0
  for (let i = 0; i < validCount; i++) {
    const gapUs = times[i] - previousUs
    if (gapUs > GAP_US) missingUs += gapUs
    previousUs = times[i]
  }
  if (wholeUs - previousUs > GAP_US) missingUs += wholeUs - previousUs
  return {
    validCount,
    spanUs: validCount > 0 ? times[validCount - 1] - times[0] : 0,
    missingUs,
    durationUs: wholeUs,
    onScreenCount,
    windowedCount: window ? validCount : 0,
  }
}

/** Returns the grade, 1 to 6, of one test, or of a participant from the sums over their tests. */
export function qualityGrade(tests: GazeSums[]): number {
  const sum = (value: (test: GazeSums) => number) => tests.reduce((total, test) => total + BigInt(value(test)), 0n)
  if (tests.every(({ validCount }) => validCount === 0)) return 1
  const steps = sum(({ validCount }) => Math.max(0, validCount - 1))
  const span = sum(({ spanUs }) => spanUs)
  const missing = sum(({ missingUs }) => missingUs)
  const duration = sum(({ durationUs }) => durationUs)
  const onScreen = sum(({ onScreenCount }) => onScreenCount)
  const windowed = sum(({ windowedCount }) => windowedCount)
  for (const [grade, hz, integrity, screen] of GRADES) {
    const fast = span > 0n && steps * 1_000_000n >= hz * span
    const whole = duration > 0n && (duration - missing) * 100n >= integrity * duration
    if (fast && whole && onScreen * 100n >= screen * windowed) return grade
  }
  return 1
}
