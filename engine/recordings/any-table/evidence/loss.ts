/** Codes that trackers write for lost gaze, in both x and y. */
export const LOST_CODES = [0, -1, -9999, 9999, -99999, -32768, 1e8]
/** Bound in px that no screen exceeds. */
const BEYOND_PX = 20_000
/** Largest number of candidate codes, as pairs of numbers, in memory. */
const CODES_MAX = 1000

/** Two numbers that mark lost gaze, often equal, and the number of rows that have them. */
export type Code = { x: number; y: number; n: number }

/** A number that marks lost gaze where one axis alone has it, and the number of rows that have it. */
export type AxisCode = { axis: 'x' | 'y'; value: number; n: number }

/** Least size of a code that no position in px has. */
const SURE_LEAST = 9999
/** Least number of rows with any other code. */
const ROWS_LEAST = 5

/**
 * Finds codes for lost gaze: known ones, and any pair of numbers off the screen, left of and above it or far beyond it,
 * if it makes up most of the positions there: ClearView's is (−width, −height).
 */
export function openCodes() {
  const pairs = new Map<string, Code & { row: number; isKnown: boolean }>()
  let outside = 0
  const axes = { x: openAxis('x'), y: openAxis('y') }
  const isMost = ({ n, isKnown }: Code & { isKnown: boolean }) => isKnown || (n > 1 && 2 * n > outside)
  return {
    /** Returns whether a gaze is lost, judged by the rows read so far. */
    add: (x: number, y: number, row: number): boolean => {
      if (Number.isNaN(x) || Number.isNaN(y)) return true
      const isKnown = x === y && LOST_CODES.includes(x)
      if (!isKnown && [axes.x.add(x), axes.y.add(y)].includes(true)) return true
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
    foundInOne: (): AxisCode[] => [...axes.x.found(), ...axes.y.found()],
  }
}

/**
 * Finds known codes, other than 0, in one axis of rows whose other axis has no code: -1 only if most negative positions
 * of the axis are exactly that.
 */
function openAxis(axis: AxisCode['axis']) {
  const counts = new Map<number, number>()
  let negative = 0
  const isCode = (value: number, n: number) => Math.abs(value) >= SURE_LEAST || (n >= ROWS_LEAST && 2 * n > negative)
  return {
    /** Returns whether a position is lost, judged by the rows read so far. */
    add: (value: number): boolean => {
      if (value < 0) negative++
      if (value === 0 || !LOST_CODES.includes(value)) return false
      const n = (counts.get(value) ?? 0) + 1
      counts.set(value, n)
      return isCode(value, n)
    },
    found: (): AxisCode[] =>
      [...counts].flatMap(([value, n]) => (n > 1 && isCode(value, n) ? [{ axis, value, n }] : [])),
  }
}
