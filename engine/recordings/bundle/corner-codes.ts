/** Positions in a corner of the window or beyond it: their number, and that of each of them. */
export type Corners = { all: number; counts: Map<string, CornerCode> }

/** Position in px, and the number of samples that have it. */
type CornerCode = { xPx: number; yPx: number; n: number }

/** Largest number of different positions in memory. */
const POSITIONS_MAX = 1000
/** Least number of equal positions, and share of all gaze, that are reported. */
const [CODES_LEAST, SHARE_LEAST] = [5, 0.01]

export function noCorners(): Corners {
  return { all: 0, counts: new Map() }
}

/** Adds a position in px of the window, if it is in a corner or beyond one. */
export function addCornerGaze(corners: Corners, xPx: number, yPx: number, widthPx: number, heightPx: number): void {
  const isOut = (xPx <= 0 || xPx >= widthPx) && (yPx <= 0 || yPx >= heightPx)
  if (!isOut) return
  corners.all++
  const key = `${xPx} ${yPx}`
  const known = corners.counts.get(key)
  if (known !== undefined) known.n++
  else if (corners.counts.size < POSITIONS_MAX) corners.counts.set(key, { xPx, yPx, n: 1 })
}

/**
 * Returns the position that most of those in corners are, to the last digit, as if it marks lost gaze; null if none
 * comes again and again.
 *
 * @param seen number of all positions
 */
export function cornerCode({ all, counts }: Corners, seen: number): CornerCode | null {
  const codes = [...counts.values()]
  return codes.find(({ n }) => 2 * n > all && n >= CODES_LEAST && n >= SHARE_LEAST * seen) ?? null
}
