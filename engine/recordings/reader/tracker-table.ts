import type { Recording } from '../../model/study.ts'
import { addTest, itemOf, nextDisplayOrder, noteAssumed, participantOf } from '../draft/draft.ts'
import { addEvent, eventIn } from '../draft/draft-events.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import { addSeen } from '../draft/seen-messages.ts'
import { stemOf } from '../text/file-names.ts'
import { columnIn, tableHead } from '../text/foreign-table.ts'
import type { SourceFile } from '../text/source-files.ts'
import type { TableRows } from '../text/table-rows.ts'
import { noteFirstSampleOnset } from './assumed-onset.ts'
import type { Reader, ReadOptions, Screen } from './reader.ts'
import { readSampleTables, type SampleTable, WITHOUT_ITEM } from './sample-tables.ts'
import { USUAL_SCREEN } from './screen.ts'
import { findValues, openValues, openVerdict, type ValueColumn } from './value-columns.ts'

/**
 * A tracker whose files are tables with a row per sample, as data. Each file is one participant; a test is one run of
 * rows with the same medium, or the file; its onset is its first row. Positions are shares of the screen.
 */
type TrackerTable = {
  name: string
  title: string
  facts: Recording
  time: { name: RegExp; unitMs: number }
  /** A table is the tracker's if it has a time and columns of `gazeXPx` and `gazeYPx`. */
  values: ValueColumn[]
  /** Matches cells of validity that say lost, and the rule in words. */
  lost: { cell: RegExp; rule: string }
  /** Columns of the medium's name and number. */
  medium: { name: string; number: string }
  /** Column whose changes are messages. */
  message: string
  /** Column of the mouse's button, and its values while it is down. */
  click: { name: string; down: RegExp }
  /** Removed from the name of a file, to name its participant. */
  suffix: RegExp
}

/** Returns the reader of a tracker's tables. */
export function trackerReader(tracker: TrackerTable): Reader {
  const { name, title, facts, time, values, suffix } = tracker
  const targets = ['gazeXPx', 'gazeYPx'] as const
  return {
    name,
    title,
    heeds: ['kept', 'events'],
    recognises: (file) => {
      const header = tableHead(file)?.header ?? []
      const isThere = (target: string) => values.some((one) => one.into === target && columnIn(header, one.name) >= 0)
      return header.some((one) => time.name.test(one)) && targets.every(isThere)
    },
    read: (files, _all, draft, options) => {
      const screen = options.screen ?? USUAL_SCREEN
      if (!options.screen)
        noteAssumed(
          draft,
          `the screen had ${screen.widthPx} × ${screen.heightPx} px, which only lengths in px depend on`,
        )
      draft.eyes.add('both')
      noteRecording(draft, facts)
      noteAssumed(draft, 'each file is one participant, named after the file')
      noteFirstSampleOnset(draft, 'the files state no onset')
      const ownName = ({ name }: SourceFile) => stemOf(name).replace(suffix, '') || stemOf(name)
      return readSampleTables(files, draft, options, (table) => openTable(table, tracker, screen, options), ownName)
    },
  }
}

function openTable(
  table: SampleTable,
  tracker: TrackerTable,
  screen: Screen,
  { events }: ReadOptions,
): (rows: TableRows) => void {
  const { file, header, batch, draft, column, text, number, measured, leave, leaveTimeless } = table
  const time = header.findIndex((name) => tracker.time.name.test(name))
  const cells = findValues(tracker.values, table, tracker.lost.cell, ({ name }) => column(name), screen)
  const gaze = cells.find(({ into }) => into === 'gazeXPx')
  const valid = tracker.values.find(({ into, name }) => into === gaze?.into && column(name) === gaze.cell)?.valid
  const notValid = `gaze points that are not valid, as ${valid?.join(' and ')} ${tracker.lost.rule}`
  const readValues = openValues(cells, batch, measured)
  const media = [tracker.medium.name, tracker.medium.number].map((name) => column(name))
  const [mediaName, mediaNumber] = media.map(text)
  const hasMedia = media.some((cell) => cell >= 0)
  const message = text(column(tracker.message))
  const isDownIn = openVerdict(column(tracker.click.name), tracker.click.down)
  let [medium, id] = ['', '']
  let [test, isDown, said] = [-1, false, '']
  return (rows) => {
    const tMs = number(rows, time) * tracker.time.unitMs
    if (Number.isNaN(tMs)) return leaveTimeless(rows, time)
    if (test < 0 || mediaName(rows) !== medium || mediaNumber(rows) !== id) {
      if (hasMedia && mediaName(rows) === '' && mediaNumber(rows) === '') return leave(WITHOUT_ITEM)
      medium = mediaName(rows)
      id = mediaNumber(rows)
      const participant = participantOf(draft, file, table.fileName())
      test = addTest(draft, participant, itemOf(draft, medium || (id === '' ? 'screen' : `media ${id}`)), {
        displayOrder: nextDisplayOrder(draft, participant),
        windowWidthPx: screen.widthPx,
        windowHeightPx: screen.heightPx,
        onsetMs: tMs,
      })
    }
    if (message(rows) !== said) {
      said = message(rows)
      const event = eventIn(said, events)
      if (event) addEvent(draft, { ...event, tMs, test })
      else if (!events && said !== '') addSeen(draft.messages, said)
    }
    const i = batch.n++
    batch.test[i] = test
    batch.tMs[i] = tMs
    batch.mouseXPx[i] = batch.mouseYPx[i] = Number.NaN
    readValues(rows, i)
    if (gaze?.isLost?.(rows)) leave(notValid)
    const wasDown = isDown
    isDown = isDownIn(rows)
    batch.isClick[i] = isDown && !wasDown ? 1 : 0
  }
}
