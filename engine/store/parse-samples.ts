import { SAMPLE_COLUMNS } from './sample-columns.ts'
import { ID_BYTES, type Lines, sampleLines } from './sample-lines.ts'

/**
 * Reads what samples.csv mostly is: an id, plain numbers and flags between commas, a row a line. Anything else, also anything wrong,
 * makes it give up, and DuckDB and check-samples.ts see to it; so what is taken here must mean the same there (SPEC section 2).
 * Twice as fast as DuckDB's reader, which has to be ready for everything.
 */
export type PlainRows = {
  n: number
  /** Those of tests, as they stand in the file. */
  ids: string[]
  /** Of each row, in `ids`. */
  test: Int32Array
  tUs: Float64Array
  gazeXPx: Float64Array
  gazeYPx: Float64Array
  scrollYPx: Float64Array
  mouseXPx: Float64Array
  mouseYPx: Float64Array
  /** 0 or 1. */
  isClick: Uint8Array
  /** What all of these look at. */
  memory: ArrayBuffer
}

const [T_MS, SCROLL_Y, IS_CLICK] = (['t_ms', 'scroll_y_px', 'is_click'] as const).map((name) =>
  SAMPLE_COLUMNS.indexOf(name),
)

/**
 * Reads whole lines, which lie in the memory of `sampleLines`.
 *
 * @param order of each column of the file, its place in SAMPLE_COLUMNS; test_id and t_ms must be among them
 * @returns null when any line is not plain
 */
export function parseSamples(start: number, end: number, order: Uint8Array): PlainRows | null {
  const lines = sampleLines()
  // Fewer bytes than the shortest line would have rows beyond the columns.
  const most = Math.ceil((end - start) / (ID_BYTES + order.length))
  lines.order.set(order)
  lines.ids.clear()
  for (const [i, values] of lines.numbers.entries()) {
    const place = T_MS + i
    if (!order.includes(place)) values.fill(place === SCROLL_Y ? 0 : Number.NaN, 0, most)
  }
  if (!order.includes(IS_CLICK)) lines.isClick.fill(0, 0, most)
  const n = lines.read(start, end, order.length - 1, most)
  return n < 0 ? null : copied(lines, n)
}

/** The first rows, all in one piece of memory, for whoever is sent them. */
function copied({ numbers, test, isClick, ids }: Lines, n: number): PlainRows {
  const memory = new ArrayBuffer(n * (numbers.length * 8 + 4 + 1))
  const [tUs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx] = numbers.map((column, i) => {
    const values = new Float64Array(memory, i * n * 8, n)
    values.set(column.subarray(0, n))
    return values
  })
  const testOfRow = new Int32Array(memory, numbers.length * n * 8, n)
  testOfRow.set(test.subarray(0, n))
  const flags = new Uint8Array(memory, n * (numbers.length * 8 + 4), n)
  flags.set(isClick.subarray(0, n))
  return {
    n,
    ids: [...ids.keys()],
    test: testOfRow,
    tUs,
    gazeXPx,
    gazeYPx,
    scrollYPx,
    mouseXPx,
    mouseYPx,
    isClick: flags,
    memory,
  }
}
