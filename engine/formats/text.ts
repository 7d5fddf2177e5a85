import type { Cells, Column, Rows, TupleCells, Value } from '../model/columns.ts'
import { encode } from '../text/cells.ts'
import { writeRows } from '../text/rows.ts'
import { type ByteSink, flush } from '../text/sink.ts'
import type { NumberStep, WriteStep } from '../text/steps.ts'
import type { Encoder } from './encoder.ts'

/** Syntax of rows in a text format. Texts are ASCII except for cells. */
type Dialect = {
  /** Bytes before the cell of each column, and after the last. */
  before: string[]
  behind: string
  /** Formats a nullable text as a cell. */
  cell: (value: Value, column: Column) => string
  /** Text of a missing number or text in a column. */
  missing: (column: Column) => string
  /** Text around a JSON cell without quotes; both sides are omitted for an empty list. */
  quote: string
  /**
   * Text around a number that is present, for formats whose cells are typed. Such formats have bytes only before the
   * first cell.
   */
  number?: { open: string; close: string }
  /** True to write numbers with a decimal comma; those in JSON keep the point. */
  hasDecimalComma?: boolean
}

/** Formats rows as text. Anything constant over a test is formatted once for it. */
export function textEncoder(columns: Column[], dialect: Dialect, sink: ByteSink): Encoder {
  const before = dialect.before.map(encode)
  const missing = columns.map((column) => encode(dialect.missing(column)))
  const { textsOf, patternText } = knownTexts(columns, dialect)

  function stepsOf({ n, cells }: Rows): WriteStep[] {
    const steps: WriteStep[] = []
    let text = ''
    for (let c = 0; c < columns.length; c++) {
      const own = cells[c]
      if (own.kind === 'same') {
        text += dialect.before[c] + dialect.cell(own.value, columns[c])
        continue
      }
      steps.push({ kind: 'bytes', bytes: text === '' ? before[c] : encode(text + dialect.before[c]) })
      text = ''
      if (own.kind === 'patterns') {
        const texts = own.patterns.map((pattern) => patternText(pattern, c))
        steps.push({ kind: 'texts', texts, indexes: own.indexes, missing: NOTHING })
        c += own.patterns[0].length - 1
      } else steps.push(...stepsOfCells(own, n, columns[c], missing[c]))
    }
    return [...steps, { kind: 'bytes', bytes: encode(text + dialect.behind) }]
  }

  function stepsOfCells(cells: CellsByRow, n: number, column: Column, missing: Uint8Array): WriteStep[] {
    if (cells.kind === 'texts')
      return [{ kind: 'texts', texts: textsOf(cells.dictionary, column), indexes: cells.indexes, missing }]
    if (cells.kind === 'lists') return [listStep(cells, column, dialect)]
    if (cells.kind === 'tuples') return [tupleStep(cells, dialect.quote)]
    if (cells.kind === 'flags') return [dialect.number ? flagStep(cells, column, dialect) : { ...cells, missing }]
    const step: NumberStep = { kind: cells.kind, values: cells.values, missing }
    if (dialect.hasDecimalComma) return [{ kind: 'decimalCommas', step }]
    return dialect.number ? wrapped(step, n, dialect.number) : [step]
  }

  return {
    write: (rows) => {
      if (rows.n > 0) writeRows(sink, stepsOf(rows), 0, rows.n)
    },
    end: () => {
      flush(sink)
      return null
    },
  }
}

/** Caches texts that recur with each test of an item. */
function knownTexts(columns: Column[], dialect: Dialect) {
  const cellsOf = new Map<readonly string[], Uint8Array[]>()
  const textOfPattern = new WeakMap<Uint8Array, Uint8Array>()
  return {
    /** Returns the texts of an item's AOIs. */
    textsOf: (dictionary: readonly string[], column: Column): Uint8Array[] => {
      const known = cellsOf.get(dictionary)
      if (known) return known
      const texts = dictionary.map((text) => encode(dialect.cell(text, column)))
      if (cellsOf.size >= KNOWN_MAX) cellsOf.clear()
      cellsOf.set(dictionary, texts)
      return texts
    },
    /** Returns the cells of a pattern whose first column is `c`. */
    patternText: (pattern: Uint8Array, c: number): Uint8Array => {
      const known = textOfPattern.get(pattern)
      if (known) return known
      const cells = Array.from(pattern, (flag, place) => {
        const text = dialect.cell(flag === 2 ? null : flag === 1, columns[c + place])
        return place === 0 ? text : dialect.before[c + place] + text
      })
      const text = encode(cells.join(''))
      textOfPattern.set(pattern, text)
      return text
    },
  }
}

type CellsByRow = Exclude<Cells, { kind: 'same' | 'patterns' }>

const KNOWN_MAX = 64

/** Returns the step that writes whole cells of flags. */
function flagStep({ values }: Cells & { kind: 'flags' }, column: Column, { cell }: Dialect): WriteStep {
  const texts = [false, true, null].map((value) => encode(cell(value, column)))
  return { kind: 'texts', texts, indexes: Int32Array.from(values), missing: NOTHING }
}

/** Returns the steps that write numbers with text around them, and a missing one on its own. */
function wrapped(step: NumberStep, n: number, around: NonNullable<Dialect['number']>): WriteStep[] {
  const [open, close] = [encode(around.open), encode(around.close)]
  const isThere = Uint8Array.from({ length: n }, (_, i) => (Number.isNaN(step.values[i]) ? 0 : 1))
  if (!isThere.includes(0))
    return [
      { kind: 'bytes', bytes: open },
      { ...step, missing: NOTHING },
      { kind: 'bytes', bytes: close },
    ]
  // A nested row if present; nothing if missing.
  let count = 0
  const ends = Int32Array.from(isThere, (there) => (count += there))
  const values = Float64Array.from(step.values.subarray(0, n)).filter((value) => !Number.isNaN(value))
  return [{ kind: 'rows', ends, steps: [{ ...step, values }], between: NOTHING, open, close, empty: step.missing }]
}

/** Formats lists of texts as JSON. */
function listStep(
  { ends, dictionary, indexes }: Cells & { kind: 'lists' },
  column: Column,
  dialect: Dialect,
): WriteStep {
  const texts = Array.from(ends, (end, i) => {
    const names = Array.from(indexes.subarray(i === 0 ? 0 : ends[i - 1], end), (index) => dictionary[index])
    return encode(dialect.cell(JSON.stringify(names), column))
  })
  return { kind: 'texts', texts, indexes: Int32Array.from(texts.keys()), missing: NOTHING }
}

const NOTHING = new Uint8Array(0)
const NULL = encode('null')
const COMMA = encode(',')

/** Returns the step that writes tuples as JSON: arrays of numbers, followed by `true` if a mark is set. */
function tupleStep({ ends, fields }: Cells & { kind: 'tuples' }, quote: string): WriteStep {
  const steps: WriteStep[] = fields.flatMap((field, f): WriteStep[] => {
    const before: WriteStep = { kind: 'bytes', bytes: encode(f === 0 ? '[' : ',') }
    return field.kind === 'marks' ? [fieldStep(field)] : [before, fieldStep(field)]
  })
  steps.push({ kind: 'bytes', bytes: encode(']') })
  const [open, close] = [encode(`${quote}[`), encode(`]${quote}`)]
  return { kind: 'rows', ends, steps, between: COMMA, open, close, empty: encode('[]') }
}

function fieldStep(field: TupleCells): WriteStep {
  if (field.kind === 'marks') return { kind: 'marks', values: field.values, bytes: encode(',true') }
  // Beyond the digits of a double, JSON prints fewer than a column does.
  const kind = field.kind === 'fractions' ? 'percents' : field.kind
  return { kind, values: field.values, missing: NULL }
}
