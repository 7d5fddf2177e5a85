import type { EyeColumn } from '../../model/eye-columns.ts'
import { eyeColumn } from '../draft/batch.ts'
import { addTest, itemOf, nextDisplayOrder, noteAssumed, participantOf } from '../draft/draft.ts'
import { addEvent, eventIn } from '../draft/draft-events.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import { addSeen } from '../draft/seen-messages.ts'
import { noteFirstSampleOnset } from '../reader/assumed-onset.ts'
import type { Reader, ReadOptions, Screen } from '../reader/reader.ts'
import { readSampleTables, type SampleTable, WITHOUT_ITEM } from '../reader/sample-tables.ts'
import { USUAL_SCREEN } from '../reader/screen.ts'
import { stemOf } from '../text/file-names.ts'
import { columnIn, tableHead } from '../text/foreign-table.ts'
import { COMMA } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { cellNumber, type TableRows } from '../text/table-rows.ts'

/**
 * Reads Gazepoint Analysis' all-gaze export and the output of the Open Gaze API, as CSV: a row per sample, gaze and
 * cursor in fractions of the screen from its upper left, seconds. BPOG is the best point of gaze, FPOG the fixation's;
 * V is 0 for invalid. A test is one run of rows with the same medium; newer versions restart TIME with each medium, so
 * times count from its first row.
 */
export const gazepoint: Reader = {
  name: 'gazepoint',
  title: 'Gazepoint CSV',
  heeds: ['kept', 'events'],
  recognises: (file) => {
    const header = tableHead(file)?.header ?? []
    const has = (...names: string[]) => columnIn(header, ...names) >= 0
    return timeColumn(header) >= 0 && has('BPOGX', 'FPOGX') && has('BPOGY', 'FPOGY')
  },
  read: (files, _all, draft, options) => {
    const { screen: given } = options
    const screen = given ?? USUAL_SCREEN
    if (!given)
      noteAssumed(draft, `the screen had ${screen.widthPx} × ${screen.heightPx} px, which only lengths in px depend on`)
    draft.eyes.add('both')
    noteRecording(draft, { manufacturer: 'Gazepoint' })
    noteAssumed(draft, 'each file is one participant, called as the file')
    noteFirstSampleOnset(draft, 'the files name no other')
    return readSampleTables(files, draft, options, (table) => openTable(table, screen, options), userOf)
  },
}

function openTable(table: SampleTable, screen: Screen, { events }: ReadOptions): (rows: TableRows) => void {
  const { file, header, batch, draft, column, text, number, measured, leave, leaveTimeless } = table
  const prefix = column('BPOGX') >= 0 ? 'BPOG' : 'FPOG'
  const [time, x, y] = [timeColumn(header), column(`${prefix}X`), column(`${prefix}Y`)]
  const [valid, cursorX, cursorY] = [`${prefix}V`, 'CX', 'CY'].map((one) => column(one))
  const [media, mediaId, button] = ['MEDIA_NAME', 'MEDIA_ID', 'CS'].map((one) => text(column(one)))
  const hasMedia = ['MEDIA_NAME', 'MEDIA_ID'].some((one) => column(one) >= 0)
  const notValid = `gaze points that are not valid, as ${prefix}V is 0`
  const readEyes = openEyes(table, screen)
  let [medium, id] = ['', '']
  let test = -1
  let isDown = false
  const user = text(column('USER'))
  let marker = ''
  return (rows) => {
    const tMs = number(rows, time) * 1000
    if (Number.isNaN(tMs)) return leaveTimeless(rows, time)
    if (test < 0 || media(rows) !== medium || mediaId(rows) !== id) {
      if (hasMedia && media(rows) === '' && mediaId(rows) === '') return leave(WITHOUT_ITEM)
      medium = media(rows)
      id = mediaId(rows)
      const participant = participantOf(draft, file, table.fileName())
      test = addTest(draft, participant, itemOf(draft, medium || (id === '' ? 'screen' : `media ${id}`)), {
        displayOrder: nextDisplayOrder(draft, participant),
        windowWidthPx: screen.widthPx,
        windowHeightPx: screen.heightPx,
        onsetMs: tMs,
      })
    }
    if (user(rows) !== marker) {
      marker = user(rows)
      const event = eventIn(marker, events)
      if (event) addEvent(draft, { ...event, tMs, test })
      else if (!events && marker !== '') addSeen(draft.messages, marker)
    }
    const i = batch.n++
    batch.test[i] = test
    batch.tMs[i] = tMs
    const [gazeX, gazeY] = [measured(rows, x), measured(rows, y)]
    const isLost = valid >= 0 && cellNumber(rows, valid, COMMA) === 0
    if (isLost) leave(notValid)
    batch.gazeXPx[i] = isLost ? Number.NaN : gazeX * screen.widthPx
    batch.gazeYPx[i] = isLost ? Number.NaN : gazeY * screen.heightPx
    batch.mouseXPx[i] = number(rows, cursorX) * screen.widthPx
    batch.mouseYPx[i] = number(rows, cursorY) * screen.heightPx
    readEyes(rows, i)
    // 1 and 2: the left and the right button go down.
    const wasDown = isDown
    isDown = button(rows) === '1' || button(rows) === '2'
    batch.isClick[i] = isDown && !wasDown ? 1 : 0
  }
}

/** Columns of pupils, the best first: validity, unit, and factor of conversion to that unit. */
const PUPILS = [
  { name: 'PMM', valid: 'PMMV', unit: 'mm', times: 1 },
  { name: 'PUPILD', valid: 'PUPILV', unit: 'mm', times: 1000 },
  { name: 'PD', valid: 'PV', unit: 'px', times: 1 },
] as const

/** Opens the reader of each eye's valid values: gaze, pupil and distance, as far as there are columns. */
function openEyes(
  { batch, draft, column, measured }: SampleTable,
  screen: Screen,
): (rows: TableRows, i: number) => void {
  const pupil = PUPILS.find(({ name }) => column(`L${name}`) >= 0 || column(`R${name}`) >= 0)
  if (pupil) noteRecording(draft, { pupilUnit: pupil.unit })
  const parts = (['left', 'right'] as const).flatMap((side) => {
    const letter = side === 'left' ? 'L' : 'R'
    const part = (name: EyeColumn, cell: string, valid: string, times: number) => ({
      ...{ name, times, cell: column(letter + cell), valid: column(letter + valid) },
    })
    return [
      part(`${side}GazeXPx`, 'POGX', 'POGV', screen.widthPx),
      part(`${side}GazeYPx`, 'POGY', 'POGV', screen.heightPx),
      ...(pupil ? [part(`${side}Pupil`, pupil.name, pupil.valid, pupil.times)] : []),
      part(`${side}EyeDistanceMm`, 'EYEZ', 'PUPILV', 1000),
    ]
  })
  const given = parts
    .filter(({ cell }) => cell >= 0)
    .map(({ name, ...rest }) => ({ ...rest, values: eyeColumn(batch, name) }))
  return (rows, i) => {
    for (const { cell, valid, times, values } of given) {
      const isLost = valid >= 0 && cellNumber(rows, valid, COMMA) === 0
      values[i] = isLost ? Number.NaN : measured(rows, cell) * times
    }
  }
}

/** Returns the participant in a file name: "User 0_all_gaze.csv" is User 0's. */
function userOf({ name }: SourceFile): string {
  const stem = stemOf(name)
  return stem.replace(/[_ -]?all[_ -]?gaze$/i, '') || stem
}

/** Finds "TIME", or "TIME(2026/01/01 10:00:00.000)" with the start of the recording. */
function timeColumn(header: string[]): number {
  return header.findIndex((name) => /^TIME(\(|$)/i.test(name))
}
