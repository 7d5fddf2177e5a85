import { ServiceError } from '../../model/errors.ts'
import { addTest, type Draft, itemOf, nextDisplayOrder, noteLeft } from '../draft/draft.ts'
import { addEvent, eventIn, OUTSIDE_EVENT } from '../draft/draft-events.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import { addSeen } from '../draft/seen-messages.ts'
import type { Reader, ReadOptions } from '../reader/reader.ts'
import { readSampleTables, type SampleTable } from '../reader/sample-tables.ts'
import { type Span, spanDuration } from '../reader/spans.ts'
import { findValues, openValues, type ValueColumn } from '../reader/value-columns.ts'
import { folderOf } from '../text/file-names.ts'
import { hasColumns, tableHead } from '../text/foreign-table.ts'
import { msAfterAt, nanosecondsIn } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { cellText, isEmptyCell, type TableRows } from '../text/table-rows.ts'
import { openPupils, type PupilReader } from './pupil-eye-states.ts'
import {
  type PupilCompanions,
  type PupilRecording,
  readPupilCompanions,
  startInstant,
  startRecording,
  WHOLE_RECORDING,
} from './pupil-recordings.ts'

/** Gaze, which is lost while the glasses are not worn. */
const GAZE: ValueColumn[] = [
  { into: 'gazeXPx', name: 'gaze x [px]', unit: 'px', valid: ['worn'] },
  { into: 'gazeYPx', name: 'gaze y [px]', unit: 'px', valid: ['worn'] },
]
const NOT_WORN = /^(0|false|0\.0)$/i

/**
 * Reads time series of Pupil Cloud and of Neon Player: `gaze.csv` of each recording, in px of the scene camera from its
 * upper left and UTC nanoseconds, with `info.json`, `events.csv` and `3d_eye_states.csv` beside it. An item is the span
 * between two events of a recording, named after the first; `….end` ends one without beginning another.
 */
export const pupil: Reader = {
  name: 'pupil',
  title: 'Pupil Cloud or Neon time series',
  heeds: ['kept', 'events'],
  recognises: (file) => hasColumns(tableHead(file)?.header ?? [], 'timestamp [ns]', 'gaze x [px]', 'gaze y [px]'),
  async *read(files, all, draft, options) {
    noteRecording(draft, { manufacturer: 'Pupil Labs' })
    const companions = await readPupilCompanions(all, draft)
    const folderName = ({ name }: SourceFile) => folderOf(name).replace(/^.*\//, '')
    const recordings: PupilRecording[] = []
    const opened: (PupilReader | null)[] = []
    const open = async (table: SampleTable) => {
      const pupils = await openPupils(table, all)
      opened.push(pupils)
      return openTable(table, companions, options, recordings, pupils)
    }
    yield* readSampleTables(files, draft, options, open, folderName)
    for (const pupils of opened) pupils?.end()
    for (const recording of recordings) takeEvents(draft, recording, options)
  },
}

/** Keeps the events of a recording that was read, in the tests whose time contains them. */
function takeEvents(draft: Draft, { events, spanAt }: PupilRecording, { events: pattern }: ReadOptions): void {
  for (const { name, ms: tMs } of events) {
    const event = eventIn(name, pattern)
    const test = spanAt(tMs)?.test ?? -1
    if (event && test >= 0) addEvent(draft, { ...event, tMs, test })
    else if (event) noteLeft(draft, OUTSIDE_EVENT, 1, { first: name })
    else if (!pattern && !/^recording\.(begin|end)$/.test(name)) addSeen(draft.messages, name)
  }
}

function openTable(
  table: SampleTable,
  companions: PupilCompanions,
  options: ReadOptions,
  all: PupilRecording[],
  pupils: PupilReader | null,
): (rows: TableRows) => void {
  const { file, batch, draft, column, text, measured, leave, leaveTimeless } = table
  const [time, blink] = [column('timestamp [ns]'), column('blink id')]
  const gaze = findValues(GAZE, table, NOT_WORN, ({ name }) => column(name))
  const readGaze = openValues(gaze, batch, measured)
  const isNotWorn = gaze[0].isLost!
  const recordingId = text(column('recording id'))
  let last: string | null = null
  const recordings = new Map<string, PupilRecording>()
  let recording: PupilRecording | undefined

  const startAt = (rows: TableRows, id: string) => {
    const first = nanosecondsIn(cellText(rows, time))
    if (first === null)
      throw new ServiceError(
        'invalid_bundle',
        `${file.name}, line ${rows.line}: timestamp [ns] must be a whole number of ns, got ${JSON.stringify(cellText(rows, time).slice(0, 40))}: spreadsheets round it, so import the file as it was downloaded`,
      )
    const started = startRecording(id, first, recordings.size > 0, table, companions, options)
    recordings.set(id, started)
    all.push(started)
    return started
  }
  return (rows) => {
    const id = recordingId(rows)
    if (recording === undefined || id !== last) {
      last = id
      recording = recordings.get(id) ?? startAt(rows, id)
      pupils?.start(id, recording.origin)
    }
    const tMs = msAfterAt(recording.origin, rows.bytes, rows.starts[time], rows.ends[time])
    if (Number.isNaN(tMs)) return leaveTimeless(rows, time)
    const span = recording.spanAt(tMs)
    if (span === null) return leave("samples outside of any item's events")
    if (span.test < 0) span.test = addSpanTest(draft, recording, span, tMs)
    const i = batch.n++
    batch.test[i] = span.test
    batch.tMs[i] = tMs
    readGaze(rows, i)
    const isOff = isNotWorn(rows)
    if (isOff) leave('gaze points while the glasses were not worn')
    else if (!isEmptyCell(rows, blink)) {
      leave('gaze points within a blink')
      batch.gazeXPx[i] = batch.gazeYPx[i] = Number.NaN
    }
    pupils?.read(tMs, i, isOff)
  }
}

function addSpanTest(draft: Draft, recording: PupilRecording, span: Span, tMs: number): number {
  const { participant, camera, origin } = recording
  const onsetMs = span.name === WHOLE_RECORDING ? tMs : span.startMs
  return addTest(draft, participant, itemOf(draft, span.name), {
    displayOrder: nextDisplayOrder(draft, participant),
    createdAt: startInstant({ seconds: origin.seconds, nanoseconds: origin.nanoseconds + onsetMs * 1e6 }),
    durationMs: spanDuration(span),
    windowWidthPx: camera.widthPx,
    windowHeightPx: camera.heightPx,
    onsetMs,
  })
}
