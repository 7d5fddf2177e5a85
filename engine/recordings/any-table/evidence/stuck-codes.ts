import { type Code, LOST_CODES } from './loss.ts'

/** Least number of equal positions in a row, and of all together, that are a code for lost gaze. */
const [RUN_LEAST, ROWS_LEAST] = [3, 5]
/** Largest share of other positions that repeat the one before, as where gaze has few digits. */
const REPEATS_MOST = 0.05
/** Least number of other positions. */
const OTHERS_LEAST = 30

type Stuck = Code & { runs: number }

/**
 * Finds positions that come again and again for several rows, to the last digit, where no other position does: no eye
 * rests like that, so they mark lost gaze, whatever their value.
 *
 * @param isStart 1 for a row that does not follow the one before it
 */
export function findStuckCodes(x: Float64Array, y: Float64Array, isStart: Uint8Array): Code[] {
  const found = new Map<string, Stuck>()
  let [repeats, steps] = [0, 0]
  for (let from = 0; from < x.length; ) {
    let to = from + 1
    while (to < x.length && !isStart[to] && x[to] === x[from] && y[to] === y[from]) to++
    if (x[from] - y[from] - (x[from] - y[from]) === 0) {
      steps += to - from
      repeats += to - from - 1
      if (to - from >= RUN_LEAST) addRun(found, x[from], y[from], to - from)
    }
    from = to
  }
  const codes = [...found.values()].filter(({ x: codeX, y: codeY, n, runs }) => {
    const isPlain = codeX === codeY && LOST_CODES.includes(codeX)
    return n >= ROWS_LEAST && (runs > 1 || isPlain || isOutside(x, y, codeX, codeY))
  })
  const coded = codes.reduce((sum, { n }) => sum + n, 0)
  const moving = steps - coded
  const others = repeats - codes.reduce((sum, { n, runs }) => sum + n - runs, 0)
  return moving >= OTHERS_LEAST && others <= REPEATS_MOST * moving ? codes.map(({ x, y, n }) => ({ x, y, n })) : []
}

function addRun(found: Map<string, Stuck>, x: number, y: number, rows: number): void {
  const key = `${x} ${y}`
  const known = found.get(key) ?? { x, y, n: 0, runs: 0 }
  known.n += rows
  known.runs++
  found.set(key, known)
}

/** Returns whether all other positions lie on one side of a position, in both axes. */
function isOutside(x: Float64Array, y: Float64Array, codeX: number, codeY: number): boolean {
  const isBeyond = (values: Float64Array, code: number) =>
    values.every((value) => !(value >= code)) || values.every((value) => !(value <= code))
  const others = (values: Float64Array) =>
    values.map((value, i) => (x[i] === codeX && y[i] === codeY ? Number.NaN : value))
  return isBeyond(others(x), codeX) && isBeyond(others(y), codeY)
}
