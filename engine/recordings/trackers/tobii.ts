import { meanOfEyesAt } from '../../compute/eyes.ts'
import { ServiceError } from '../../model/errors.ts'
import {
  addTest,
  type DraftEvent,
  itemOf,
  nextDisplayOrder,
  noteAssumed,
  noteLeft,
  participantOf,
} from '../draft/draft.ts'
import { addEvent, eventIn, OUTSIDE_EVENT } from '../draft/draft-events.ts'
import { shortened } from '../draft/note-texts.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import { addSeen } from '../draft/seen-messages.ts'
import { noteFirstSampleOnset } from '../reader/assumed-onset.ts'
import type { Reader, ReadOptions } from '../reader/reader.ts'
import { readSampleTables, type SampleTable } from '../reader/sample-tables.ts'
import { needScreen } from '../reader/screen.ts'
import { findValues, openValues } from '../reader/value-columns.ts'
import { tableHead } from '../text/foreign-table.ts'
import { cellText, isEmptyCell, type TableRows } from '../text/table-rows.ts'
import { findTobiiColumns, guessTimeUnit, TOBII_LOST, TOBII_VALUES, type TobiiColumns } from './tobii-columns.ts'
import { displayedRectangle, displaySize } from './tobii-display.ts'
import { openMouse } from './tobii-mouse.ts'

/**
 * Reads the data exports of Tobii Pro Lab and Tobii Studio: a row per sample of the eye tracker or the mouse, and per
 * event. Gaze is in px of the display from its upper left (DACS px; ADCSpx in Studio), empty if lost; time is in ms or
 * µs since the recording's start. A test is one run of rows with the same stimulus; its onset is the stimulus' start
 * event, otherwise its first row.
 */
export const tobii: Reader = {
  name: 'tobii',
  title: 'Tobii Pro Lab or Tobii Studio export',
  heeds: ['kept', 'events'],
  recognises: (file) => {
    const columns = findTobiiColumns(tableHead(file))
    return columns !== null && (columns.gaze !== null || columns.eyes.length > 0)
  },
  read: (files, _all, draft, options) => {
    noteLeft(draft, "eye positions and the tracker's own eye movements: they are computed anew or not needed")
    return readSampleTables(files, draft, options, (table) => openTable(table, options))
  },
}

/** Columns of a recording's averages, in mm, degrees or px. */
const AVERAGES = /^average (calibration|validation) (accuracy|precision)/i

/** Columns of each AOI, in Pro Lab and in Studio. */
const AOI_HITS = /^AOI ?hit\b|^AOI\[.*\] ?hit/i

const OUTSIDE = 'samples outside of any stimulus'
const OTHER_SENSOR = 'rows with gaze whose Sensor is not Eye Tracker'
/** Another program showed the stimuli, or the export contains only data from before the first stimulus. */
const NO_STIMULUS =
  'samples of files whose column Presented Stimulus name is empty in every row, as where another program showed the stimuli: ' +
  'fill that column in from the events or from what the program logged, and import it again, or name a column of items in a mapping'

/** Position in a recording: its participant, the stimulus of its last sample, and the test of that; -1 for none. */
type Place = { recording: string; participant: string; stimulus: string; test: number; hasStart: boolean }

function openTable(table: SampleTable, options: ReadOptions): (rows: TableRows) => void {
  const { batch, draft, number, text, leaveTimeless } = table
  const columns = checkedColumns(table, options)
  const unitMs = columns.timeUnitMs ?? assumedUnit(table, columns)
  const [recordingText, participantText] = [text(columns.recording), text(columns.participant)]
  const [stimulusText, eventText] = [text(columns.stimulus), text(columns.event)]
  const isGaze = gazeRows(table, columns)
  const readGaze = openGaze(table, columns)
  const mouse = openMouse(table, columns)
  const onsets = new Map<string, number>()
  const place: Place = { recording: '', participant: '', stimulus: '', test: -1, hasStart: false }
  const events = openEvents(table, options, place)
  const outside = openOutside(table)

  const startRecording = (rows: TableRows) => {
    events.drop()
    Object.assign(place, { recording: recordingText(rows), participant: participantText(rows), test: -1 })
    onsets.clear()
    mouse.forget()
  }
  const onEvent = (event: string, value: string, now: string, tMs: number) => {
    events.take(event, value, now, tMs)
    if (isStart(event)) {
      const shown = value || now
      // The start of a stimulus may follow its first sample; a second start begins it anew.
      if (shown === place.stimulus && place.test >= 0 && !place.hasStart) place.hasStart = true
      else {
        if (shown === place.stimulus) place.test = -1
        onsets.set(shown, tMs)
      }
    }
    if (isEnd(event)) place.test = -1
  }
  return (rows) => {
    const tMs = number(rows, columns.time) * unitMs
    if (Number.isNaN(tMs)) return leaveTimeless(rows, columns.time)
    if (recordingText(rows) !== place.recording || participantText(rows) !== place.participant) startRecording(rows)
    const event = eventText(rows)
    const now = stimulusText(rows)
    if (event !== '') onEvent(event, cellText(rows, columns.eventValue), now, tMs)
    if (now !== '') outside.seeStimulus()
    if (!isGaze(rows)) return mouse.onEvent(rows, now, now === place.stimulus ? place.test : -1)
    if (now === '') {
      place.test = -1
      return outside.leave()
    }
    if (place.test < 0 || now !== place.stimulus) {
      place.stimulus = now
      place.hasStart = onsets.has(now)
      if (!place.hasStart) noteFirstSampleOnset(draft, 'some stimuli have no event of their start')
      place.test = startTest(rows, table, columns, options, place, onsets.get(now) ?? tMs)
      onsets.delete(now)
      events.begin()
    }
    const i = batch.n++
    batch.test[i] = place.test
    batch.tMs[i] = tMs
    readGaze(rows, i)
    mouse.onSample(i, now)
  }
}

/** Counts samples outside of any stimulus; those of a recording without stimuli are reported differently. */
function openOutside({ leave }: SampleTable) {
  let samplesBeforeAny: number | null = 0
  return {
    leave: (): void => {
      if (samplesBeforeAny !== null) samplesBeforeAny++
      leave(samplesBeforeAny === null ? OUTSIDE : NO_STIMULUS)
    },
    seeStimulus: (): void => {
      if (samplesBeforeAny) {
        leave(NO_STIMULUS, -samplesBeforeAny)
        leave(OUTSIDE, samplesBeforeAny)
      }
      samplesBeforeAny = null
    },
  }
}

/** Adds events to the current test, or to the next one with the same stimulus. */
function openEvents({ draft, leave }: SampleTable, options: ReadOptions, place: Place) {
  const waiting: (Omit<DraftEvent, 'test'> & { stimulus: string })[] = []
  const count = (event: string) => {
    if (!options.events && place.test >= 0 && !isStart(event) && !isEnd(event) && event !== 'MouseEvent')
      addSeen(draft.messages, event)
  }
  return {
    take: (event: string, value: string, now: string, tMs: number): void => {
      const found = eventIn(event, options.events, value)
      const { test, stimulus } = place
      if (found === null) count(event)
      else if (test >= 0 && (now === stimulus || now === '')) addEvent(draft, { ...found, tMs, test })
      else if (now !== '') waiting.push({ ...found, tMs, stimulus: now })
      else leave(OUTSIDE_EVENT)
    },
    /** Adds those that wait for a test that has just begun. */
    begin: (): void => {
      const { test, stimulus } = place
      for (const { stimulus: of, ...one } of waiting.splice(0))
        if (of === stimulus) addEvent(draft, { ...one, test })
        else leave(OUTSIDE_EVENT)
    },
    drop: (): void => leave(OUTSIDE_EVENT, waiting.splice(0).length),
  }
}

function startTest(
  rows: TableRows,
  table: SampleTable,
  columns: TobiiColumns,
  options: ReadOptions,
  { recording, participant, stimulus }: Place,
  onsetMs: number,
): number {
  const { file, draft, number } = table
  const name = participant || table.fileName()
  if (participant === '' && columns.participant >= 0)
    noteAssumed(draft, 'rows that name no participant are of one, named after the file', file.name)
  const person = participantOf(draft, file, name)
  const size = displaySize(rows, columns)
  const screen = needScreen(size, name, options, file, draft)
  noteRecording(draft, {
    ...{ manufacturer: 'Tobii', screenWidthPx: size?.widthPx ?? null, screenHeightPx: size?.heightPx ?? null },
  })
  const [widthPx, heightPx] = [number(rows, columns.originalWidth), number(rows, columns.originalHeight)]
  const item = itemOf(draft, stimulus, widthPx >= 1 && heightPx >= 1 ? { widthPx, heightPx } : {})
  return addTest(draft, person, item, {
    displayOrder: nextDisplayOrder(draft, person),
    windowWidthPx: screen.widthPx,
    windowHeightPx: screen.heightPx,
    display: displayedRectangle(rows, columns, table, screen),
    notes: recording,
    onsetMs,
  })
}

function isStart(event: string): boolean {
  return event.endsWith('StimulusStart') || /^(URL|Image|Movie|Instruction)Start$/.test(event)
}

/** Returns whether an event ends an item. In Tobii Studio, the end of a medium may precede its last sample. */
function isEnd(event: string): boolean {
  return event.endsWith('StimulusEnd') || event === 'URLEnd'
}

function checkedColumns({ file, header, draft }: SampleTable, { kept }: ReadOptions): TobiiColumns {
  const columns = findTobiiColumns(tableHead(file))!
  if (columns.stimulus < 0)
    throw new ServiceError(
      'invalid_bundle',
      `${file.name} has no column Presented Stimulus name, so that nobody can tell what was looked at: export it with that`,
    )
  if (columns.participant < 0)
    noteAssumed(draft, 'a file that names no participant is one participant, named after the file', file.name)
  const hits = header.filter((name) => AOI_HITS.test(name))
  if (hits.length > 0)
    noteLeft(
      draft,
      `columns of AOI hits, which are computed anew once the AOIs are drawn: ${shortened(hits)}`,
      hits.length,
    )
  const averages = header.filter((name) => AVERAGES.test(name))
  if (averages.length > 0 && kept.externalData.length === 0)
    noteLeft(
      draft,
      `averages of a calibration, which name no targets and so are no validations: --external-data "${averages.at(-1)}" keeps one of them`,
    )
  const sides = columns.eyes.map(({ side }) => side)
  draft.eyes.add(columns.gaze !== null || sides.length === 2 ? 'both' : sides[0])
  if (columns.gaze === null) noteAssumed(draft, 'gaze is the mean of the eyes that are valid')
  return columns
}

function assumedUnit({ file, draft }: SampleTable, { time }: TobiiColumns): number {
  const { unitMs, name } = guessTimeUnit(tableHead(file)!, time)
  noteAssumed(draft, `times, which have no unit, are ${name}, by the step between them`, file.name)
  return unitMs
}

/**
 * Returns a predicate that distinguishes rows of gaze from those of the mouse, of keys and of other events, which are
 * not samples.
 */
function gazeRows({ text, leave }: SampleTable, { sensor, gazeIndex, events, gaze, eyes }: TobiiColumns) {
  const { x } = gaze ?? eyes[0]
  if (sensor >= 0) {
    const sensorText = text(sensor)
    return (rows: TableRows) => {
      const isTracker = /^eye ?tracker$/i.test(sensorText(rows))
      if (!isTracker && !isEmptyCell(rows, x)) leave(OTHER_SENSOR)
      return isTracker
    }
  }
  if (gazeIndex >= 0) return (rows: TableRows) => !isEmptyCell(rows, gazeIndex)
  return (rows: TableRows) => !isEmptyCell(rows, x) || events.every((event) => isEmptyCell(rows, event))
}

/** Opens the reader of a row's values. Without gaze of both eyes together, it is the mean of the valid eyes. */
function openGaze(table: SampleTable, { gaze, findValue }: TobiiColumns): (rows: TableRows, i: number) => void {
  const { batch, measured } = table
  const cells = findValues(TOBII_VALUES, table, TOBII_LOST, findValue)
  const readValues = openValues(gaze ? cells : cells.filter(({ into }) => !into.startsWith('gaze')), batch, measured)
  if (gaze !== null) return readValues
  return (rows, i) => {
    readValues(rows, i)
    meanOfEyesAt(batch.eyes, i, batch.gazeXPx, batch.gazeYPx)
  }
}
