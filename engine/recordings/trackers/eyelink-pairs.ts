import { type Lines, openLines } from '../text/lines.ts'
import { COMMA, numberAt, POINT } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { eventText, isSampleLine, type Outline } from './eyelink-outline.ts'

const LINES_LOOKED_AT = 10
/** Time, x, y and pupil between tabs, padded with spaces, as only edf2asc writes them; possibly followed by flags. */
const PADDED = /^\d+(?:[.,]\d+)?\t +-?[\d.,]+\t +-?[\d.,]+\t +-?[\d.,]+(?:\t|$)/
const FLAGGED = /^\d+(?:[.,]\d+)?\s+(?:-?[\d.,]+\s+){3,6}[.CRIM]{3,}\s*$/

/** Returns whether a file has only samples, as written by `edf2asc -s`. */
export function hasSamplesAlone({ head, isWholeHead }: SourceFile): boolean {
  const lines = head.split('\n', LINES_LOOKED_AT + 1).filter((line) => line.trim() !== '' && !line.startsWith('**'))
  const whole = isWholeHead || lines.length < 2 ? lines : lines.slice(0, -1)
  return whole.length > 0 && whole.every((line) => PADDED.test(line) || FLAGGED.test(line))
}

/**
 * Finds the file of samples that belongs to a file of events: its first sample lies within the recordings of the
 * events. Among several, it is the one with the most similar name; null if that does not decide.
 */
export function samplesOf(events: SourceFile, { startMs, endMs }: Outline, parts: SourceFile[]): SourceFile | null {
  const within = parts.filter(({ head }) => {
    const firstMs = Number(/^(\d+(?:[.,]\d+)?)\s/m.exec(head)?.[1].replace(',', '.') ?? Number.NaN)
    return firstMs >= startMs && !(firstMs > endMs)
  })
  const alike = within.map((file) => ({ file, letters: lettersAlike(file.name, events.name) }))
  const [best, next] = alike.sort((a, b) => b.letters - a.letters)
  return best === undefined || best.letters === next?.letters ? null : best.file
}

/** Counts the leading characters that two paths share, and the trailing ones before the extension. */
function lettersAlike(a: string, b: string): number {
  const [one, other] = [a, b].map((name) => name.replace(/(\.[a-z0-9]{1,5})+$/i, ''))
  const most = Math.min(one.length, other.length)
  let start = 0
  while (start < most && one[start] === other[start]) start++
  let end = 0
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end++
  return start + end
}

/** A line that waits for its position among those of the other file. */
type Waiting = { bytes: Uint8Array; start: number; end: number; isWhole: boolean }
/** Position of a line of events: before the first sample of that time, or of a later one. */
type Due = { ms: number; isLater: boolean }

/**
 * Merges a file of samples and one of their events into the lines of one file: each line of events precedes the samples
 * that follow it in time.
 */
export function joinedLines(samplesFile: SourceFile, eventsFile: SourceFile): Lines {
  const [samples, events] = [openLines(samplesFile), openLines(eventsFile)]
  let [sample, event]: (Waiting | null)[] = [null, null]
  let [hasSamples, hasEvents] = [true, true]
  let [sampleMs, due]: [number, Due] = [Number.NaN, { ms: Number.NEGATIVE_INFINITY, isLater: false }]

  const takeSample = (): boolean => {
    while (samples.next()) {
      if (samples.start === samples.end || !isSampleLine(samples)) continue
      sample = { ...samples }
      sampleMs = timeIn(samples)
      return true
    }
    return false
  }
  const takeEvent = (): boolean => {
    if (!events.next()) return false
    event = { ...events }
    due = dueOf(eventText(events))
    return true
  }
  const lines: Lines = {
    ...{ bytes: Buffer.alloc(0), start: 0, end: 0, isWhole: true },
    more: async () => {
      if (sample === null && hasSamples) hasSamples = await samples.more()
      if (event === null && hasEvents) hasEvents = await events.more()
      return hasSamples || hasEvents || sample !== null || event !== null
    },
    next: () => {
      if (event === null && hasEvents && !takeEvent()) return false
      if (sample === null && hasSamples && !takeSample()) return false
      const isEvent = event !== null && (sample === null || sampleMs > due.ms || (sampleMs === due.ms && !due.isLater))
      const first = isEvent ? event : sample
      if (first === null) return false
      if (isEvent) event = null
      else sample = null
      const { bytes, start, end, isWhole } = first
      Object.assign(lines, { bytes, start, end, isWhole })
      return true
    },
  }
  return lines
}

function timeIn({ bytes, start, end }: Lines): number {
  let at = start
  while (at < end && bytes[at] > 32) at++
  const ms = numberAt(bytes, start, at, POINT)
  return Number.isNaN(ms) ? numberAt(bytes, start, at, COMMA) : ms
}

/** Returns the position of a line: the end of an event after its last samples, a line without a time immediately. */
function dueOf(text: string): Due {
  const [, word, times = ''] =
    /^(START|MSG|END|[SE](?:BLINK|FIX|SACC)\s+[LR])\s+([\d.]+(?:\s+[\d.]+)?)/.exec(text) ?? []
  if (word === undefined) return { ms: Number.NEGATIVE_INFINITY, isLater: false }
  const [first, second] = times.split(/\s+/)
  const isEnd = word.startsWith('E')
  return { ms: Number(isEnd && word !== 'END' ? second : first), isLater: isEnd }
}
