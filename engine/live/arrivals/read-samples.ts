import { forgetHalves, haveGaze, meanOfEyes } from '../../compute/eyes.ts'
import type { Samples } from '../../compute/gaze.ts'
import { DAY_MS } from '../../import/bundle/parse-cell.ts'
import { largest, SAMPLE_CELLS, SAMPLE_COLUMNS, SAMPLES_MAX } from '../../import/samples/sample-columns.ts'
import { EYE_COLUMN_NAMES, EYE_COLUMNS, EYE_PAIRS, type Eyes } from '../../model/eye-columns.ts'
import { toUs } from '../../model/microseconds.ts'
import { NO_SAMPLES } from '../../snapshot/read-samples.ts'
import { type Fields, refuseOthers, report, type Where } from './read-cells.ts'

const NAMES = SAMPLE_COLUMNS.filter((name) => name !== 'test_id')
type Name = (typeof NAMES)[number]
/** Values of one column in order; undefined for an absent column. */
type Columns = Partial<Record<Name, unknown[]>>

/**
 * Parses the samples of a test: an object of columns of equal length, or a list of rows, with the rules of samples.csv.
 *
 * @returns columns of length n; null, with problems, if any is invalid
 */
export function readSamplesOf(value: unknown, where: Where): Samples | null {
  if (value === undefined || value === null) return NO_SAMPLES
  const columns = Array.isArray(value) ? columnsOfRows(value, where) : columnsOf(value, where)
  if (columns === null) return null
  const n = columns.t_ms?.length ?? 0
  if (n > SAMPLES_MAX) {
    report(where, '', n, `must have at most ${SAMPLES_MAX} samples`)
    return null
  }
  const before = where.problems.count
  const number = (name: Name, lost: number) => numbers(columns[name], n, name, lost, where)
  const t = number('t_ms', Number.NaN)
  for (let i = 0; i < n; i++) {
    if (Number.isNaN(t[i]) && (columns.t_ms![i] ?? null) === null)
      report(where, `t_ms[${i}]`, null, SAMPLE_CELLS.t_ms.rule)
    t[i] = toUs(t[i])
  }
  const samples = {
    n,
    tUs: t,
    gazeXPx: number('gaze_x_px', Number.NaN),
    gazeYPx: number('gaze_y_px', Number.NaN),
    scrollYPx: number('scroll_y_px', 0),
    mouseXPx: number('mouse_x_px', Number.NaN),
    mouseYPx: number('mouse_y_px', Number.NaN),
    isClick: flags(columns.is_click, n, where),
    ...eyesOf(columns, number),
  }
  // A position with only one coordinate is missing.
  forgetHalves(samples.gazeXPx, samples.gazeYPx)
  forgetHalves(samples.mouseXPx, samples.mouseYPx)
  const isGiven = columns.gaze_x_px !== undefined || columns.gaze_y_px !== undefined
  if (!isGiven && samples.eyes && haveGaze(samples.eyes)) meanOfEyes(samples.eyes, samples.gazeXPx, samples.gazeYPx)
  return where.problems.count === before ? samples : null
}

/** Returns the given columns of eyes: the gaze of an eye only with both of its coordinates; empty if there are none. */
function eyesOf(columns: Columns, number: (name: Name, lost: number) => Float64Array): Pick<Samples, 'eyes'> {
  const given = EYE_COLUMN_NAMES.filter((column) => columns[EYE_COLUMNS[column]] !== undefined)
  if (given.length === 0) return {}
  const eyes: Eyes = {}
  for (const column of given) eyes[column] = number(EYE_COLUMNS[column], Number.NaN)
  for (const [x, y] of EYE_PAIRS) {
    const [xs, ys] = [eyes[x], eyes[y]]
    if (xs && ys) forgetHalves(xs, ys)
    else {
      delete eyes[x]
      delete eyes[y]
    }
  }
  return { eyes }
}

function columnsOf(value: unknown, where: Where): Columns | null {
  if (typeof value !== 'object' || value === null) {
    report(where, '', value, 'must be an object of columns, or a list of rows')
    return null
  }
  const fields = value as Fields
  refuseOthers(fields, NAMES, where)
  const before = where.problems.count
  const columns: Columns = {}
  for (const name of NAMES) {
    const column = fields[name]
    if (column === undefined || column === null) continue
    if (Array.isArray(column)) columns[name] = column
    else report(where, name, column, 'must be a list')
  }
  if (columns.t_ms === undefined) report(where, 't_ms', null, 'is missing')
  const n = columns.t_ms?.length ?? 0
  for (const [name, { length }] of Object.entries(columns))
    if (length !== n) report(where, name, length, `must have ${n} values, as t_ms has`)
  return where.problems.count === before ? columns : null
}

function columnsOfRows(rows: unknown[], where: Where): Columns | null {
  const before = where.problems.count
  const columns: Columns = { t_ms: new Array<unknown>(rows.length) }
  for (const [i, row] of rows.entries()) {
    const at = { ...where, path: `${where.path}[${i}]` }
    if (typeof row !== 'object' || row === null || Array.isArray(row)) report(at, '', row, 'must be an object')
    else {
      refuseOthers(row as Fields, NAMES, at)
      for (const name of NAMES) {
        const value = (row as Fields)[name]
        if (value === undefined) continue
        columns[name] ??= new Array<unknown>(rows.length)
        columns[name][i] = value
      }
    }
  }
  return where.problems.count === before ? columns : null
}

function numbers(column: unknown[] | undefined, n: number, name: Name, lost: number, where: Where): Float64Array {
  const { max, isSize } = name === 't_ms' ? { max: DAY_MS, isSize: false } : largest(name)
  const values = new Float64Array(n)
  if (column === undefined) return values.fill(lost)
  for (let i = 0; i < n; i++) {
    const value = column[i]
    if (typeof value === 'number' && (isSize ? value > 0 : value >= -max) && value <= max) values[i] = value
    else if (value === null || value === undefined) values[i] = lost
    else report(where, `${name}[${i}]`, value, SAMPLE_CELLS[name].rule)
  }
  return values
}

function flags(column: unknown[] | undefined, n: number, where: Where): Uint8Array {
  const values = new Uint8Array(n)
  for (let i = 0; column !== undefined && i < n; i++) {
    const value = column[i]
    if (value === true || value === 1) values[i] = 1
    else if (value !== null && value !== undefined && value !== false && value !== 0)
      report(where, `is_click[${i}]`, value, SAMPLE_CELLS.is_click.rule)
  }
  return values
}
