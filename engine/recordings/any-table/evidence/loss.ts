/** Codes that trackers write for lost gaze, in both x and y. */
export const LOST_CODES = [0, -1, -9999, 9999, -99999, -32768, 1e8]
/** Bound in px that no screen exceeds. */
const BEYOND_PX = 20_000
/** Largest number of candidate codes, as pairs of numbers, in memory. */
const CODES_MAX = 1000

/** Two numbers that mark lost gaze, often equal, and the number of rows that have them. */
export type Code = { x: number; y: number; n: number }

/**
 * Finds codes for lost gaze: known ones, and any pair of numbers off the screen, left of and above it or far beyond it,
 * if it makes up most of the positions there: ClearView's is (−width, −height).
 */
export function openCodes() {
  const pairs = new Map<string, Code & { row: number; isKnown: boolean }>()
  let outside = 0
  const isMost = ({ n, isKnown }: Code & { isKnown: boolean }) => isKnown || (n > 1 && 2 * n > outside)
  return {
    /** Returns whether a gaze is lost, judged by the rows read so far. */
    add: (x: number, y: number, row: number): boolean => {
      if (Number.isNaN(x) || Number.isNaN(y)) return true
      const isKnown = x === y && LOST_CODES.includes(x)
      if (!isKnown && !(x < 0 && y < 0) && !(x > BEYOND_PX && y > BEYOND_PX)) return false
      if (!isKnown) outside++
      const key = `${x} ${y}`
      const pair = pairs.get(key) ?? { x, y, n: 0, row: -1, isKnown }
      if (pair.n === 0 && pairs.size < CODES_MAX) pairs.set(key, pair)
      // A row counts once for both eyes.
      if (pair.row === row && !isKnown) outside--
      if (pair.row !== row) pair.n++
      pair.row = row
      return isMost(pair)
    },
    found: (): Code[] => [...pairs.values()].filter(isMost).map(({ x, y, n }) => ({ x, y, n })),
  }
}
