import { isMissing } from '../../../../isomorphic/missing-text.ts'
import type { TableHead } from '../../text/foreign-table.ts'
import { cellInstant, holdsInstants, instantIn } from '../../text/instants.ts'
import { numberIn } from '../../text/parse-number.ts'
import { cellNumber, repeatedText, type TableRows } from '../../text/table-rows.ts'

/** Runs of rows in which no column of names changes: what may be tests. Arrays of length n. */
export type RowRuns = {
  n: number
  /** Columns that keep a value for many rows, and each run's value in them. */
  labels: { column: number; values: string[] }[]
  /** Columns of numbers that grow, with each run's first and last. */
  clocks: { column: number; first: Float64Array; last: Float64Array }[]
  rows: Int32Array
  /** Index of the file of a run. */
  files: Int32Array
}

const RUNS_MAX = 5000
const [LABELS_MAX, CLOCKS_MAX] = [40, 8]
/** Least mean number of rows for which a name stays the same, and least share of rows in which a clock grows. */
const [ROWS_LEAST, GROWS_LEAST] = [5, 0.3]

/** Opens the search for runs; columns are chosen by the first rows. */
export function openRuns(table: TableHead) {
  const labels = labelsOf(table).map((column) => ({ column, text: repeatedText(column), values: [] as string[] }))
  const clocks = clocksOf(table).map((column) => {
    const isInstant = holdsInstants(table.rows, column)
    const read = (rows: TableRows) =>
      isInstant ? cellInstant(rows, column) : cellNumber(rows, column, table.decimalMark)
    return { column, read, first: [] as number[], last: [] as number[] }
  })
  const [rowCounts, files]: [number[], number[]] = [[], []]
  let [file, isNew] = [0, true]
  let last: string[] = []
  return {
    add: (rows: TableRows): void => {
      let isOther = isNew
      for (let i = 0; i < labels.length && !isOther; i++) isOther = labels[i].text(rows) !== last[i]
      if (isOther && rowCounts.length < RUNS_MAX) {
        last = labels.map(({ text }) => text(rows))
        for (const [i, { values }] of labels.entries()) values.push(isMissing(last[i]) ? '' : last[i])
        for (const { read, first, last: ends } of clocks) {
          first.push(read(rows))
          ends.push(Number.NaN)
        }
        rowCounts.push(0)
        files.push(file)
      } else if (isOther) return
      isNew = false
      const run = rowCounts.length - 1
      rowCounts[run]++
      for (const { read, last: ends } of clocks) {
        const value = read(rows)
        if (value - value === 0) ends[run] = value
      }
    },
    endFile: (): void => {
      file++
      isNew = true
    },
    found: (): RowRuns => ({
      n: rowCounts.length,
      labels: labels.map(({ column, values }) => ({ column, values })),
      clocks: clocks.map(({ column, first, last: ends }) => ({
        ...{ column, first: Float64Array.from(first), last: Float64Array.from(ends) },
      })),
      rows: Int32Array.from(rowCounts),
      files: Int32Array.from(files),
    }),
  }
}

/** Finds columns of texts or whole numbers that keep a value for several rows. */
function labelsOf({ header, rows, decimalMark }: TableHead): number[] {
  const found = header.flatMap((_, at) => {
    const texts = rows.map((cells) => (cells[at] ?? '').trim()).filter((text) => !isMissing(text))
    const changes = texts.filter((text, i) => i > 0 && text !== texts[i - 1]).length
    const isName = texts.every((text) => {
      const number = numberIn(text, decimalMark)
      return Number.isNaN(number) || Number.isInteger(number)
    })
    return texts.length > 0 && isName && texts.length >= ROWS_LEAST * (changes + 1) ? [at] : []
  })
  return found.slice(0, LABELS_MAX)
}

function clocksOf({ header, rows, decimalMark }: TableHead): number[] {
  const found = header.flatMap((_, at) => {
    const read = holdsInstants(rows, at) ? instantIn : (text: string) => numberIn(text, decimalMark)
    const values = rows.map((cells) => read(cells[at] ?? '')).filter((value) => !Number.isNaN(value))
    const grows = values.filter((value, i) => i > 0 && value > values[i - 1]).length
    const falls = values.filter((value, i) => i > 0 && value < values[i - 1]).length
    return values.length > 2 && grows >= GROWS_LEAST * (values.length - 1) && falls <= grows / 4 ? [at] : []
  })
  return found.slice(0, CLOCKS_MAX)
}
