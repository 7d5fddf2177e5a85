import { ServiceError } from '../model/errors.ts'
import { BATCH_ROWS, makeBatch } from './batch.ts'
import { addTest, type Draft, itemOf, nextDisplayOrder, noteAssumed, noteLeft, participantOf } from './draft.ts'
import { folderOf } from './file-names.ts'
import { msAfter, msAfterAt, type Nanoseconds, nanosecondsIn } from './numbers.ts'
import type { Reader, Screen } from './reader.ts'
import { cellText, isEmptyCell, openRows, repeatedText } from './rows.ts'
import type { SourceFile } from './source-files.ts'
import { type Span, spanDuration, spanFinder } from './spans.ts'
import { columnIn, hasColumns, tableHead } from './table.ts'
import { measured, noneUnreadable, noteUnreadable } from './unreadable.ts'

/**
 * Time series of Pupil Cloud and of Neon Player: `gaze.csv` of each recording, in px of the scene camera from its upper left and UTC
 * nanoseconds, with `info.json` and `events.csv` beside it. An item is what lies between two events of a recording, called as the
 * first of them; `….end` ends one without beginning another.
 */
export const pupil: Reader = {
  name: 'pupil',
  title: 'Pupil Cloud or Neon time series',
  recognises: (file) => hasColumns(tableHead(file)?.header ?? [], 'timestamp [ns]', 'gaze x [px]', 'gaze y [px]'),
  async *read(files, all, draft, { screen }) {
    const infos = await readInfos(all, draft)
    const events = await readEvents(all, draft)
    const batch = makeBatch()
    for (const file of files) {
      const { header, separator, decimalMark } = tableHead(file)!
      const column = (name: string) => columnIn(header, name)
      const [time, x, y] = [column('timestamp [ns]'), column('gaze x [px]'), column('gaze y [px]')]
      const [worn, blink] = [repeatedText(column('worn')), column('blink id')]
      const recordingId = repeatedText(column('recording id'))
      const unreadable = noneUnreadable()
      const rows = openRows(file, separator, draft)
      let last: string | null = null
      let recording: Recording | null = null
      let [outside, notWorn, blinking, withoutTime] = [0, 0, 0, 0]
      await rows.more()
      rows.next()
      rows.width = header.length
      do {
        while (rows.next()) {
          const id = recordingId(rows)
          if (recording === null || id !== last) {
            last = id
            const first = nanosecondsIn(cellText(rows, time))
            if (first === null)
              throw new ServiceError('invalid_bundle', `${file.name}, line ${rows.line}: has no timestamp`)
            recording = startRecording(id, file, first, infos, events, screen, draft)
          }
          const tMs = msAfterAt(recording.origin, rows.bytes, rows.starts[time], rows.ends[time])
          if (Number.isNaN(tMs)) {
            withoutTime++
            continue
          }
          const span = recording.spanAt(tMs)
          if (span === null) {
            outside++
            continue
          }
          if (span.test < 0) span.test = addSpanTest(draft, recording, span, tMs)
          const i = batch.n++
          batch.test[i] = span.test
          batch.tMs[i] = tMs
          const gazeX = measured(rows, x, decimalMark, unreadable)
          const gazeY = measured(rows, y, decimalMark, unreadable)
          const isOff = /^(0|false|0\.0)$/i.test(worn(rows))
          const isBlink = !isEmptyCell(rows, blink)
          if (isOff) notWorn++
          else if (isBlink) blinking++
          batch.gazeXPx[i] = isOff || isBlink ? Number.NaN : gazeX
          batch.gazeYPx[i] = isOff || isBlink ? Number.NaN : gazeY
          if (batch.n === BATCH_ROWS) {
            yield batch
            batch.n = 0
          }
        }
      } while (await rows.more())
      noteLeft(draft, `gaze points of ${file.name} while the glasses were not worn`, notWorn)
      noteLeft(draft, `gaze points of ${file.name} within a blink`, blinking)
      noteLeft(draft, `samples of ${file.name} outside of any item's events`, outside)
      noteLeft(draft, `rows of ${file.name} without a time`, withoutTime)
      noteUnreadable(draft, file.name, unreadable)
    }
    if (batch.n > 0) yield batch
  },
}

type Info = {
  recordingId: string
  wearerId: string
  wearerName: string
  start: Nanoseconds | null
  camera: Screen | null
}
type Event = { time: Nanoseconds; name: string }
type Recording = { origin: Nanoseconds; participant: number; camera: Screen; spanAt: (tMs: number) => Span | null }

/** Of the scene cameras, in px, as the makers give them. */
const NEON: Screen = { widthPx: 1600, heightPx: 1200 }
const INVISIBLE: Screen = { widthPx: 1088, heightPx: 1080 }

/** By the id of the recording, and by folder. */
async function readInfos(all: SourceFile[], draft: Draft): Promise<Map<string, Info>> {
  const infos = new Map<string, Info>()
  for (const file of all) {
    if (!file.isWholeHead || !/"recording_id"/.test(file.head) || !/"start_time"/.test(file.head)) continue
    let json: Record<string, unknown>
    try {
      json = JSON.parse(file.head)
    } catch {
      noteLeft(draft, `${file.name}, which is no JSON`)
      continue
    }
    const text = (name: string) => (typeof json[name] === 'string' ? (json[name] as string) : '')
    // The number has more digits than a double; its text has them all.
    const start = nanosecondsIn(/"start_time"\s*:\s*(\d+)/.exec(file.head)?.[1] ?? '')
    const isNeon = 'module_serial_number' in json || 'frame_name' in json
    const isInvisible = 'glasses_serial_number' in json || 'scene_camera_serial_number' in json
    const info: Info = {
      recordingId: text('recording_id'),
      wearerId: text('wearer_id'),
      wearerName: text('wearer_name'),
      start,
      camera: isNeon ? NEON : isInvisible ? INVISIBLE : null,
    }
    draft.usedFiles.add(file.name)
    infos.set(info.recordingId, info)
    infos.set(folderOf(file.name), info)
  }
  return infos
}

/** By the id of the recording where the files have it, else by folder; in time. */
async function readEvents(all: SourceFile[], draft: Draft): Promise<Map<string, Event[]>> {
  const events = new Map<string, Event[]>()
  for (const file of all) {
    const table = tableHead(file)
    if (table === null || !hasColumns(table.header, 'timestamp [ns]', 'name')) continue
    if (columnIn(table.header, 'gaze x [px]') >= 0) continue
    draft.usedFiles.add(file.name)
    const [time, name] = [columnIn(table.header, 'timestamp [ns]'), columnIn(table.header, 'name')]
    const id = repeatedText(columnIn(table.header, 'recording id'))
    const rows = openRows(file, table.separator, draft)
    await rows.more()
    rows.next()
    rows.width = table.header.length
    do {
      while (rows.next()) {
        const at = nanosecondsIn(cellText(rows, time))
        if (at === null) continue
        const key = id(rows) || folderOf(file.name)
        events.set(key, [...(events.get(key) ?? []), { time: at, name: cellText(rows, name) }])
      }
    } while (await rows.more())
  }
  for (const list of events.values()) list.sort((a, b) => msAfter(b.time, a.time))
  return events
}

function startRecording(
  id: string,
  file: SourceFile,
  first: Nanoseconds,
  infos: Map<string, Info>,
  events: Map<string, Event[]>,
  screen: Screen | null,
  draft: Draft,
): Recording {
  const folder = folderOf(file.name)
  const info = infos.get(id) ?? infos.get(folder)
  const name = info?.wearerName || info?.wearerId || folder.replace(/^.*\//, '') || id
  if (!info) noteAssumed(draft, `${file.name} has no info.json beside it: its wearer is called ${name}`)
  const camera = screen ?? info?.camera ?? NEON
  if (!screen) noteAssumed(draft, `positions are in the ${camera.widthPx} × ${camera.heightPx} px of the scene camera`)
  const origin = info?.start ?? first
  const participant = participantOf(draft, info?.wearerId || name, {
    externalId: name,
    createdAt: info?.start ? instant(info.start) : '',
  })
  const list = events.get(id) ?? events.get(folder) ?? []
  const spans = spansOf(
    list.map(({ time, name }) => ({ name, ms: msAfter(origin, time) })),
    msAfter(origin, first),
  )
  if (spans.length === 1 && spans[0].name === WHOLE)
    noteAssumed(draft, 'a recording without events of its own is one item, the whole of it')
  return { origin, participant, camera, spanAt: spanFinder(spans) }
}

const WHOLE = 'whole recording'

/** What lies between events: "face.begin" to "face.end", or "face" to whatever comes next. */
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
  if (spans.length > 0) return spans.filter(({ startMs, endMs }) => endMs > startMs)
  return [{ name: WHOLE, startMs: Math.min(0, firstMs), endMs: Number.POSITIVE_INFINITY, test: -1 }]
}

function addSpanTest(draft: Draft, recording: Recording, span: Span, tMs: number): number {
  const { participant, camera, origin } = recording
  const onsetMs = span.name === WHOLE ? tMs : span.startMs
  return addTest(draft, participant, itemOf(draft, span.name), {
    displayOrder: nextDisplayOrder(draft, participant),
    createdAt: instant({ seconds: origin.seconds, nanoseconds: origin.nanoseconds + onsetMs * 1e6 }),
    durationMs: spanDuration(span),
    windowWidthPx: camera.widthPx,
    windowHeightPx: camera.heightPx,
    onsetMs,
  })
}

/** UTC, to the ms. */
function instant({ seconds, nanoseconds }: Nanoseconds): string {
  return new Date(seconds * 1000 + Math.floor(nanoseconds / 1e6)).toISOString()
}
