import { type PositionUnit, type PxOrigin, placeOn, type ToPx, toPx } from '../../../isomorphic/to-px.ts'
import { meanOfEyesAt } from '../../compute/eyes.ts'
import { ServiceError } from '../../model/errors.ts'
import { EYE_PAIRS, type EyeColumn } from '../../model/eye-columns.ts'
import type { Recording as RecordingFacts } from '../../model/study.ts'
import { BATCH_ROWS, type Batch } from '../draft/batch.ts'
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
} from '../draft/draft.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import type { ReadOptions, Screen } from '../reader/reader.ts'
import { needScreen } from '../reader/screen.ts'
import { type Span, spanDuration, spanFinder } from '../reader/spans.ts'
import { openValues } from '../reader/value-columns.ts'
import { POINT } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import type { TableRows } from '../text/table-rows.ts'
import { measured, noneUnreadable, noteUnreadable, type Unreadable } from '../text/unreadable.ts'
import { openBeside, openBidsSamples } from './bids-beside.ts'
import { runOf } from './bids-events.ts'
import { eyeCells } from './bids-eyes.ts'
import { takeMessages } from './bids-messages.ts'
import { type BidsSource, bidsColumnOf, type Run, type Sidecar, screenIn } from './bids-recordings.ts'
import { openTime } from './bids-time.ts'

const RECORDED_EYES: Record<string, RecordedEye> = { left: 'left', right: 'right', cyclopean: 'both', both: 'both' }

/** Reads the samples and messages of a run. @param subject name of the participant */
export async function* readRun(
  { first, others }: Run,
  subject: string,
  all: SourceFile[],
  draft: Draft,
  options: ReadOptions,
  batch: Batch,
): AsyncGenerator<Batch> {
  const { sidecar, data, stem } = first
  const run = await runOf(stem, all, draft)
  const screen = needScreen(run.screen ?? screenIn(sidecar), subject, options, data, draft)
  const axes = axesIn(first)
  const placeOf = ({ sidecar: said, data: { name } }: BidsSource) =>
    placeIn(unitOf(said, name, draft), run, measuredOf(run.facts, said), screen, name)
  const place = placeOf(first)
  const startMs = startOf(sidecar, run.spans, data, draft)
  const timeAt = openTime(sidecar, data, draft, startMs)
  const unreadable = noneUnreadable()
  const { readEyes, beside, isMean } = openEyes({ first, others }, { placeOf, startMs }, draft, batch, unreadable)
  const readGaze = isMean ? meanOfEyes(batch) : openGaze(axes, place, batch, unreadable)
  let [outside, withoutTime] = [0, 0]
  noteRecording(draft, { ...trackerOf(sidecar), ...measuredOf(run.facts, sidecar) })
  const spanAt = spanFinder(spansOf(run, draft))
  const rows = openBidsSamples(first, draft)
  while (await rows.more()) {
    while (rows.next()) {
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
      readEyes(rows, i)
      for (const other of beside) while (!other.read(tMs, i)) await other.load()
      readGaze(rows, i)
      if (batch.n === BATCH_ROWS) {
        yield batch
        batch.n = 0
        loseEyes(batch)
      }
    }
  }
  noteLeft(draft, "samples outside of any item's events", outside, { file: data.name })
  noteLeft(draft, 'rows without a time', withoutTime, { file: data.name })
  noteUnreadable(draft, data.name, unreadable)
  for (const other of beside) other.end()
  noteUnseen(run.spans, data, draft)
  await takeMessages({ stem, said: run.said, spanAt, clock: timeAt.clock }, all, draft, options)
}

/** Reports items of which a run has no sample, as where their times are in another unit or on another clock. */
function noteUnseen(spans: Span[], { name: file }: SourceFile, draft: Draft): void {
  const unseen = spans.filter(({ test }) => test < 0)
  if (unseen.length === 0) return
  const [{ name, startMs }] = unseen
  noteDoubt(
    draft,
    `${unseen.length.toLocaleString('en')} of ${spans.length.toLocaleString('en')} events that show an item have no sample in ${file}, such as ${name} at ${startMs / 1000} s: check that onset and duration are in s, on the clock of the samples`,
  )
}

/** Returns the columns of gaze. @throws ServiceError invalid_bundle if there are none */
function axesIn({ sidecar, data }: BidsSource): { x: number; y: number } {
  const [x, y] = [bidsColumnOf(sidecar, 'x'), bidsColumnOf(sidecar, 'y')]
  if (x < 0 || y < 0)
    throw new ServiceError('invalid_bundle', `${data.name} has no x_coordinate and y_coordinate among its Columns`)
  return { x, y }
}

/** Returns the items of a run in time; without events, the whole run is one. */
function spansOf({ spans, task }: { spans: Span[]; task: string }, draft: Draft): Span[] {
  if (spans.length > 0) return spans
  noteAssumed(draft, 'runs without stimulus events became one item named after the task')
  return [{ name: task, startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY, test: -1 }]
}

/** Opens the gaze of samples: the mean of both eyes, which were read before. */
function meanOfEyes({ eyes, gazeXPx, gazeYPx }: Batch): ReadGaze {
  return (_rows, i) => meanOfEyesAt(eyes, i, gazeXPx, gazeYPx)
}

/** Opens the gaze of samples: two columns, as px. */
function openGaze({ x, y }: { x: number; y: number }, place: ToPx, batch: Batch, unreadable: Unreadable): ReadGaze {
  const { xScale, yScale, xOffset, yOffset, xEyesPx, yEyesPx } = place
  return (rows, i) => {
    batch.gazeXPx[i] = placeOn(measured(rows, x, POINT, unreadable), xScale, xOffset, xEyesPx)
    batch.gazeYPx[i] = placeOn(measured(rows, y, POINT, unreadable), yScale, yOffset, yEyesPx)
  }
}

type ReadGaze = (rows: TableRows, i: number) => void

/**
 * Returns the time of the first sample, from the StartTime of the sidecar. One later than all events is of the
 * tracker's own clock, as some converters write it: then the recording is taken to begin with the run.
 */
function startOf({ StartTime }: Sidecar, spans: Span[], { name }: SourceFile, draft: Draft): number {
  const startMs = Number(StartTime ?? 0) * 1000
  const lastMs = Math.max(...spans.map((span) => (Number.isFinite(span.endMs) ? span.endMs : span.startMs)))
  if (spans.length === 0 || !(startMs > lastMs)) return startMs
  noteDoubt(
    draft,
    `StartTime is later than all events, such as ${startMs / 1000} s of ${name}, and is taken to be the clock of the tracker: the first sample counts as the beginning of the run`,
  )
  return 0
}

/** Opens the eyes of all recordings of a run; `isMean`: the gaze is the mean of both. */
function openEyes(
  { first, others }: Run,
  { placeOf, startMs }: { placeOf: (one: BidsSource) => ToPx; startMs: number },
  draft: Draft,
  batch: Batch,
  unreadable: Unreadable,
) {
  const cellsOf = (one: BidsSource) => eyeCells(one.sidecar, one.eye, placeOf(one), one.data, draft)
  const own = cellsOf(first)
  loseEyes(batch)
  const readEyes = openValues(own, batch, (rows, cell) => measured(rows, cell, POINT, unreadable))
  const ofOthers = others.map((one) => ({ one, cells: cellsOf(one) }))
  const beside = ofOthers.map(({ one, cells }) =>
    openBeside(one, cells, batch, draft, one.sidecar.StartTime === first.sidecar.StartTime ? startMs : undefined),
  )
  const cells = [...own, ...ofOthers.flatMap((other) => other.cells)]
  const hasGaze = (column: EyeColumn) => cells.some((one) => one.into === column)
  const isMean = first.eye !== 'cyclopean' && EYE_PAIRS.flat().every(hasGaze)
  const isTold = !/does not say/.test(String(first.sidecar.RecordedEyeDescription ?? ''))
  draft.eyes.add(isMean ? 'both' : isTold ? (RECORDED_EYES[first.eye] ?? null) : null)
  if (isMean) noteAssumed(draft, 'gaze of two eyes is their mean, or that of the one that was not lost')
  return { readEyes, beside, isMean }
}

/** Clears the eye values from the next sample on: another file may have other columns. */
function loseEyes({ n, eyes }: Batch): void {
  for (const values of Object.values(eyes)) values.fill(Number.NaN, n)
}

/** Omits facts that a sidecar marks as nominal, as our own do for unmeasured screens. */
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

/** Reads a sidecar's facts about the tracker. */
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

/** Returns the conversion of positions to px, for degrees by the screen's size and distance. */
function placeIn(
  unit: PositionUnit,
  { origin }: { origin: PxOrigin },
  { screenWidthCm, screenHeightCm, viewingDistanceCm }: RecordingFacts,
  screen: Screen,
  name: string,
): ToPx {
  if (unit !== 'deg') return toPx(unit, origin, screen)
  if (screenWidthCm === undefined || viewingDistanceCm === undefined)
    throw new ServiceError(
      'invalid_bundle',
      `${name} gives positions in degrees, of which px can only be made with ScreenSize and ScreenDistance: add them to StimulusPresentation in the sidecar of events`,
    )
  if (!origin.startsWith('center'))
    throw new ServiceError(
      'invalid_bundle',
      `${name} gives positions in degrees that do not count from the centre of the screen: ScreenOrigin in the sidecar of events must be ["center", "center"]`,
    )
  return toPx(unit, origin, screen, { screenWidthCm, screenHeightCm, viewingDistanceCm })
}

function unitOf(sidecar: Sidecar, name: string, draft: Draft): PositionUnit {
  const said = (axis: 'x' | 'y') => {
    const column = sidecar.Columns[bidsColumnOf(sidecar, axis)]
    return String((sidecar[column] as { Units?: unknown } | undefined)?.Units ?? '')
  }
  const given = said('x') || String(sidecar.SampleCoordinateUnits ?? sidecar.SampleCoordinateUnit ?? '')
  if (given === '' && sidecar.PhysioType === undefined) {
    noteDoubt(draft, 'positions without a unit in the sidecars are taken to be px of the screen')
    return 'px'
  }
  const unit = unitIn(given)
  if (unit === null)
    throw new ServiceError(
      'invalid_bundle',
      `${name} gives positions in ${given === '' ? 'no unit' : given}; only pixels, shares of the screen and degrees can be read`,
    )
  if (said('y') !== '' && unitIn(said('y')) !== unit)
    throw new ServiceError(
      'invalid_bundle',
      `${name} gives x in ${given} and y in ${said('y').slice(0, 60)}: both must have the same unit`,
    )
  return unit
}

/** Returns the unit of a sidecar's text; null for any other text. */
function unitIn(text: string): PositionUnit | null {
  if (/^(px|pix|pixels?)$/i.test(text)) return 'px'
  if (/^(normali[sz]ed|fraction|ratio|1|arbitrary \(0-1\))$/i.test(text)) return 'fraction'
  if (/^(%|percent)$/i.test(text)) return 'percent'
  return /^(°|dva|(visual )?deg(ree)?s?( of visual angle)?)$/i.test(text) ? 'deg' : null
}
