import type { Fixations } from '../../../compute/fixation-list.ts'
import type { Samples } from '../../../compute/gaze.ts'
import { textEncoder } from '../../../formats/text.ts'
import { type Column, column, fractions, type Rows } from '../../../model/columns.ts'
import type { Events } from '../../../model/study.ts'
import { fractionText } from '../../../text/cells.ts'
import { bytesWritten } from '../../../text/sink.ts'
import type { BidsRecording } from './bids-recordings.ts'

const GAZE = [
  column('timestamp', 'number', 's', 'When the sample was taken'),
  column('x_coordinate', 'number', 'px', 'Gaze, from the left'),
  column('y_coordinate', 'number', 'px', 'Gaze, from the top'),
]
const SCROLL = column('scroll_y', 'number', 'px', 'How far the page was scrolled down')

function physioOf({ further }: BidsRecording): Column[] {
  return [...GAZE, ...further.map(({ name, units }) => column(name, 'number', units, name)), SCROLL]
}

/** Returns the columns of `_physio.tsv.gz`, in order; the file itself has no header. */
export function physioColumns(recording: BidsRecording): string[] {
  return physioOf(recording).map(({ name }) => name)
}

/** Formats rows as tab-separated text without a header; a missing value is `n/a`. */
function toTsv(columns: Column[], rows: Rows): Uint8Array {
  const dialect = {
    before: columns.map((_, c) => (c === 0 ? '' : '\t')),
    behind: '\n',
    cell: (value: unknown) =>
      value === null ? 'n/a' : typeof value === 'number' ? fractionText(value) : String(value),
    missing: () => 'n/a',
    quote: '',
  }
  return bytesWritten((sink) => {
    const encoder = textEncoder(columns, dialect, sink)
    encoder.write(rows)
    encoder.end()
  })
}

/**
 * Returns one row per recorded sample, ordered by time: seconds from item onset, gaze and scroll in px of the window,
 * and the eye columns; `n/a` for a lost value.
 */
export function physioTsv(samples: Samples, recording: BidsRecording): Uint8Array {
  const { n, tUs, scrollYPx, eyes = {} } = samples
  const order = inTime(tUs, n)
  const exact = (values: Float64Array) => ({
    kind: 'exact' as const,
    values: Float64Array.from(order, (i) => values[i]),
  })
  const seconds = fractions(Float64Array.from(order, (i) => tUs[i] / 1e6))
  const values = [...recording.gaze(samples), ...recording.further.map((one) => eyes[one.column]!), scrollYPx]
  return toTsv(physioOf(recording), { n, cells: [seconds, ...values.map(exact)] })
}

/** Returns the indexes of samples ordered by time; equal times keep their recorded order. */
function inTime(tUs: Float64Array, n: number): Uint32Array {
  const order = Uint32Array.from({ length: n }, (_, i) => i)
  for (let i = 1; i < n; i++) if (tUs[i] < tUs[i - 1]) return order.sort((a, b) => tUs[a] - tUs[b] || a - b)
  return order
}

/** Returns the time of the first sample, in s from item onset, and the sampling rate in Hz; null if unknown. */
export function timing({ n, tUs }: Samples): { startS: number; hz: number } | null {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < n; i++) {
    first = Math.min(first, tUs[i])
    last = Math.max(last, tUs[i])
  }
  return last > first ? { startS: first / 1e6, hz: Math.round(((n - 1) / (last - first)) * 1e10) / 1e4 } : null
}

const PHYSIOEVENTS = [
  column('onset', 'number', 's', 'When it began'),
  column('duration', 'number', 's', 'Duration'),
  column('trial_type', 'string', '', 'fixation or saccade'),
  column('x_percent', 'number', '%', 'Mean position, from the left', 'n/a'),
  column('y_percent', 'number', '%', 'Mean position, from the top', 'n/a'),
  column('amplitude_percent', 'number', '%', 'How far a saccade went', 'n/a'),
]

const MESSAGES = [
  column('message', 'string', '', 'Name of an event of the experiment', 'n/a'),
  column('value', 'string', '', 'Its value', 'n/a'),
]

/** Returns the columns of `_physioevents.tsv.gz`, in order; the file itself has no header. */
export function physioEventsColumns(hasMessages: boolean): string[] {
  return [...PHYSIOEVENTS, ...(hasMessages ? MESSAGES : [])].map(({ name }) => name)
}

const TYPES = ['saccade', 'fixation', 'n/a']

/**
 * Returns a row per fixation and a row per saccade, ordered by onset, on the clock of the samples.
 *
 * @param messages events of the experiment, one row each; null in a study without any
 */
export function physioEventsTsv(fixations: Fixations, messages: Events | null): Uint8Array {
  const { n, startUs, endUs, xPercent, yPercent, hasSaccade, saccadeAmplitudePercent } = fixations
  const rows: number[][] = []
  for (let f = 0; f < n; f++) {
    const saccade = [endUs[f - 1], startUs[f], 0, Number.NaN, Number.NaN, saccadeAmplitudePercent[f]]
    if (hasSaccade[f] === 1) rows.push(saccade)
    rows.push([startUs[f], endUs[f], 1, xPercent[f], yPercent[f], Number.NaN])
  }
  const none = [Number.NaN, Number.NaN, Number.NaN]
  for (const [i, tUs] of (messages?.tUs ?? []).entries()) rows.push([tUs, tUs, 2, ...none, i])
  if (messages !== null) rows.sort((a, b) => a[0] - b[0])
  const numbers = (value: (row: number[]) => number) => fractions(Float64Array.from(rows, value))
  const types = { kind: 'texts' as const, dictionary: TYPES, indexes: Int32Array.from(rows, ([, , type]) => type) }
  const times = [numbers(([from]) => from / 1e6), numbers(([from, to]) => (to - from) / 1e6)]
  const places = [3, 4, 5].map((c) => numbers((row) => row[c]))
  const texts = (of: string[]) => ({
    kind: 'texts' as const,
    dictionary: ['n/a', ...of.map(cellText)],
    indexes: Int32Array.from(rows, ([, , , , , , message]) => (message === undefined ? 0 : message + 1)),
  })
  const said = messages === null ? [] : [texts(messages.name), texts(messages.value)]
  const columns = [...PHYSIOEVENTS, ...(messages === null ? [] : MESSAGES)]
  return toTsv(columns, { n: rows.length, cells: [...times, types, ...places, ...said] })
}

/** Formats a text on one line, without tabs; an empty one is missing. */
function cellText(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ').trim() || 'n/a'
}

type Click = { tUs: number; xPx: number; yPx: number }

export function clicksOf({ n, tUs, isClick, mouseXPx, mouseYPx }: Samples): Click[] {
  const clicks: Click[] = []
  for (let i = 0; i < n; i++) if (isClick[i] === 1) clicks.push({ tUs: tUs[i], xPx: mouseXPx[i], yPx: mouseYPx[i] })
  return clicks
}

/**
 * Formats `_events.tsv` with its header: the item from its onset, and every click, ordered by onset.
 *
 * @param item its name as a cell, and the path of its picture below stimuli/, if present
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
  // Omit a column that would contain only n/a.
  const kept = header.map((name) => name !== 'stim_file' || item.picture !== null)
  const line = (cells: string[]) => `${cells.filter((_, c) => kept[c]).join('\t')}\n`
  return [header, ...rows.map(({ cells }) => cells)].map(line).join('')
}
