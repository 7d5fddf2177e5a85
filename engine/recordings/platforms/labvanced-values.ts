import type { Draft } from '../draft/draft.ts'
import type { SampleTable } from '../reader/sample-tables.ts'
import { columnIn, hasColumns, tableHead } from '../text/foreign-table.ts'
import { numberAt, POINT } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { forEachRow } from '../text/table-body.ts'
import { cellText, repeatedText, type TableRows } from '../text/table-rows.ts'

/** A value of a time series: x, y and, if the variable has it, the camera's time in ms since 1970. */
type SeriesValue = { isEmpty: boolean; count: number; x: number; y: number; t: number }

const COMMA = 44
const DAY_MS = 86_400_000
/** Names of variables with x and y of gaze, used if no camera time distinguishes them from others. */
const GAZE_NAME = /gaze|eye|^xy/i
const NO_GAZE_NAME = /mouse|cursor|touch|pointer|error|click/i

/**
 * Returns whether a series is gaze. Experiments write any series in the same form; gaze has the camera's time as its
 * third value, or a telling name.
 */
export function isGazeSeries(name: string, { count, t }: Pick<SeriesValue, 'count' | 't'>, writtenMs: number): boolean {
  if (count >= 3) return Math.abs(t - writtenMs) <= DAY_MS
  return count === 2 && GAZE_NAME.test(name) && !NO_GAZE_NAME.test(name)
}

export const LABVANCED_KEYS = [
  'exp_subject_id',
  'rec_session_id',
  'session_nr',
  'Block_Nr',
  'Task_Name',
  'Trial_Id',
  'Trial_Nr',
]

/** Returns whether one unquoted column has the values of all variables, so that `x,y,t,c` may span four cells. */
export function isPacked(header: string[]): boolean {
  return hasColumns(header, 'variable_name', 'values')
}

/** Returns a reader of a row's value, which reuses one object. */
export function openValue({ header, column, measured }: SampleTable): (rows: TableRows) => SeriesValue {
  const value: SeriesValue = { isEmpty: false, count: 0, x: Number.NaN, y: Number.NaN, t: Number.NaN }
  if (isPacked(header)) {
    const values = column('values')
    return (rows) => readPacked(rows, values, value)
  }
  const [x, y, t] = ['x', 'y', 't'].map((name) => column(name))
  return (rows) => {
    value.x = measured(rows, x)
    value.y = measured(rows, y)
    value.t = measured(rows, t)
    value.count = 3
    return value
  }
}

/** Reads numbers from a cell on, across cells: commas separate numbers as well as cells. */
function readPacked({ bytes, starts, ends, cells }: TableRows, values: number, value: SeriesValue): SeriesValue {
  const end = ends[Math.max(values, cells - 1)]
  let start = starts[values]
  value.isEmpty = start >= end || bytes[start] === COMMA
  let count = 0
  value.x = value.y = value.t = Number.NaN
  while (start < end) {
    let at = start
    while (at < end && bytes[at] !== COMMA) at++
    const number = numberAt(bytes, start, at, POINT)
    if (!Number.isNaN(number)) count++
    if (count === 1) value.x = number
    else if (count === 2) value.y = number
    else if (count === 3) value.t = number
    if (Number.isNaN(number)) break
    start = at + 1
  }
  value.count = count
  return value
}

/** Names of variables that hold the display. */
export const SHOWN =
  /^(file_?name|stimulus|stimuli|stim|image|img|picture|pic|video|media|item)(_?(id|name|file|file_?name|path|src))?$/i
export const MEDIA_FILE_NAME = /\.(png|jpe?g|gif|bmp|webp|svg|tiff?|mp4|webm|mov|avi|ogv|mp3|wav|html?|pdf)$/i

/** Names of each trial's display, by the trial's key, and the variables that give them. */
export type ShownInTrial = { names: Map<string, string>; variables: Set<string> }

/**
 * Reads the displays of trials: the first value of a variable named like an item, or of one that holds a file name. It
 * may come after the gaze of its trial, so files are read for it in advance.
 */
export async function readShownInTrials(files: SourceFile[], draft: Draft): Promise<ShownInTrial> {
  const shown: ShownInTrial = { names: new Map(), variables: new Set() }
  for (const file of files) {
    const { header } = tableHead(file)!
    if (!isPacked(header)) continue
    const values = columnIn(header, 'values')
    const variable = repeatedText(columnIn(header, 'variable_name'))
    const keys = LABVANCED_KEYS.map((name) => repeatedText(columnIn(header, name)))
    await forEachRow(file, draft, (rows) => {
      const first = rows.bytes[rows.starts[values]]
      if (
        rows.starts[values] === rows.ends[values] ||
        first === 45 ||
        (first >= 48 && first <= 57 && !SHOWN.test(variable(rows)))
      )
        return
      const text = cellText(rows, values)
      const key = JSON.stringify(keys.map((text) => text(rows)))
      if (shown.names.has(key) || !(SHOWN.test(variable(rows)) || MEDIA_FILE_NAME.test(text))) return
      shown.names.set(key, text)
      shown.variables.add(variable(rows))
    })
  }
  return shown
}
