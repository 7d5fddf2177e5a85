import { type Draft, noteAssumed, noteLeft, participantOf } from '../bundle/draft.ts'
import type { ReadOptions, Screen } from '../reader/reader.ts'
import type { SampleTable } from '../reader/sample-tables.ts'
import { givenScreen } from '../reader/screen.ts'
import { type Span, spanFinder } from '../reader/spans.ts'
import { folderOf } from '../text/file-names.ts'
import { columnIn, hasColumns, tableHead } from '../text/foreign-table.ts'
import { msAfter, type Nanoseconds, nanosecondsIn } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { openTableBody } from '../text/table-body.ts'
import { cellText, repeatedText } from '../text/table-rows.ts'

type Info = {
  recordingId: string
  wearerId: string
  wearerName: string
  start: Nanoseconds | null
  camera: Screen | null
}
type Event = { time: Nanoseconds; name: string }

/** Files that lie beside recordings, by the id of the recording and by folder. */
export type Companions = { infos: Map<string, Info>; events: Map<string, Event[]> }

/** A recording that is being read; times are ms after `origin`. */
export type Recording = {
  origin: Nanoseconds
  participant: number
  camera: Screen
  spanAt: (tMs: number) => Span | null
}

/** Sizes of the scene cameras, in px, as the makers give them. */
const NEON: Screen = { widthPx: 1600, heightPx: 1200 }
const INVISIBLE: Screen = { widthPx: 1088, heightPx: 1080 }

export async function readCompanions(all: SourceFile[], draft: Draft): Promise<Companions> {
  return { infos: readInfos(all, draft), events: await readEvents(all, draft) }
}

function readInfos(all: SourceFile[], draft: Draft): Map<string, Info> {
  const infos = new Map<string, Info>()
  for (const file of all) {
    if (!file.isWholeHead || !/"recording_id"/.test(file.head) || !/"start_time"/.test(file.head)) continue
    const info = infoIn(file)
    if (info === null) {
      noteLeft(draft, 'an info.json that is no JSON', null, { file: file.name })
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
    // The number has more digits than a double; its text has them all.
    start: nanosecondsIn(/"start_time"\s*:\s*(\d+)/.exec(head)?.[1] ?? ''),
    camera: isNeon ? NEON : isInvisible ? INVISIBLE : null,
  }
}

/** Reads events, in time. */
async function readEvents(all: SourceFile[], draft: Draft): Promise<Map<string, Event[]>> {
  const events = new Map<string, Event[]>()
  for (const file of all) {
    const table = tableHead(file)
    if (table === null || !hasColumns(table.header, 'timestamp [ns]', 'name')) continue
    if (columnIn(table.header, 'gaze x [px]') >= 0) continue
    draft.usedFiles.add(file.name)
    const [time, name] = [columnIn(table.header, 'timestamp [ns]'), columnIn(table.header, 'name')]
    const id = repeatedText(columnIn(table.header, 'recording id'))
    const rows = await openTableBody(file, draft)
    do {
      while (rows.next()) {
        const at = nanosecondsIn(cellText(rows, time))
        if (at === null) continue
        const key = id(rows) || folderOf(file.name)
        const list = events.get(key) ?? []
        if (list.length === 0) events.set(key, list)
        list.push({ time: at, name: cellText(rows, name) })
      }
    } while (await rows.more())
  }
  for (const list of events.values()) list.sort((a, b) => msAfter(b.time, a.time))
  return events
}

/** Begins a recording. @param first the time of its first sample */
export function startRecording(
  id: string,
  first: Nanoseconds,
  { file, draft, fileName }: SampleTable,
  { infos, events }: Companions,
  options: ReadOptions,
): Recording {
  const folder = folderOf(file.name)
  const info = infos.get(id) ?? infos.get(folder)
  const name = info?.wearerName || info?.wearerId || fileName() || id
  if (!info) noteAssumed(draft, 'a wearer of whom no info.json says anything is called as the folder', file.name)
  const given = givenScreen(options, name)
  const camera = given ?? info?.camera ?? NEON
  if (!given) noteAssumed(draft, `positions are in the ${camera.widthPx} × ${camera.heightPx} px of the scene camera`)
  const origin = info?.start ?? first
  const participant = participantOf(draft, file, info?.wearerId || name, {
    externalId: name,
    createdAt: info?.start ? instant(info.start) : '',
  })
  const list = (events.get(id) ?? events.get(folder) ?? []).map((event) => ({
    name: event.name,
    ms: msAfter(origin, event.time),
  }))
  const spans = spansOf(list, msAfter(origin, first))
  if (spans[0].name === WHOLE) noteAssumed(draft, 'a recording without events of its own is one item, the whole of it')
  return { origin, participant, camera, spanAt: spanFinder(spans) }
}

export const WHOLE = 'whole recording'

/** Makes items of what lies between events: "face.begin" to "face.end", or "face" to the next. */
function spansOf(events: { name: string; ms: number }[], firstMs: number): Span[] {
  const spans: Span[] = []
  const close = (ms: number) => {
    const open = spans.at(-1)
    if (open && open.endMs === Number.POSITIVE_INFINITY) open.endMs = ms
  }
  for (const { name, ms } of events) {
    if (name === 'recording.begin') continue
    close(ms)
    if (name === 'recording.end' || /[._ -](end|stop|offset)$/i.test(name)) continue
    const item = name.replace(/[._ -](begin|start|onset)$/i, '') || name
    spans.push({ name: item, startMs: ms, endMs: Number.POSITIVE_INFINITY, test: -1 })
  }
  const lasting = spans.filter(({ startMs, endMs }) => endMs > startMs)
  if (lasting.length > 0) return lasting
  return [{ name: WHOLE, startMs: Math.min(0, firstMs), endMs: Number.POSITIVE_INFINITY, test: -1 }]
}

/** Writes a time of day in UTC, to the ms. */
export function instant({ seconds, nanoseconds }: Nanoseconds): string {
  return new Date(seconds * 1000 + Math.floor(nanoseconds / 1e6)).toISOString()
}
