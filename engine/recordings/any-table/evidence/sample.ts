import { isMissing } from '../../../../isomorphic/missing-text.ts'
import { makeDraft } from '../../draft/draft.ts'
import { type TableHead, tableHead } from '../../text/foreign-table.ts'
import { cellInstant, holdsInstants } from '../../text/instants.ts'
import type { SourceFile } from '../../text/source-files.ts'
import { forEachRow } from '../../text/table-body.ts'
import { cellNumber, repeatedText, type TableRows } from '../../text/table-rows.ts'
import { openRuns, type RowRuns } from './runs.ts'

/** Rows of a table, in windows spread over all of it, as columns: what a guess is tested on. */
export type Sample = {
  header: string[]
  n: number
  /** 1 for a row that does not follow the one before it. Length n. */
  isStart: Uint8Array
  columns: SampledColumn[]
  /** Runs of rows with the same names, over the whole table. */
  runs: RowRuns
}

/** A column of sampled rows; arrays of length n. */
export type SampledColumn = {
  /** NaN for a cell that is not a number; of dates with times, the ms since 1970. */
  numbers: Float64Array
  /** Index of a cell's text in `texts`; -1 for all cells once there are TEXTS_MAX texts. */
  codes: Int32Array
  /** Different texts in order of appearance; missing ones are ''. */
  texts: string[]
}

type Window = { index: number; n: number; numbers: Float64Array[]; codes: Int32Array[] }

const TEXTS_MAX = 64
const WINDOWS_MAX = 8
const WINDOW_ROWS = 2000
/** Largest number of cells in a window: wide tables have shorter ones. */
const WINDOW_CELLS = 200_000
/** Other files of a table that are read, and their largest size. */
const [OTHERS_MAX, OTHER_MAX_BYTES] = [3, 1 << 25]

/**
 * Samples the rows of a table in bounded memory: all of a short one, otherwise eight windows or fewer, evenly spread.
 *
 * @param others further files; those with the same header add their rows
 * @param isSample returns whether a row counts
 */
export async function takeSample(
  file: SourceFile,
  others: SourceFile[],
  isSample: (rows: TableRows) => boolean,
): Promise<Sample> {
  const { header } = tableHead(file)!
  const isAlike = (one: SourceFile) =>
    one !== file && one.sizeBytes <= OTHER_MAX_BYTES && tableHead(one)?.header.join('\n') === header.join('\n')
  const files = [file, ...others.filter(isAlike).slice(0, OTHERS_MAX)]
  const texts = header.map(() => new Map<string, number>())
  const runs = openRuns(tableHead(file)!)
  const windows: { last: boolean; window: Window }[] = []
  for (const one of files) {
    const { add, found } = openWindows(tableHead(one)!, texts)
    await forEachRow(one, makeDraft(''), (rows) => {
      if (!isSample(rows)) return
      add(rows)
      runs.add(rows)
    })
    runs.endFile()
    const kept = found()
    windows.push(...kept.map((window, i) => ({ last: i === kept.length - 1, window })))
  }
  return { header, ...joined(windows, texts), runs: runs.found() }
}

/**
 * Keeps windows of rows: whenever there are too many, every second one goes, and only every second further one comes.
 */
function openWindows({ header, rows: first, decimalMark }: TableHead, texts: Map<string, number>[]) {
  const most = Math.max(50, Math.min(WINDOW_ROWS, Math.floor(WINDOW_CELLS / header.length)))
  const areInstants = header.map((_, at) => holdsInstants(first, at))
  const readers = texts.map((_, at) => repeatedText(at))
  let windows: Window[] = []
  let [row, stride] = [0, 1]
  const begin = (index: number): void => {
    if (windows.length === WINDOWS_MAX) {
      stride *= 2
      windows = windows.filter((one) => one.index % stride === 0)
    }
    if (index % stride !== 0) return
    const numbers = texts.map(() => new Float64Array(most))
    windows.push({ index, n: 0, numbers, codes: texts.map(() => new Int32Array(most)) })
  }
  return {
    add: (rows: TableRows): void => {
      const index = Math.floor(row++ / most)
      if ((row - 1) % most === 0) begin(index)
      const window = windows.at(-1)!
      if (window.index !== index) return
      for (const [at, read] of readers.entries()) {
        window.numbers[at][window.n] = areInstants[at] ? cellInstant(rows, at) : cellNumber(rows, at, decimalMark)
        // A text of a column with many is not told from others, and need not be decoded.
        window.codes[at][window.n] = texts[at].size < TEXTS_MAX ? codeOf(read(rows), texts[at]) : -1
      }
      window.n++
    },
    found: () => windows,
  }
}

function codeOf(text: string, texts: Map<string, number>): number {
  const plain = isMissing(text) ? '' : text
  const known = texts.get(plain)
  if (known !== undefined) return known
  texts.set(plain, texts.size)
  return texts.size - 1
}

function joined(
  windows: { last: boolean; window: Window }[],
  texts: Map<string, number>[],
): Pick<Sample, 'n' | 'isStart' | 'columns'> {
  const n = windows.reduce((sum, { window }) => sum + window.n, 0)
  const isStart = new Uint8Array(n)
  const columns = texts.map(
    (known): SampledColumn => ({
      ...{ numbers: new Float64Array(n), codes: new Int32Array(n), texts: [...known.keys()] },
    }),
  )
  let at = 0
  for (const [i, { window }] of windows.entries()) {
    const before = windows[i - 1]
    const follows = before !== undefined && !before.last && before.window.index + 1 === window.index
    if (window.n > 0 && !follows) isStart[at] = 1
    for (const [k, { numbers, codes }] of columns.entries()) {
      numbers.set(window.numbers[k].subarray(0, window.n), at)
      codes.set(window.codes[k].subarray(0, window.n), at)
    }
    at += window.n
  }
  return { n, isStart, columns }
}
