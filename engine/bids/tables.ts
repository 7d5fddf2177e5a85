import type { Fixations } from '../compute/fixations.ts'
import type { Samples } from '../compute/gaze.ts'
import { NUMBER_BYTES, putFraction, putJsonNumber, putText } from '../csv/numbers.ts'
import { createSink, finish, reserve, type Sink } from '../csv/sink.ts'

const TAB = 9
const LF = 10

/** The columns of `_physio.tsv.gz`, in order; the file itself has no header. */
export const PHYSIO_COLUMNS = ['timestamp', 'x_coordinate', 'y_coordinate', 'scroll_y']

/**
 * A row per recorded sample, by time: seconds from item onset, gaze and scroll in px of the window; `n/a` where gaze is lost.
 *
 * @returns blocks of bytes, in order
 */
export function physioRows({ n, tUs, gazeXPx, gazeYPx, scrollYPx }: Samples): Uint8Array[] {
  const sink = createSink()
  for (const i of inTime(tUs, n)) {
    reserve(sink, 4 * NUMBER_BYTES + 4)
    putSeconds(sink, tUs[i], TAB)
    putValue(sink, gazeXPx[i], TAB)
    putValue(sink, gazeYPx[i], TAB)
    putValue(sink, scrollYPx[i], LF)
  }
  return finish(sink)
}

/** The samples' indexes by time, equal times as recorded. */
function inTime(tUs: Float64Array, n: number): Uint32Array | number[] {
  const order = Uint32Array.from({ length: n }, (_, i) => i)
  for (let i = 1; i < n; i++) if (tUs[i] < tUs[i - 1]) return order.sort((a, b) => tUs[a] - tUs[b] || a - b)
  return order
}

/** When the first sample was taken, in s from item onset, and how many there were a second; null where that cannot be said. */
export function timing({ n, tUs }: Samples): { startS: number; hz: number } | null {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < n; i++) {
    first = Math.min(first, tUs[i])
    last = Math.max(last, tUs[i])
  }
  return last > first ? { startS: first / 1e6, hz: Math.round(((n - 1) / (last - first)) * 1e10) / 1e4 } : null
}

/** The columns of `_physioevents.tsv.gz`, in order; the file itself has no header. */
export const PHYSIOEVENTS_COLUMNS = ['onset', 'duration', 'trial_type', 'x_percent', 'y_percent', 'amplitude_percent']

/** A row per fixation, and one per saccade that led to it, by onset, in the scale of the samples' timestamps. */
export function physioEventRows(fixations: Fixations): Uint8Array[] {
  const { n, startUs, endUs, xPercent, yPercent, hasSaccade, saccadeAmplitudePercent } = fixations
  const sink = createSink()
  const put = (fromUs: number, toUs: number, type: string, x: number, y: number, amplitude: number) => {
    reserve(sink, 5 * NUMBER_BYTES + 16)
    putSeconds(sink, fromUs, TAB)
    putSeconds(sink, toUs - fromUs, TAB)
    sink.length = putText(sink.bytes, sink.length, type)
    sink.bytes[sink.length++] = TAB
    putPercent(sink, x, TAB)
    putPercent(sink, y, TAB)
    putPercent(sink, amplitude, LF)
  }
  for (let f = 0; f < n; f++) {
    if (hasSaccade[f] === 1)
      put(endUs[f - 1], startUs[f], 'saccade', Number.NaN, Number.NaN, saccadeAmplitudePercent[f])
    put(startUs[f], endUs[f], 'fixation', xPercent[f], yPercent[f], Number.NaN)
  }
  return finish(sink)
}

export type Click = { tUs: number; xPx: number; yPx: number }

export function clicksOf({ n, tUs, isClick, mouseXPx, mouseYPx }: Samples): Click[] {
  const clicks: Click[] = []
  for (let i = 0; i < n; i++) if (isClick[i] === 1) clicks.push({ tUs: tUs[i], xPx: mouseXPx[i], yPx: mouseYPx[i] })
  return clicks
}

/**
 * `_events.tsv`, with its header: the item from its onset on, and every click, by onset.
 *
 * @param item its name as a cell, and its picture's place below stimuli/, if it is there
 */
export function eventsTsv(item: { name: string; picture: string | null }, durationUs: number | null, clicks: Click[]) {
  const number = (value: number) => (Number.isFinite(value) ? String(value === 0 ? 0 : value) : 'n/a')
  const shown = ['0', durationUs === null ? 'n/a' : number(durationUs / 1e6), item.name, item.picture ?? 'n/a']
  const rows = [
    { tUs: 0, cells: [...shown, 'n/a', 'n/a'] },
    ...clicks.map(({ tUs, xPx, yPx }) => ({
      tUs,
      cells: [number(tUs / 1e6), '0', 'click', 'n/a', number(xPx), number(yPx)],
    })),
  ].sort((a, b) => a.tUs - b.tUs)
  const header = ['onset', 'duration', 'trial_type', 'stim_file', 'mouse_x', 'mouse_y']
  // A column of nothing but n/a says nothing.
  const kept = header.map((name) => name !== 'stim_file' || item.picture !== null)
  const line = (cells: string[]) => `${cells.filter((_, c) => kept[c]).join('\t')}\n`
  return [header, ...rows.map(({ cells }) => cells)].map(line).join('')
}

function putSeconds(sink: Sink, us: number, behind: number): void {
  sink.length = putFraction(sink.bytes, sink.length, us / 1e6)
  sink.bytes[sink.length++] = behind
}

function putPercent(sink: Sink, value: number, behind: number): void {
  sink.length = Number.isNaN(value)
    ? putText(sink.bytes, sink.length, 'n/a')
    : putFraction(sink.bytes, sink.length, value)
  sink.bytes[sink.length++] = behind
}

function putValue(sink: Sink, value: number, behind: number): void {
  sink.length = Number.isNaN(value)
    ? putText(sink.bytes, sink.length, 'n/a')
    : putJsonNumber(sink.bytes, sink.length, value)
  sink.bytes[sink.length++] = behind
}
