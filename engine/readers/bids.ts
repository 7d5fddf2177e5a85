import { ServiceError } from '../model/errors.ts'
import { BATCH_ROWS, type Batch, makeBatch } from './batch.ts'
import { addTest, type Draft, itemOf, nextDisplayOrder, noteAssumed, noteLeft, participantOf } from './draft.ts'
import { folderOf } from './file-names.ts'
import { numberIn, POINT } from './numbers.ts'
import type { Reader, Screen } from './reader.ts'
import { cellNumber, openRows } from './rows.ts'
import { needScreen, type Origin, toPx } from './screen.ts'
import type { SourceFile } from './source-files.ts'
import { type Span, spanDuration, spanFinder } from './spans.ts'
import { columnIn, tableHead } from './table.ts'
import { measured, noneUnreadable, noteUnreadable } from './unreadable.ts'

/**
 * Eye tracking in BIDS 1.11: `…_recording-…_physio.tsv.gz` without a header, whose JSON sidecar has `PhysioType: eyetrack`, `Columns`,
 * `SamplingFrequency` and `StartTime` (s); positions in the unit of their column, `n/a` where lost. What was looked at comes from
 * `…_events.tsv` (onset and duration in s, `stim_file` or `trial_type`), the screen from `StimulusPresentation` of its JSON. The sidecar
 * of a file has its name; sidecars of folders above apply as BIDS' inheritance principle says.
 */
export const bids: Reader = {
  name: 'bids',
  title: 'BIDS eye tracking',
  recognises: (file) => isSidecar(file),
  async *read(_sidecars, all, draft, { screen }) {
    const batch = makeBatch()
    const recordings = all.map((file) => recordingOf(file, all, draft)).filter((one) => one !== null)
    for (const recording of chooseEyes(recordings, draft)) yield* readRecording(recording, all, draft, screen, batch)
    if (batch.n > 0) yield batch
  },
}

type Sidecar = Record<string, unknown> & { Columns: string[] }
type Recording = { sidecar: Sidecar; data: SourceFile; stem: string; eye: string }

function isSidecar({ head }: SourceFile): boolean {
  return /^\s*\{/.test(head) && /"PhysioType"\s*:\s*"eyetrack"/.test(head)
}

function readJson(file: SourceFile): Record<string, unknown> | null {
  try {
    return JSON.parse(file.head)
  } catch {
    return null
  }
}

/** null for a file that is none: not one of samples, or of another kind than eye tracking. */
function recordingOf(data: SourceFile, all: SourceFile[], draft: Draft): Recording | null {
  if (!/_physio\.tsv(\.gz)?$/.test(data.name)) return null
  const name = data.name.replace(/_physio\.tsv(\.gz)?$/, '')
  const sidecar: Record<string, unknown> = {}
  for (const file of sidecarsOf(name, 'physio', all)) {
    const json = readJson(file)
    if (json === null) throw new ServiceError('invalid_bundle', `${file.name} is no JSON`)
    draft.usedFiles.add(file.name)
    Object.assign(sidecar, json)
  }
  if (sidecar.PhysioType !== 'eyetrack') return null
  if (!Array.isArray(sidecar.Columns))
    throw new ServiceError('invalid_bundle', `${data.name} has no sidecar that gives its Columns`)
  const eye = String(sidecar.RecordedEye ?? '').toLowerCase()
  return { sidecar: sidecar as Sidecar, data, stem: name.replace(/_recording-[^_]+$/, ''), eye }
}

/** A test has one gaze, so of each run one eye: both eyes together if they were recorded so, else the first. */
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

async function* readRecording(
  { sidecar, data, stem }: Recording,
  all: SourceFile[],
  draft: Draft,
  given: Screen | null,
  batch: Batch,
): AsyncGenerator<Batch> {
  const { name } = data
  const run = await runOf(stem, all, draft)
  const screen = needScreen(run.screen, given, name, draft)
  const [time, x, y] = ['timestamp', 'x_coordinate', 'y_coordinate'].map((column) => sidecar.Columns.indexOf(column))
  if (x < 0 || y < 0)
    throw new ServiceError('invalid_bundle', `${name} has no x_coordinate and y_coordinate among its Columns`)
  const place = toPx(unitOf(sidecar, name), run.origin, screen)
  const [hz, startMs] = [Number(sidecar.SamplingFrequency), Number(sidecar.StartTime ?? 0) * 1000]
  const unitMs = TIME_UNITS[String((sidecar.timestamp as { Units?: unknown } | undefined)?.Units ?? 'ms').toLowerCase()]
  if (time >= 0 && !(sidecar.timestamp as { Units?: unknown } | undefined)?.Units)
    noteAssumed(draft, `the timestamps of ${data.name}, which have no unit, are ms`)
  if (time < 0 && !(hz > 0))
    throw new ServiceError(
      'invalid_bundle',
      `${name} has neither a timestamp among its Columns nor a SamplingFrequency`,
    )
  if (time >= 0 && unitMs === undefined)
    throw new ServiceError('invalid_bundle', `${name} gives its timestamp in a unit that is not known here`)
  const subject = /(?:^|\/|_)sub-([^_/]+)/.exec(stem)?.[1] ?? stem
  const participant = participantOf(draft, subject, { externalId: `sub-${subject}` })
  const spans =
    run.spans.length > 0
      ? run.spans
      : [{ name: run.task, startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY, test: -1 }]
  if (run.spans.length === 0)
    noteAssumed(draft, 'a run without events that say what was shown is one item, called as its task')
  const unreadable = noneUnreadable()
  const rows = openRows(data, '\t', draft)
  rows.width = sidecar.Columns.length
  let firstTime = Number.NaN
  let [row, outside, withoutTime] = [0, 0, 0]
  const spanAt = spanFinder(spans)
  while (await rows.more()) {
    while (rows.next()) {
      const stamp = time < 0 ? Number.NaN : cellNumber(rows, time, POINT) * unitMs
      if (row === 0) firstTime = stamp
      const tMs = startMs + (time < 0 ? (row * 1000) / hz : stamp - firstTime)
      row++
      if (Number.isNaN(tMs)) {
        withoutTime++
        continue
      }
      const span = spanAt(tMs)
      if (span === null) {
        outside++
        continue
      }
      if (span.test < 0)
        span.test = addTest(draft, participant, itemOf(draft, span.name), {
          displayOrder: nextDisplayOrder(draft, participant),
          durationMs: spanDuration(span),
          windowWidthPx: screen.widthPx,
          windowHeightPx: screen.heightPx,
          onsetMs: Number.isFinite(span.startMs) ? span.startMs : tMs,
        })
      const i = batch.n++
      batch.test[i] = span.test
      batch.tMs[i] = tMs
      const gazeX = measured(rows, x, POINT, unreadable)
      const gazeY = measured(rows, y, POINT, unreadable)
      batch.gazeXPx[i] = gazeX * place.xScale + place.xOffset
      batch.gazeYPx[i] = gazeY * place.yScale + place.yOffset
      if (batch.n === BATCH_ROWS) {
        yield batch
        batch.n = 0
      }
    }
  }
  noteLeft(draft, `samples of ${data.name} outside of any item's events`, outside)
  noteLeft(draft, `rows of ${data.name} without a time`, withoutTime)
  noteUnreadable(draft, data.name, unreadable)
}

function unitOf(sidecar: Sidecar, name: string): 'px' | 'fraction' | 'percent' {
  const unit = (column: string) => String((sidecar[column] as { Units?: unknown } | undefined)?.Units ?? '')
  const given = unit('x_coordinate') || String(sidecar.SampleCoordinateUnits ?? sidecar.SampleCoordinateUnit ?? '')
  if (/^(px|pix|pixels?)$/i.test(given)) return 'px'
  if (/^(normali[sz]ed|fraction|ratio|1|arbitrary \(0-1\))$/i.test(given)) return 'fraction'
  if (/^(%|percent)$/i.test(given)) return 'percent'
  throw new ServiceError(
    'invalid_bundle',
    `${name} gives positions in ${given === '' ? 'no unit' : given}; only pixels and shares of the screen can be read`,
  )
}

type Run = { task: string; screen: Screen | null; origin: Origin; spans: Span[] }

/** What the files beside a recording say of the screen and of what was shown. */
async function runOf(stem: string, all: SourceFile[], draft: Draft): Promise<Run> {
  const task = /_task-([^_]+)/.exec(stem)?.[1] ?? 'task'
  let screen: Screen | null = null
  let origin: Origin = 'top-left'
  for (const file of sidecarsOf(stem, 'events', all)) {
    draft.usedFiles.add(file.name)
    const shown = readJson(file)?.StimulusPresentation as Record<string, unknown> | undefined
    const size = shown?.ScreenResolution
    if (Array.isArray(size) && size[0] >= 1 && size[1] >= 1) screen = { widthPx: size[0], heightPx: size[1] }
    const corner = Array.isArray(shown?.ScreenOrigin) ? shown.ScreenOrigin.join(' ').toLowerCase() : ''
    if (corner.includes('bottom')) origin = 'bottom-left'
    else if (corner.includes('center')) origin = 'center-y-up'
  }
  const events = all.find((file) => file.name === `${stem}_events.tsv` || file.name === `${stem}_events.tsv.gz`)
  const table = events ? tableHead(events) : null
  if (!events || !table) return { task, screen, origin, spans: [] }
  draft.usedFiles.add(events.name)
  return { task, screen, origin, spans: await spansOf(events, table.header, table.separator, draft) }
}

/** The sidecars of a file, those of folders above first, so that nearer ones win. */
function sidecarsOf(stem: string, suffix: string, all: SourceFile[]): SourceFile[] {
  const depth = ({ name }: SourceFile) => name.split('/').length
  return all.filter(({ name }) => appliesTo(name, stem, suffix)).sort((a, b) => depth(a) - depth(b))
}

/** A sidecar applies to files of its folder and below whose names have all of its entities. */
function appliesTo(sidecar: string, stem: string, suffix: string): boolean {
  if (!new RegExp(`(^|[/_])${suffix}\\.json$`).test(sidecar)) return false
  if (!`${folderOf(stem)}/`.startsWith(`${folderOf(sidecar)}/`)) return false
  const entities = sidecar.replace(/^.*\//, '').split('_').slice(0, -1)
  const own = stem.replace(/^.*\//, '').split('_')
  return entities.every((entity) => own.includes(entity))
}

async function spansOf(events: SourceFile, header: string[], separator: string, draft: Draft): Promise<Span[]> {
  const [onset, duration] = [columnIn(header, 'onset'), columnIn(header, 'duration')]
  const [file, type] = [columnIn(header, 'stim_file'), columnIn(header, 'trial_type')]
  const rows = openRows(events, separator, draft)
  const given: { name: string; startMs: number; durationMs: number; hasFile: boolean }[] = []
  await rows.more()
  rows.next()
  rows.width = header.length
  do {
    while (rows.next()) {
      const text = (cell: number) => {
        const value = cell < 0 ? '' : Buffer.from(rows.bytes.slice(rows.starts[cell], rows.ends[cell])).toString()
        return value === 'n/a' ? '' : value
      }
      const startMs = numberIn(text(onset)) * 1000
      const durationMs = numberIn(text(duration)) * 1000
      const name = text(file) || text(type)
      if (name !== '' && !Number.isNaN(startMs)) given.push({ name, startMs, durationMs, hasFile: text(file) !== '' })
    }
  } while (await rows.more())
  // Where some events name a picture, the others are no items, like key presses.
  const hasFiles = given.some((one) => one.hasFile)
  const shown = given.filter((one) => one.hasFile === hasFiles && !(one.durationMs === 0 && !hasFiles))
  if (given.length > shown.length)
    noteLeft(draft, `events of ${events.name} that show no item`, given.length - shown.length)
  shown.sort((a, b) => a.startMs - b.startMs)
  return shown.map(({ name, startMs, durationMs }, i) => {
    const next = shown[i + 1]?.startMs ?? Number.POSITIVE_INFINITY
    return { name, startMs, endMs: durationMs > 0 ? Math.min(startMs + durationMs, next) : next, test: -1 }
  })
}
