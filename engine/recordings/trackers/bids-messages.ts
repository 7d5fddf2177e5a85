import { type Draft, noteLeft } from '../draft/draft.ts'
import { addEvent, eventIn, OUTSIDE_EVENT } from '../draft/draft-events.ts'
import { addSeen } from '../draft/seen-messages.ts'
import type { ReadOptions } from '../reader/reader.ts'
import type { Span } from '../reader/spans.ts'
import { numberIn } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { cellText, openRows } from '../text/table-rows.ts'
import { type EventValue, readJsonObject, sidecarsOf } from './bids-events.ts'
import { BIDS_TIME_UNITS, type Clock } from './bids-time.ts'

/**
 * Takes the messages of a run: those of its trackers (`message` in `_physioevents`), and its events that show no item.
 *
 * @param clock clock of the recording that was read
 */
export async function takeMessages(
  given: { stem: string; said: EventValue[]; spanAt: (tMs: number) => Span | null; clock: () => Clock },
  all: SourceFile[],
  draft: Draft,
  { events: pattern }: ReadOptions,
): Promise<void> {
  const { stem, said, spanAt, clock } = given
  const seen = new Set<string>()
  for (const { name, value, tMs } of [...said, ...(await messagesOf(stem, clock(), all, draft))]) {
    // Both eyes of a run have the same messages.
    const key = JSON.stringify([tMs, name, value])
    if (seen.has(key)) continue
    seen.add(key)
    if (!pattern) addSeen(draft.messages, name)
    const event = eventIn(name, pattern, value)
    const test = spanAt(tMs)?.test ?? -1
    if (event && test >= 0) addEvent(draft, { ...event, tMs, test })
    else if (event) noteLeft(draft, OUTSIDE_EVENT, 1, { first: event.name })
  }
}

/** Reads the `_physioevents` of a run. Onsets are in s or, if `OnsetSource` names them, on the clock of the samples. */
async function messagesOf(stem: string, clock: Clock, all: SourceFile[], draft: Draft): Promise<EventValue[]> {
  const found: EventValue[] = []
  for (const file of all) {
    const own =
      file.name.startsWith(stem) && /^(_recording-[^_]+)?_physioevents\.tsv(\.gz)?$/.test(file.name.slice(stem.length))
    if (!own) continue
    const sidecars = sidecarsOf(file.name.replace(/_physioevents\.tsv(\.gz)?$/, ''), 'physioevents', all)
    const sidecar: Record<string, unknown> = Object.assign({}, ...sidecars.map((one) => readJsonObject(one) ?? {}))
    const { Columns: columns, OnsetSource: source, onset } = sidecar
    for (const { name } of [file, ...sidecars]) draft.usedFiles.add(name)
    if (!Array.isArray(columns)) continue
    const [at, message, value] = ['onset', 'message', 'value'].map((name) => columns.indexOf(name))
    if (at < 0 || message < 0) continue
    const unitMs = BIDS_TIME_UNITS[String((onset as { Units?: unknown } | undefined)?.Units ?? '').toLowerCase()]
    const isOfSamples = source === 'timestamp'
    const scale = unitMs ?? (isOfSamples ? clock.unitMs : BIDS_TIME_UNITS.s)
    const rows = openRows(file, '\t', draft)
    rows.width = columns.length
    const text = (cell: number) => (cell < 0 ? '' : cellText(rows, cell).replace(/^n\/a$/, ''))
    while (await rows.more())
      while (rows.next()) {
        const [name, tMs] = [text(message), numberIn(text(at)) * scale + (isOfSamples ? clock.offsetMs : 0)]
        if (name !== '' && !Number.isNaN(tMs)) found.push({ name, value: text(value), tMs })
      }
  }
  return found
}
