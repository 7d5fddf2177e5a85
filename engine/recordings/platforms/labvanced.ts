import { addTest, type Draft, itemOf, nextDisplayOrder, noteAssumed, noteLeft, participantOf } from '../draft/draft.ts'
import { noteFirstSampleOnset } from '../reader/assumed-onset.ts'
import type { Reader, ReadOptions, Screen } from '../reader/reader.ts'
import { noteRunningNumbers } from '../reader/running-numbers.ts'
import { readSampleTables, type SampleTable } from '../reader/sample-tables.ts'
import { givenScreen } from '../reader/screen.ts'
import { hasColumns, tableHead } from '../text/foreign-table.ts'
import type { SourceFile } from '../text/source-files.ts'
import type { TableRows } from '../text/table-rows.ts'
import {
  isGazeSeries,
  isPacked,
  LABVANCED_KEYS,
  openValue,
  readShownInTrials,
  type ShownInTrial,
} from './labvanced-values.ts'
import { isWide, readWide } from './labvanced-wide.ts'

/** Size of Labvanced's frames, in its own units, which do not depend on the screen. */
const FRAME = { widthPx: 800, heightPx: 450 }

const OTHER_VARIABLE = 'rows of variables that are not gaze'
const UNKNOWN_VARIABLE = 'rows before the first value of a variable'

/**
 * Reads Labvanced's time series of gaze: a row per sample, x and y in units of the frame (800 × 450 by default) from
 * its upper left, `t` the camera's time and `times` the row's, both in ms since 1970, `c` a confidence of 0 to 1. These
 * are separate columns, or all in the column `values` (labvanced-values.ts). A test is one trial of one task; its onset
 * is its first sample. `Trial_Id` identifies the trial in the design, `Trial_Nr` only its position.
 */
export const labvanced: Reader = {
  name: 'labvanced',
  title: 'Labvanced time series',
  heeds: ['kept'],
  recognises: (file) => isLong(file) || isWide(file),
  async *read(files, _all, draft, options) {
    noteFirstSampleOnset(draft, 'the files state no onset')
    noteLeft(draft, "the tracker's confidence (c), which no export has")
    const [long, wide] = [files.filter(isLong), files.filter((file) => !isLong(file))]
    if (long.length === 0) return yield* readWide(wide, draft, options, (who) => frameOf(who, options, draft))
    for (const { name } of wide) draft.usedFiles.add(name)
    if (wide.length > 0)
      noteLeft(draft, `tables with a row per trial, whose series the time series have: ${wide[0].name}`, wide.length)
    const shown = await readShownInTrials(long, draft)
    if (shown.variables.size > 0)
      noteAssumed(draft, `items are named by ${[...shown.variables].join(', ')} of their trial`)
    yield* readSampleTables(long, draft, options, (table) => openTable(table, shown, options))
  },
}

/** Recognises a time series, with one row per sample. */
function isLong(file: SourceFile): boolean {
  const header = tableHead(file)?.header ?? []
  const isSeries = hasColumns(header, 'exp_subject_id', 'Task_Name', 'Trial_Nr', 'times')
  return isSeries && (hasColumns(header, 'x', 'y', 't') || isPacked(header))
}

function frameOf(participant: string, options: ReadOptions, draft: Draft): Screen {
  const given = givenScreen(options, participant)
  if (given === null)
    noteAssumed(draft, `positions are in Labvanced's frame of ${FRAME.widthPx} × ${FRAME.heightPx} units`)
  return given ?? FRAME
}

function openTable(table: SampleTable, shown: ShownInTrial, options: ReadOptions): (rows: TableRows) => void {
  const { header, batch, draft, column, text, number, leave, leaveTimeless } = table
  const tests = new Map<string, number>()
  const written = column('times')
  const texts = [...LABVANCED_KEYS, 'variable_name'].map((name) => text(column(name)))
  const variable = texts.at(-1)!
  const readValue = openValue(table)
  const arePacked = isPacked(header)
  const variables = new Set<string>()
  const gazeSeries = new Map<string, boolean>()
  let last: string[] = []
  let test = -1

  return (rows) => {
    const value = readValue(rows)
    const writtenMs = number(rows, written)
    const series = variable(rows)
    if (!gazeSeries.has(series) && value.count > 0 && (arePacked || !Number.isNaN(value.t)))
      gazeSeries.set(series, isGazeSeries(series, value, writtenMs))
    if (gazeSeries.get(series) !== true)
      return leave(gazeSeries.has(series) || (arePacked && !value.isEmpty) ? OTHER_VARIABLE : UNKNOWN_VARIABLE)
    // Before gaze is found, a row has only the time at which it was written.
    if (value.count === 0) {
      // A repeated trial starts the same way, with the same numbers.
      tests.delete(JSON.stringify(texts.map((read) => read(rows))))
      test = -1
      return leave(UNKNOWN_VARIABLE)
    }
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
      test = tests.get(key) ?? startTest(table, last, shown, options, tMs)
      tests.set(key, test)
    }
    const i = batch.n++
    batch.test[i] = test
    batch.tMs[i] = tMs
    batch.gazeXPx[i] = value.x
    batch.gazeYPx[i] = value.y
  }
}

/** @param names texts of LABVANCED_KEYS, and of the variable */
function startTest(
  { file, draft }: SampleTable,
  names: string[],
  shown: ShownInTrial,
  options: ReadOptions,
  onsetMs: number,
): number {
  const [subject, , session, , task, trialId, trialNr] = names
  const person = participantOf(draft, file, subject)
  const name = shown.names.get(JSON.stringify(names.slice(0, -1)))
  if (name === undefined && trialId === '') noteRunningNumbers(draft, 'task and Trial_Nr', 'export Trial_Id with them')
  const frame = frameOf(subject, options, draft)
  return addTest(draft, person, itemOf(draft, name ?? `${task} ${trialId || trialNr}`), {
    windowWidthPx: frame.widthPx,
    windowHeightPx: frame.heightPx,
    displayOrder: nextDisplayOrder(draft, person),
    onsetMs,
    notes: session === '' || session === '1' ? '' : `session ${session}`,
  })
}
