import { addTest, itemOf, nextDisplayOrder, noteAssumed, participantOf } from '../draft/draft.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import type { Reader, ReadOptions } from '../reader/reader.ts'
import { readSampleTables, type SampleTable } from '../reader/sample-tables.ts'
import { needScreen } from '../reader/screen.ts'
import { findValues, openValues, type ValueColumn } from '../reader/value-columns.ts'
import { hasColumns, tableHead } from '../text/foreign-table.ts'
import { cellText, type TableRows } from '../text/table-rows.ts'
import { addZones, gorillaFrame, isOfWindow, isPlaced, type Zones, zoneWindow } from './gorilla-zones.ts'

/** Gaze in px of the window, from its lower left. */
const GAZE: ValueColumn[] = [
  { into: 'gazeXPx', name: 'x_pred', unit: 'px' },
  { into: 'gazeYPx', name: 'y_pred', unit: 'px' },
]

/**
 * Reads Gorilla's eye-tracking files (WebGazer): rows of type `prediction` are samples, in px of the browser's window
 * with y growing upwards from its lower edge, in ms since the screen's start; rows of type `zone` define areas, of
 * which `screen` is the window and `gorilla` the frame of the task. A test is one screen of one row of the experiment's
 * spreadsheet.
 */
export const gorilla: Reader = {
  name: 'gorilla',
  title: 'Gorilla eye tracking',
  heeds: ['hasAois', 'kept'],
  recognises: (file) => hasColumns(tableHead(file)?.header ?? [], 'type', 'x_pred', 'y_pred', 'time_elapsed'),
  read: (files, _all, draft, options) => {
    noteRecording(draft, { model: 'WebGazer', environment: "the participant's browser, with a webcam" })
    noteAssumed(draft, "Gorilla's y grows upwards from the window's lower edge")
    return readSampleTables(files, draft, options, (table) => openTable(table, options))
  },
}

const NO_PREDICTIONS = 'rows that are not predictions: calibration, starts and ends of screens'
const ZONES = 'zones, which --aois makes AOIs'
const UNPLACED = 'zones without a size and place on a screen'
/** Identifies a test: the participant, the row of the spreadsheet, and the screen of that row. */
type Key = [who: string, row: string, screen: string]

function openTable(table: SampleTable, options: ReadOptions): (rows: TableRows) => void {
  const { batch, draft, column, text, number, measured, leave, leaveTimeless } = table
  const time = column('time_elapsed')
  const readGaze = openValues(
    findValues(GAZE, table, null, ({ name }) => column(name)),
    batch,
    measured,
  )
  const type = text(column('type'))
  const who = text(column('participant_id', 'participant private id', 'participant_private_id'))
  const keys = [who, text(column('spreadsheet_row')), text(column('screen_index'))]
  const readZone = openZones(table, options)
  const tests = new Map<string, number>()
  let last: string[] = []
  let zones: Zones = new Map()
  let test = -1

  /** A participant's window and frame stay the same until a screen changes them. */
  const startScreen = (rows: TableRows) => {
    const isSamePerson = who(rows) === last[0]
    zones = new Map([...zones].filter(([name]) => isSamePerson && isOfWindow(name)))
    last = keys.map((read) => read(rows))
    test = tests.get(JSON.stringify(last)) ?? -1
  }
  return (rows) => {
    if (keys.some((read, i) => read(rows) !== last[i])) startScreen(rows)
    const kind = type(rows)
    if (kind !== 'prediction') return kind === 'zone' ? readZone(rows, zones) : leave(NO_PREDICTIONS)
    const tMs = number(rows, time)
    if (Number.isNaN(tMs)) return leaveTimeless(rows, time)
    if (test < 0) {
      test = startTest(table, last as Key, zones, options)
      tests.set(JSON.stringify(last), test)
    }
    const i = batch.n++
    batch.test[i] = test
    batch.tMs[i] = tMs
    readGaze(rows, i)
    batch.gazeYPx[i] = draft.tests[test].windowHeightPx! - batch.gazeYPx[i]
  }
}

function openZones({ column, number, leave }: SampleTable, { hasAois }: ReadOptions) {
  const nameColumn = column('zone_name')
  const box = ['x', 'y', 'width', 'height'].map((name) => column(`zone_${name}`))
  return (rows: TableRows, zones: Zones) => {
    const name = cellText(rows, nameColumn)
    const [leftPx, topPx, widthPx, heightPx] = box.map((cell) => number(rows, cell))
    const zone = { leftPx, topPx, widthPx, heightPx }
    if (isPlaced(zone)) zones.set(name, zone)
    else leave(UNPLACED)
    if (!isOfWindow(name) && !hasAois) leave(ZONES)
  }
}

function startTest(
  { file, draft, fileName }: SampleTable,
  [who, row, screen]: Key,
  zones: Zones,
  options: ReadOptions,
): number {
  const name = who || fileName()
  const person = participantOf(draft, file, name)
  const item = itemOf(draft, `row ${row}${screen === '' ? '' : `, screen ${screen}`}`)
  const window = needScreen(zoneWindow(zones), name, options, file, draft)
  if (options.hasAois) addZones(draft, item, zones, window)
  return addTest(draft, person, item, {
    windowWidthPx: window.widthPx,
    windowHeightPx: window.heightPx,
    display: gorillaFrame(zones, window),
    displayOrder: nextDisplayOrder(draft, person),
  })
}
