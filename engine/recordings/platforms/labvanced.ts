import { addTest, itemOf, nextDisplayOrder, noteAssumed, noteLeft, participantOf } from '../bundle/draft.ts'
import type { Reader, ReadOptions } from '../reader/reader.ts'
import { noteRunningNumbers } from '../reader/running-numbers.ts'
import { readSampleTables, type SampleTable } from '../reader/sample-tables.ts'
import { givenScreen } from '../reader/screen.ts'
import { hasColumns, tableHead } from '../text/foreign-table.ts'
import type { Rows } from '../text/table-rows.ts'

/** Labvanced lays every frame out in its own units, whatever the screen. */
const FRAME = { widthPx: 800, heightPx: 450 }

const DAY_MS = 86_400_000
/** Any series of an experiment is written with the columns of gaze; only gaze has the camera's time in one of them. */
const OTHER_VARIABLE = 'rows of variables that are no gaze, as their t is no time'
const UNKNOWN_VARIABLE = 'rows before the first t of a variable'

/**
 * Reads Labvanced's time series of gaze: a row per sample, x and y in units of the frame (800 × 450 by default) from its upper left, `t`
 * the camera's time and `times` the row's, both in ms since 1970, `c` a confidence of 0 to 1. A test is one trial of one task; its
 * onset is its first row. `Trial_Id` says which trial of the design it was, `Trial_Nr` only when it came.
 */
export const labvanced: Reader = {
  name: 'labvanced',
  title: 'Labvanced time series',
  recognises: (file) =>
    hasColumns(tableHead(file)?.header ?? [], 'exp_subject_id', 'Task_Name', 'Trial_Nr', 'x', 'y', 't'),
  read: (files, _all, draft, options) => {
    noteAssumed(draft, "an item's onset is its trial's first row")
    noteLeft(draft, "the tracker's confidence (c), which no export has")
    return readSampleTables(files, draft, (table) => openTable(table, options))
  },
}

function openTable(table: SampleTable, options: ReadOptions): (rows: Rows) => void {
  const { file, batch, draft, column, text, number, measured, leave, leaveTimeless } = table
  const tests = new Map<string, number>()
  const [time, written, x, y] = ['t', 'times', 'x', 'y'].map((name) => column(name))
  const keys = ['exp_subject_id', 'session_nr', 'Block_Name', 'Task_Name', 'Trial_Id', 'Trial_Nr', 'variable_name']
  const texts = keys.map((name) => text(column(name)))
  const variable = texts[6]
  const variables = new Set<string>()
  const isGaze = new Map<string, boolean>()
  let last: string[] = keys.map(() => '')
  let test = -1

  const startTest = ([subject, session, , task, trialId, trialNr]: string[], onsetMs: number): number => {
    const person = participantOf(draft, file, subject)
    if (trialId === '') noteRunningNumbers(draft, 'task and Trial_Nr', 'export Trial_Id with them')
    const frame = givenScreen(options, subject) ?? FRAME
    if (frame === FRAME)
      noteAssumed(draft, `positions are in Labvanced's frame of ${FRAME.widthPx} × ${FRAME.heightPx} units`)
    return addTest(draft, person, itemOf(draft, `${task} ${trialId || trialNr}`), {
      windowWidthPx: frame.widthPx,
      windowHeightPx: frame.heightPx,
      displayOrder: nextDisplayOrder(draft, person),
      onsetMs,
      notes: session === '' || session === '1' ? '' : `session ${session}`,
    })
  }

  return (rows) => {
    // A row whose gaze is lost has no t either.
    const [seenMs, writtenMs] = [number(rows, time), number(rows, written)]
    const series = variable(rows)
    if (!isGaze.has(series) && !Number.isNaN(seenMs)) isGaze.set(series, !(Math.abs(seenMs - writtenMs) > DAY_MS))
    if (isGaze.get(series) !== true) return leave(isGaze.has(series) ? OTHER_VARIABLE : UNKNOWN_VARIABLE)
    const tMs = Number.isNaN(seenMs) ? writtenMs : seenMs
    if (Number.isNaN(tMs)) return leaveTimeless(rows, written)
    if (test < 0 || texts.some((read, i) => read(rows) !== last[i])) {
      last = texts.map((read) => read(rows))
      variables.add(last[6])
      if (variables.size > 1) noteAssumed(draft, 'each variable_name of a trial is a recording of its own')
      const key = JSON.stringify(last)
      test = tests.get(key) ?? startTest(last, tMs)
      tests.set(key, test)
    }
    const i = batch.n++
    batch.test[i] = test
    batch.tMs[i] = tMs
    batch.gazeXPx[i] = measured(rows, x)
    batch.gazeYPx[i] = measured(rows, y)
  }
}
