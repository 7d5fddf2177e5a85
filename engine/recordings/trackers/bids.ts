import { toPx } from '../../../shared/to-px.ts'
import { ServiceError } from '../../model/errors.ts'
import type { Recording as RecordingFacts } from '../../model/study.ts'
import { BATCH_ROWS, type Batch, makeBatch } from '../bundle/batch.ts'
import {
  addTest,
  type Draft,
  itemOf,
  nextDisplayOrder,
  noteAssumed,
  noteDoubt,
  noteLeft,
  participantOf,
  type RecordedEye,
} from '../bundle/draft.ts'
import { noteRecording } from '../bundle/recording-facts.ts'
import type { Reader, ReadOptions, Screen } from '../reader/reader.ts'
import { needScreen } from '../reader/screen.ts'
import { type Span, spanDuration, spanFinder } from '../reader/spans.ts'
import { POINT } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { cellNumber, openRows, type Rows } from '../text/table-rows.ts'
import { measured, noneUnreadable, noteUnreadable } from '../text/unreadable.ts'
import { readJson, runOf, sidecarsOf } from './bids-events.ts'

/**
 * Reads eye tracking in BIDS 1.11: `…_recording-…_physio.tsv.gz` without a header, whose JSON sidecar has `PhysioType:
 * eyetrack`, `Columns`, `SamplingFrequency` and `StartTime` (s); positions in the unit of their column, `n/a` where
 * lost. What was looked at comes from `…_events.tsv` (onset and duration in s, `stim_file` or `trial_type`), the screen
 * from `StimulusPresentation` of its JSON. The sidecar of a file has its name; sidecars of folders above apply as BIDS'
 * inheritance principle says. Drafts before 1.11 called the file `…_eyetrack.tsv.gz` and its columns after their eye,
 * and had the screen in its sidecar; some labs write a header.
 */
export const bids: Reader = {
  name: 'bids',
  title: 'BIDS eye tracking',
  recognises: ({ name, head }) =>
    EYETRACK.test(name) || (/^\s*\{/.test(head) && /"PhysioType"\s*:\s*"eyetrack"/.test(head)),
  async *read(_sidecars, all, draft, options) {
    const batch = makeBatch()
    const recordings = all.map((file) => recordingOf(file, all, draft)).filter((one) => one !== null)
    const subjects = nameSubjects(recordings, draft)
    for (const one of chooseEyes(recordings, draft))
      yield* readRecording(one, subjects(one), all, draft, options, batch)
    if (batch.n > 0) yield batch
  },
}

const RECORDED_EYES: Record<string, RecordedEye> = { left: 'left', right: 'right', cyclopean: 'both', both: 'both' }
const EYETRACK = /_eyetrack\.tsv(\.gz)?$/
const RECORDING = /_(physio|eyetrack)\.tsv(\.gz)?$/
const COLUMN_NAMES = {
  x: ['x_coordinate', 'eye1_x_coordinate', 'eye2_x_coordinate', 'gaze_x', 'x'],
  y: ['y_coordinate', 'eye1_y_coordinate', 'eye2_y_coordinate', 'gaze_y', 'y'],
  time: ['timestamp', 'eye_timestamp', 'eye1_timestamp'],
}

function columnOf({ Columns }: Sidecar, what: keyof typeof COLUMN_NAMES): number {
  const name = COLUMN_NAMES[what].find((one) => Columns.includes(one))
  return name === undefined ? -1 : Columns.indexOf(name)
}

type Sidecar = Record<string, unknown> & { Columns: string[] }
type Recording = { sidecar: Sidecar; hasHeader: boolean; data: SourceFile; stem: string; eye: string }

/**
 * Returns a recording with its sidecar; null for a file that is none: not one of samples, or of another kind than eye
 * tracking.
 */
function recordingOf(data: SourceFile, all: SourceFile[], draft: Draft): Recording | null {
  const suffix = RECORDING.exec(data.name)?.[1]
  if (suffix === undefined) return null
  const name = data.name.replace(RECORDING, '')
  const sidecar: Record<string, unknown> = {}
  for (const file of sidecarsOf(name, suffix, all)) {
    const json = readJson(file)
    if (json === null) throw new ServiceError('invalid_bundle', `${file.name} is no JSON`)
    draft.usedFiles.add(file.name)
    Object.assign(sidecar, json)
  }
  if (suffix === 'physio' && sidecar.PhysioType !== 'eyetrack') return null
  const named = headerIn(data)
  if (named) sidecar.Columns = named
  if (!Array.isArray(sidecar.Columns))
    throw new ServiceError('invalid_bundle', `${data.name} has no sidecar that gives its Columns`)
  const eye = String(sidecar.RecordedEye ?? '').toLowerCase()
  const hasGaze = columnOf(sidecar as Sidecar, 'x') >= 0 && columnOf(sidecar as Sidecar, 'y') >= 0
  if (suffix === 'eyetrack' && !hasGaze) {
    draft.usedFiles.add(data.name)
    noteLeft(draft, 'recordings without x and y, as of pupils or heads', 1, { file: data.name })
    return null
  }
  return {
    sidecar: sidecar as Sidecar,
    hasHeader: named !== null,
    data,
    stem: name.replace(/_recording-[^_]+$/, ''),
    eye,
  }
}

/** Returns the columns that the first row names, which BIDS does not have; null where it is a row of samples. */
function headerIn({ head }: SourceFile): string[] | null {
  const cells = head.slice(0, head.search(/\r?\n|$/)).split('\t')
  const hasNames = [...COLUMN_NAMES.x, ...COLUMN_NAMES.time].some((name) => cells.includes(name))
  return hasNames ? cells : null
}

/** Returns the screen as drafts of BIDS had it, beside the samples. */
function screenIn({ ScreenResolution: size }: Sidecar): Screen | null {
  return Array.isArray(size) && size[0] >= 1 && size[1] >= 1 ? { widthPx: size[0], heightPx: size[1] } : null
}

/**
 * Returns the name of a recording's subject. A label is unique within its dataset only, so if there are several, the
 * folder of the dataset is part of the name.
 */
function nameSubjects(recordings: Recording[], draft: Draft): (recording: Recording) => string {
  const datasetOf = ({ stem }: Recording) => /^(?:(.*)\/)?sub-[^/]+\//.exec(stem)?.[1] ?? ''
  const isAlone = new Set(recordings.map(datasetOf)).size < 2
  if (!isAlone) noteDoubt(draft, 'subjects of several datasets are called by the folder of theirs')
  return (recording) => {
    const subject = /(?:^|\/|_)sub-([^_/]+)/.exec(recording.stem)?.[1] ?? recording.stem
    return isAlone ? `sub-${subject}` : `${datasetOf(recording)}/sub-${subject}`
  }
}

/**
 * Chooses one eye of each run, since a test has one gaze: both eyes together if they were recorded so, else the first.
 */
function chooseEyes(recordings: Recording[], draft: Draft): Recording[] {
  const byRun = new Map<string, Recording[]>()
  for (const one of recordings) byRun.set(one.stem, [...(byRun.get(one.stem) ?? []), one])
  return [...byRun.values()].map((eyes) => {
    const chosen = eyes.find(({ eye }) => eye === 'cyclopean') ?? eyes[0]
    for (const { data } of eyes) draft.usedFiles.add(data.name)
    if (eyes.length > 1) {
      noteLeft(draft, 'recordings of a further eye', eyes.length - 1)
      noteAssumed(draft, 'of several eyes the cyclopean recording is taken, or else the first')
    }
    return chosen
  })
}

async function* readRecording(
  { sidecar, hasHeader, data, stem, eye }: Recording,
  subject: string,
  all: SourceFile[],
  draft: Draft,
  options: ReadOptions,
  batch: Batch,
): AsyncGenerator<Batch> {
  const run = await runOf(stem, all, draft)
  const screen = needScreen(run.screen ?? screenIn(sidecar), subject, options, data, draft)
  const [x, y] = [columnOf(sidecar, 'x'), columnOf(sidecar, 'y')]
  if (x < 0 || y < 0)
    throw new ServiceError('invalid_bundle', `${data.name} has no x_coordinate and y_coordinate among its Columns`)
  const place = toPx(unitOf(sidecar, data.name), run.origin, screen)
  const timeAt = openTime(sidecar, data, draft)
  const unreadable = noneUnreadable()
  const rows = openRows(data, '\t', draft)
  rows.width = sidecar.Columns.length
  let [outside, withoutTime] = [0, 0]
  const isTold = !/does not say/.test(String(sidecar.RecordedEyeDescription ?? ''))
  draft.eyes.add(isTold ? (RECORDED_EYES[eye] ?? null) : null)
  noteRecording(draft, { ...trackerOf(sidecar), ...measuredOf(run.facts, sidecar) })
  if (run.spans.length === 0)
    noteAssumed(draft, 'a run without events that say what was shown is one item, called as its task')
  const [startMs, endMs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  const spanAt = spanFinder(run.spans.length > 0 ? run.spans : [{ name: run.task, startMs, endMs, test: -1 }])
  let isHeader = hasHeader
  while (await rows.more()) {
    while (rows.next()) {
      if (isHeader) {
        isHeader = false
        continue
      }
      const tMs = timeAt(rows)
      const span = Number.isNaN(tMs) ? null : spanAt(tMs)
      if (span === null) {
        if (Number.isNaN(tMs)) withoutTime++
        else outside++
        continue
      }
      if (span.test < 0) span.test = startTest(span, tMs, data, subject, screen, draft)
      const i = batch.n++
      batch.test[i] = span.test
      batch.tMs[i] = tMs
      batch.gazeXPx[i] = measured(rows, x, POINT, unreadable) * place.xScale + place.xOffset
      batch.gazeYPx[i] = measured(rows, y, POINT, unreadable) * place.yScale + place.yOffset
      if (batch.n === BATCH_ROWS) {
        yield batch
        batch.n = 0
      }
    }
  }
  noteLeft(draft, "samples outside of any item's events", outside, { file: data.name })
  noteLeft(draft, 'rows without a time', withoutTime, { file: data.name })
  noteUnreadable(draft, data.name, unreadable)
}

/** Leaves out what a sidecar calls nominal, as ours do where nobody has measured it. */
function measuredOf(facts: RecordingFacts, { ScreenGeometry }: Sidecar): RecordingFacts {
  const geometry = String(ScreenGeometry ?? '')
  if (!/nominal/.test(geometry)) return facts
  const { screenWidthCm, screenHeightCm, viewingDistanceCm, ...measured } = facts
  return {
    ...measured,
    ...(/ScreenSize/.test(geometry) ? {} : { screenWidthCm, screenHeightCm }),
    ...(/ScreenDistance/.test(geometry) ? {} : { viewingDistanceCm }),
  }
}

/** Reads what a sidecar says of the tracker. */
function trackerOf(sidecar: Sidecar): RecordingFacts {
  const text = (name: string) => (typeof sidecar[name] === 'string' ? (sidecar[name] as string) : undefined)
  return {
    manufacturer: text('Manufacturer'),
    model: text('ManufacturersModelName'),
    calibrationType: text('CalibrationType'),
    nominalSamplingRateHz: Number(sidecar.SamplingFrequency) || undefined,
  }
}

function startTest(span: Span, tMs: number, data: SourceFile, subject: string, screen: Screen, draft: Draft): number {
  const participant = participantOf(draft, data, subject)
  return addTest(draft, participant, itemOf(draft, span.name), {
    displayOrder: nextDisplayOrder(draft, participant),
    durationMs: spanDuration(span),
    windowWidthPx: screen.widthPx,
    windowHeightPx: screen.heightPx,
    onsetMs: Number.isFinite(span.startMs) ? span.startMs : tMs,
  })
}

const TIME_UNITS: Record<string, number> = {
  s: 1000,
  sec: 1000,
  second: 1000,
  seconds: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ns: 1e-6,
}

/** Reads the time of each row on the clock of its events, ms: the first row's is StartTime. */
function openTime(sidecar: Sidecar, { name }: SourceFile, draft: Draft): (rows: Rows) => number {
  const column = columnOf(sidecar, 'time')
  const [hz, startMs] = [Number(sidecar.SamplingFrequency), Number(sidecar.StartTime ?? 0) * 1000]
  let row = 0
  if (column < 0) {
    if (hz > 0) return () => startMs + (row++ * 1000) / hz
    const rule = 'has neither a timestamp among its Columns nor a SamplingFrequency'
    throw new ServiceError('invalid_bundle', `${name} ${rule}`)
  }
  const unit = (sidecar[sidecar.Columns[column]] as { Units?: unknown } | undefined)?.Units
  const unitMs = TIME_UNITS[String(unit ?? 'ms').toLowerCase()]
  if (unitMs === undefined)
    throw new ServiceError('invalid_bundle', `${name} gives its timestamp in a unit that is not known here`)
  if (!unit) noteAssumed(draft, 'timestamps, which have no unit, are ms', name)
  let firstMs = Number.NaN
  return (rows) => {
    const stampMs = cellNumber(rows, column, POINT) * unitMs
    if (row++ === 0) firstMs = stampMs
    return startMs + (stampMs - firstMs)
  }
}

function unitOf(sidecar: Sidecar, name: string): 'px' | 'fraction' | 'percent' {
  const unit = (column: string) => String((sidecar[column] as { Units?: unknown } | undefined)?.Units ?? '')
  const given =
    unit(sidecar.Columns[columnOf(sidecar, 'x')]) ||
    String(sidecar.SampleCoordinateUnits ?? sidecar.SampleCoordinateUnit ?? '')
  if (/^(px|pix|pixels?)$/i.test(given)) return 'px'
  if (/^(normali[sz]ed|fraction|ratio|1|arbitrary \(0-1\))$/i.test(given)) return 'fraction'
  if (/^(%|percent)$/i.test(given)) return 'percent'
  throw new ServiceError(
    'invalid_bundle',
    `${name} gives positions in ${given === '' ? 'no unit' : given}; only pixels and shares of the screen can be read`,
  )
}
