import type { PxOrigin } from '../../../isomorphic/to-px.ts'
import { ServiceError } from '../../model/errors.ts'
import type { Recording } from '../../model/study.ts'
import { type Draft, noteAssumed, noteDoubt, noteLeft } from '../draft/draft.ts'
import type { Screen } from '../reader/reader.ts'
import type { Span } from '../reader/spans.ts'
import { folderOf } from '../text/file-names.ts'
import { columnIn, tableHead } from '../text/foreign-table.ts'
import { numberIn } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { forEachRow } from '../text/table-body.ts'
import { cellText } from '../text/table-rows.ts'

/** Events of a run. @param facts facts about the screen, in cm */
type RunEvents = {
  task: string
  screen: Screen | null
  origin: PxOrigin
  spans: Span[]
  facts: Recording
  /** Events that show no item. */
  said: EventValue[]
}

/** A message, on the clock of its run. */
export type EventValue = { name: string; value: string; tMs: number }

/** Reads the screen and the displayed items from the files beside a recording. */
export async function runOf(stem: string, all: SourceFile[], draft: Draft): Promise<RunEvents> {
  const task = /_task-([^_]+)/.exec(stem)?.[1] ?? 'task'
  let screen: Screen | null = null
  let origin: PxOrigin = 'top-left'
  let facts: Recording = {}
  let isSaid = false
  for (const file of sidecarsOf(stem, 'events', all)) {
    draft.usedFiles.add(file.name)
    const shown = readJsonObject(file)?.StimulusPresentation as Record<string, unknown> | undefined
    const size = shown?.ScreenResolution
    if (Array.isArray(size) && size[0] >= 1 && size[1] >= 1) screen = { widthPx: size[0], heightPx: size[1] }
    facts = { ...facts, ...screenFacts(shown ?? {}) }
    const corner = Array.isArray(shown?.ScreenOrigin) ? shown.ScreenOrigin.map((part) => String(part)) : []
    isSaid ||= corner.length > 0
    if (corner.length > 0) origin = originIn(corner, file.name)
  }
  if (!isSaid)
    noteAssumed(draft, 'positions count from the upper left of the screen, where no ScreenOrigin says otherwise')
  else if (origin !== 'top-left')
    noteAssumed(
      draft,
      `positions count from the ${origin === 'bottom-left' ? 'lower left' : 'centre'} of the screen, as ScreenOrigin says`,
    )
  const events = all.find((file) => file.name === `${stem}_events.tsv` || file.name === `${stem}_events.tsv.gz`)
  const table = events ? tableHead(events) : null
  if (!events || !table) return { task, screen, origin, facts, spans: [], said: [] }
  draft.usedFiles.add(events.name)
  return { task, screen, origin, facts, ...(await spansOf(events, table.header, draft)) }
}

/** @throws ServiceError invalid_bundle for a corner from which positions are not read */
function originIn(corner: string[], name: string): PxOrigin {
  const parts = corner.map((part) => part.toLowerCase().replace('centre', 'center')).sort()
  const known: Record<string, PxOrigin> = {
    'left top': 'top-left',
    'bottom left': 'bottom-left',
    'center center': 'center-y-up',
    center: 'center-y-up',
  }
  const origin = known[parts.join(' ')]
  if (origin !== undefined) return origin
  throw new ServiceError(
    'invalid_bundle',
    `${name} gives ${JSON.stringify(corner).slice(0, 60)} as ScreenOrigin; only ["top", "left"], ["bottom", "left"] and ["center", "center"] can be read`,
  )
}

/** Reads the size and distance of the screen, which BIDS has in m, but not their nominal values. */
function screenFacts(shown: Record<string, unknown>): Recording {
  const cm = (value: unknown) => (typeof value === 'number' ? Math.round(value * 1e6) / 1e4 : undefined)
  const [widthCm, heightCm] = Array.isArray(shown.ScreenSize) ? shown.ScreenSize.map(cm) : []
  const size = Array.isArray(shown.ScreenResolution) ? shown.ScreenResolution : []
  return {
    screenWidthPx: Number(size[0]) || undefined,
    screenHeightPx: Number(size[1]) || undefined,
    screenWidthCm: widthCm,
    screenHeightCm: heightCm,
    viewingDistanceCm: cm(shown.ScreenDistance),
  }
}

/** Finds the sidecars of a file, those in parent folders first, so that nearer ones override them. */
export function sidecarsOf(stem: string, suffix: string, all: SourceFile[]): SourceFile[] {
  const depth = ({ name }: SourceFile) => name.split('/').length
  return all.filter(({ name }) => appliesTo(name, stem, suffix)).sort((a, b) => depth(a) - depth(b))
}

/**
 * Returns whether a sidecar applies to a file: its name contains all entities of the sidecar, and it is in the
 * sidecar's folder or below.
 */
function appliesTo(sidecar: string, stem: string, suffix: string): boolean {
  if (!new RegExp(`(^|[/_])${suffix}\\.json$`).test(sidecar)) return false
  if (!`${folderOf(stem)}/`.startsWith(`${folderOf(sidecar)}/`)) return false
  const entities = sidecar.replace(/^.*\//, '').split('_').slice(0, -1)
  const own = stem.replace(/^.*\//, '').split('_')
  return entities.every((entity) => own.includes(entity))
}

/** Parses a small JSON file; null if it is not JSON. */
export function readJsonObject(file: SourceFile): Record<string, unknown> | null {
  try {
    return JSON.parse(file.head)
  } catch {
    return null
  }
}

async function spansOf(events: SourceFile, header: string[], draft: Draft) {
  const [onset, duration] = [columnIn(header, 'onset'), columnIn(header, 'duration')]
  const [file, type, value] = ['stim_file', 'trial_type', 'value'].map((name) => columnIn(header, name))
  const given: Given[] = []
  await forEachRow(events, draft, (rows) => {
    const text = (cell: number) => cellText(rows, cell).replace(/^n\/a$/, '')
    const startMs = numberIn(text(onset)) * 1000
    const durationMs = numberIn(text(duration)) * 1000
    const name = text(file) || text(type) || text(value)
    const more = text(type) === '' ? '' : text(value)
    if (name !== '' && !Number.isNaN(startMs))
      given.push({ name, value: more, startMs, durationMs, hasFile: text(file) !== '', hasType: text(type) !== '' })
  })
  return shownSpans(given, events.name, draft)
}

/** Largest overlap of two events that comes of rounded times. */
const ROUNDED_MS = 50

type Given = { name: string; value: string; startMs: number; durationMs: number; hasFile: boolean; hasType: boolean }

/** Selects the events that display something: if some name a picture, the others are not items, such as key presses. */
function shownSpans(given: Given[], fileName: string, draft: Draft): { spans: Span[]; said: EventValue[] } {
  const hasFiles = given.some((one) => one.hasFile)
  const isShown = ({ hasFile, hasType, durationMs }: Given) =>
    hasFile === hasFiles && (hasFile || (hasType && durationMs !== 0))
  const shown = given.filter(isShown)
  const said = given.filter((one) => !isShown(one)).map(({ name, value, startMs }) => ({ name, value, tMs: startMs }))
  if (given.length > shown.length)
    noteLeft(draft, 'events that show no item', given.length - shown.length, { file: fileName })
  shown.sort((a, b) => a.startMs - b.startMs)
  const cut = shown.findIndex(({ startMs, durationMs }, i) => startMs + durationMs > shown[i + 1]?.startMs + ROUNDED_MS)
  if (cut >= 0)
    noteDoubt(
      draft,
      `events of ${fileName} overlap: ${shown[cut].name} at ${shown[cut].startMs / 1000} s goes on when ${shown[cut + 1].name} begins, and is cut off there; remove the events that show no item`,
    )
  const spans = shown.map(({ name, startMs, durationMs }, i) => {
    const next = shown[i + 1]?.startMs ?? Number.POSITIVE_INFINITY
    return { name, startMs, endMs: durationMs > 0 ? Math.min(startMs + durationMs, next) : next, test: -1 }
  })
  return { spans, said }
}
