import { addTest, itemOf, nextDisplayOrder, noteAssumed, noteLeft, participantOf } from '../bundle/draft.ts'
import type { Reader, ReadOptions } from '../reader/reader.ts'
import { noteRunningNumbers } from '../reader/running-numbers.ts'
import { readSampleTables, type SampleTable } from '../reader/sample-tables.ts'
import { givenScreen } from '../reader/screen.ts'
import { hasColumns, tableHead } from '../text/foreign-table.ts'
import type { Rows } from '../text/table-rows.ts'
import { isPacked, KEYS, openValue, readShown, type SeriesValue, type Shown, trialKey } from './labvanced-values.ts'

/** Labvanced lays every frame out in its own units, whatever the screen. */
const FRAME = { widthPx: 800, heightPx: 450 }

const DAY_MS = 86_400_000
const OTHER_VARIABLE = 'rows of variables that are no gaze'
const UNKNOWN_VARIABLE = 'rows before the first value of a variable'
/** Names of variables that hold x and y of gaze, where no time of the camera tells them from others. */
const GAZE_NAME = /gaze|eye|^xy/i
const NO_GAZE_NAME = /mouse|cursor|touch|pointer|error|click/i

/**
 * Reads Labvanced's time series of gaze: a row per sample, x and y in units of the frame (800 × 450 by default) from its upper left, `t`
 * the camera's time and `times` the row's, both in ms since 1970, `c` a confidence of 0 to 1: in columns of their own, or all in the
 * column `values` (labvanced-values.ts). A test is one trial of one task; its onset is its first sample. `Trial_Id` says which trial of
 * the design it was, `Trial_Nr` only when it came.
 */
export const labvanced: Reader = {
  name: 'labvanced',
  title: 'Labvanced time series',
  heeds: ['kept'],
  recognises: (file) => {
    const header = tableHead(file)?.header ?? []
    return (
      hasColumns(header, 'exp_subject_id', 'Task_Name', 'Trial_Nr', 'times') &&
      (hasColumns(header, 'x', 'y', 't') || isPacked(header))
    )
  },
  async *read(files, _all, draft, options) {
    noteAssumed(draft, "an item's onset is its trial's first sample")
    noteLeft(draft, "the tracker's confidence (c), which no export has")
    const shown = await readShown(files, draft)
    if (shown.variables.size > 0)
      noteAssumed(draft, `items are called as ${[...shown.variables].join(', ')} of their trial says`)
    yield* readSampleTables(files, draft, options, (table) => openTable(table, shown, options))
  },
}

function openTable(table: SampleTable, shown: Shown, options: ReadOptions): (rows: Rows) => void {
  const { header, file, batch, draft, column, text, number, leave, leaveTimeless } = table
  const tests = new Map<string, number>()
  const written = column('times')
  const texts = [...KEYS, 'variable_name'].map((name) => text(column(name)))
  const keys = texts.slice(0, -1)
  const variable = texts.at(-1)!
  const readValue = openValue(table)
  const arePacked = isPacked(header)
  const variables = new Set<string>()
  const gazeSeries = new Map<string, boolean>()
  let last: string[] = []
  let test = -1

  const startTest = (rows: Rows, onsetMs: number): number => {
    const [subject, , session, , task, trialId, trialNr] = last
    const person = participantOf(draft, file, subject)
    const name = shown.names.get(trialKey(keys, rows))
    if (name === undefined && trialId === '')
      noteRunningNumbers(draft, 'task and Trial_Nr', 'export Trial_Id with them')
    const frame = givenScreen(options, subject) ?? FRAME
    if (frame === FRAME)
      noteAssumed(draft, `positions are in Labvanced's frame of ${FRAME.widthPx} × ${FRAME.heightPx} units`)
    return addTest(draft, person, itemOf(draft, name ?? `${task} ${trialId || trialNr}`), {
      windowWidthPx: frame.widthPx,
      windowHeightPx: frame.heightPx,
      displayOrder: nextDisplayOrder(draft, person),
      onsetMs,
      notes: session === '' || session === '1' ? '' : `session ${session}`,
    })
  }

  return (rows) => {
    const value = readValue(rows)
    const writtenMs = number(rows, written)
    const series = variable(rows)
    if (!gazeSeries.has(series) && value.count > 0 && (arePacked || !Number.isNaN(value.t)))
      gazeSeries.set(series, isGaze(series, value, writtenMs))
    if (gazeSeries.get(series) !== true)
      return leave(gazeSeries.has(series) || (arePacked && !value.isEmpty) ? OTHER_VARIABLE : UNKNOWN_VARIABLE)
    // Where no gaze was found yet, there is only the time at which the row was written.
    if (value.count === 0) return leave(UNKNOWN_VARIABLE)
    const tMs = Number.isNaN(value.t) ? writtenMs : value.t
    if (Number.isNaN(tMs)) return leaveTimeless(rows, written)
    if (test < 0 || texts.some((read, i) => read(rows) !== last[i])) {
      last = texts.map((read) => read(rows))
      if (last[0] === '') {
        test = -1
        return leave('rows without a participant')
      }
      variables.add(series)
      if (variables.size > 1) noteAssumed(draft, 'each variable_name of a trial is a recording of its own')
      const key = JSON.stringify(last)
      test = tests.get(key) ?? startTest(rows, tMs)
      tests.set(key, test)
    }
    const i = batch.n++
    batch.test[i] = test
    batch.tMs[i] = tMs
    batch.gazeXPx[i] = value.x
    batch.gazeYPx[i] = value.y
  }
}

/** Any series of an experiment is written like gaze; gaze has the camera's time as its third value, or says by its name what it is. */
function isGaze(name: string, { count, t }: SeriesValue, writtenMs: number): boolean {
  if (count >= 3) return Math.abs(t - writtenMs) <= DAY_MS
  return count === 2 && GAZE_NAME.test(name) && !NO_GAZE_NAME.test(name)
}
