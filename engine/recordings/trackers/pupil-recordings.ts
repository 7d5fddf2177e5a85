import { type Draft, noteAssumed, noteDoubt, noteLeft, participantOf } from '../draft/draft.ts'
import type { ReadOptions, Screen } from '../reader/reader.ts'
import type { SampleTable } from '../reader/sample-tables.ts'
import { givenScreen } from '../reader/screen.ts'
import { type Span, spanFinder } from '../reader/spans.ts'
import { folderOf } from '../text/file-names.ts'
import { columnIn, hasColumns, tableHead } from '../text/foreign-table.ts'
import { msAfter, type Nanoseconds, nanosecondsIn, numberIn } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { forEachRow } from '../text/table-body.ts'
import { cellText, repeatedText } from '../text/table-rows.ts'

type Info = {
  recordingId: string
  wearerId: string
  wearerName: string
  start: Nanoseconds | null
  camera: Screen | null
}
type Event = { time: Nanoseconds; name: string }

/** Files beside recordings, by recording id and by folder. */
export type PupilCompanions = { infos: Map<string, Info>; events: Map<string, Event[]> }

/** The recording being read; times are ms after `origin`. */
export type PupilRecording = {
  origin: Nanoseconds
  participant: number
  camera: Screen
  spanAt: (tMs: number) => Span | null
  /** Ordered by time. */
  events: { name: string; ms: number }[]
}

/** Sizes of the scene cameras, in px, from the manufacturer. */
const NEON: Screen = { widthPx: 1600, heightPx: 1200 }
const INVISIBLE: Screen = { widthPx: 1088, heightPx: 1080 }

export async function readPupilCompanions(all: SourceFile[], draft: Draft): Promise<PupilCompanions> {
  return { infos: readInfos(all, draft), events: await readEvents(all, draft) }
}

function readInfos(all: SourceFile[], draft: Draft): Map<string, Info> {
  const infos = new Map<string, Info>()
  for (const file of all) {
    if (!file.isWholeHead || !/"recording_id"/.test(file.head) || !/"start_time"/.test(file.head)) continue
    const info = infoIn(file)
    if (info === null) {
      noteLeft(draft, 'an info.json that is not JSON', null, { file: file.name })
      continue
    }
    draft.usedFiles.add(file.name)
    infos.set(info.recordingId, info)
    infos.set(folderOf(file.name), info)
  }
  return infos
}

function infoIn({ head }: SourceFile): Info | null {
  let json: Record<string, unknown>
  try {
    json = JSON.parse(head)
  } catch {
    return null
  }
  const text = (name: string) => (typeof json[name] === 'string' ? (json[name] as string) : '')
  const isNeon = 'module_serial_number' in json || 'frame_name' in json
  const isInvisible = 'glasses_serial_number' in json || 'scene_camera_serial_number' in json
  return {
    recordingId: text('recording_id'),
    wearerId: text('wearer_id'),
    wearerName: text('wearer_name'),
    // The number has more digits than a double; parse them from the text.
    start: nanosecondsIn(/"start_time"\s*:\s*(\d+)/.exec(head)?.[1] ?? ''),
    camera: isNeon ? NEON : isInvisible ? INVISIBLE : null,
  }
}

/** Reads events, ordered by time. */
async function readEvents(all: SourceFile[], draft: Draft): Promise<Map<string, Event[]>> {
  const events = new Map<string, Event[]>()
  for (const file of all) {
    const table = tableHead(file)
    if (table === null || !hasColumns(table.header, 'timestamp [ns]', 'name')) continue
    if (columnIn(table.header, 'gaze x [px]') >= 0) continue
    draft.usedFiles.add(file.name)
    const [time, name] = [columnIn(table.header, 'timestamp [ns]'), columnIn(table.header, 'name')]
    const id = repeatedText(columnIn(table.header, 'recording id'))
    await forEachRow(file, draft, (rows) => {
      const at = nanosecondsIn(cellText(rows, time))
      if (at === null) return
      const key = id(rows) || folderOf(file.name)
      const list = events.get(key) ?? []
      if (list.length === 0) events.set(key, list)
      list.push({ time: at, name: cellText(rows, name) })
    })
  }
  for (const list of events.values()) list.sort((a, b) => msAfter(b.time, a.time))
  return events
}

/**
 * Begins a recording.
 *
 * @param first time of its first sample
 * @param isFurther whether the file contained another recording before
 */
export function startRecording(
  id: string,
  first: Nanoseconds,
  isFurther: boolean,
  { file, draft, fileName }: SampleTable,
  { infos, events }: PupilCompanions,
  options: ReadOptions,
): PupilRecording {
  const folder = folderOf(file.name)
  const info = infos.get(id) ?? infos.get(folder)
  const ownName = fileName() || id
  const name = info?.wearerName || info?.wearerId || (isFurther && ownName !== id ? `${ownName} (${id})` : ownName)
  if (!info) noteAssumed(draft, 'a wearer whom no info.json names is named after the folder', file.name)
  if (!info && isFurther)
    noteDoubt(
      draft,
      `${file.name} holds several recordings, and no info.json says who wore the glasses: each is taken to be a participant of its own`,
    )
  const camera = givenScreen(options, name) ?? sceneCamera(info, file, draft)
  const origin = info?.start ?? first
  const participant = participantOf(draft, file, info?.wearerId || name, {
    externalId: name,
    createdAt: info?.start ? startInstant(info.start) : '',
  })
  const list = (events.get(id) ?? events.get(folder) ?? []).map((event) => ({
    name: event.name,
    ms: msAfter(origin, event.time),
  }))
  // A message that is kept as an event does not begin an item.
  const borders = list.filter(({ name: event }) => !options.events?.test(event))
  const { spans, cut } = spansOf(borders, msAfter(origin, first))
  if (cut !== null)
    noteDoubt(
      draft,
      `events of ${name} overlap: ${cut.name} goes on when ${cut.by} begins, and is cut off there; --event-message keeps events that begin no item`,
    )
  if (spans[0].name === WHOLE_RECORDING)
    noteAssumed(draft, 'a recording without events of its own is one item, the whole of it')
  return { origin, participant, camera, spanAt: spanFinder(spans), events: list }
}

/** Returns the size of the scene camera: from info.json, otherwise inferred from the file's angles. */
function sceneCamera(info: Info | undefined, file: SourceFile, draft: Draft): Screen {
  const measured = info?.camera ? null : cameraByAngles(file)
  const camera = info?.camera ?? measured ?? NEON
  const size = `${camera.widthPx} × ${camera.heightPx} px of the scene camera`
  if (info?.camera) noteAssumed(draft, `positions are in the ${size}`)
  else if (measured)
    noteAssumed(draft, `positions are in the ${size}, whose middle is where azimuth and elevation are 0`)
  else
    noteDoubt(
      draft,
      `positions are taken to be in the ${size} of Neon, since no info.json says which glasses they were: of Pupil Invisible it has ${INVISIBLE.widthPx} × ${INVISIBLE.heightPx}; --screen gives it`,
    )
  return camera
}

/**
 * Largest distance, in px, of the middle of a picture from the point at which the angles are 0: lenses are not quite
 * centred.
 */
const OFF_CENTRE_PX = 110
/** Least spread of angles, in degrees, from which a slope can be computed. */
const SPREAD_DEG = 0.5

/**
 * Infers the camera from the point at which azimuth and elevation are 0; null if the file has no angles, or they match
 * no camera.
 */
function cameraByAngles(file: SourceFile): Screen | null {
  const { header, rows, decimalMark } = tableHead(file)!
  const zeroOf = (angle: string, place: string) => {
    const [from, to] = [columnIn(header, angle), columnIn(header, place)]
    const pairs = rows.map((cells) => [
      numberIn(cells[from] ?? '', decimalMark),
      numberIn(cells[to] ?? '', decimalMark),
    ])
    return placeAtZero(pairs.filter(([deg, px]) => !Number.isNaN(deg + px)))
  }
  const [x, y] = [zeroOf('azimuth [deg]', 'gaze x [px]'), zeroOf('elevation [deg]', 'gaze y [px]')]
  const isMiddle = ({ widthPx, heightPx }: Screen) =>
    Math.abs(x - widthPx / 2) <= OFF_CENTRE_PX && !(Math.abs(y - heightPx / 2) > OFF_CENTRE_PX)
  return [INVISIBLE, NEON].find(isMiddle) ?? null
}

/** Returns the zero of a line fitted to positions by angle; NaN if they do not determine it. */
function placeAtZero(pairs: number[][]): number {
  const n = pairs.length
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / n
  const [deg, px] = [mean(pairs.map(([one]) => one)), mean(pairs.map(([, one]) => one))]
  const variance = mean(pairs.map(([one]) => (one - deg) ** 2))
  if (Math.sqrt(variance) < SPREAD_DEG) return Math.abs(deg) < SPREAD_DEG ? px : Number.NaN
  return px - (deg * mean(pairs.map(([one, place]) => (one - deg) * (place - px)))) / variance
}

export const WHOLE_RECORDING = 'whole recording'

const BEGINS = /[._ -](begin|start|onset)$|^(begin|start|onset)[._ -]/i
const ENDS = /[._ -](end|stop|offset)$|^(end|stop|offset)[._ -]/i

/**
 * Converts events to spans of items: "face.begin" or "start face" to its end, or "face" to the next event.
 *
 * @returns `cut`: the first item whose own end comes after another item began
 */
function spansOf(
  events: { name: string; ms: number }[],
  firstMs: number,
): { spans: Span[]; cut: { name: string; by: string } | null } {
  const spans: Span[] = []
  let cut: { name: string; by: string } | null = null
  const close = (ms: number) => {
    const open = spans.at(-1)
    if (open && open.endMs === Number.POSITIVE_INFINITY) open.endMs = ms
  }
  for (const { name, ms } of events) {
    if (name === 'recording.begin') continue
    close(ms)
    if (ENDS.test(name)) cut ??= cutBefore(spans, name.replace(ENDS, ''))
    if (name === 'recording.end' || ENDS.test(name)) continue
    const item = name.replace(BEGINS, '') || name
    spans.push({ name: item, startMs: ms, endMs: Number.POSITIVE_INFINITY, test: -1 })
  }
  const lasting = spans.filter(({ startMs, endMs }) => endMs > startMs)
  if (lasting.length > 0) return { spans: lasting, cut }
  const whole = { name: WHOLE_RECORDING, startMs: Math.min(0, firstMs), endMs: Number.POSITIVE_INFINITY, test: -1 }
  return { spans: [whole], cut: null }
}

/** Returns an item that ends although another one began before; null if it is the last that began. */
function cutBefore(spans: Span[], name: string): { name: string; by: string } | null {
  const at = spans.findLastIndex((span) => span.name === name)
  return at < 0 || at === spans.length - 1 ? null : { name, by: spans[at + 1].name }
}

/** Formats a time of day in UTC, to the ms. */
export function startInstant({ seconds, nanoseconds }: Nanoseconds): string {
  return new Date(seconds * 1000 + Math.floor(nanoseconds / 1e6)).toISOString()
}
