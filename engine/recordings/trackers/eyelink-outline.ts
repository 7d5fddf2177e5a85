import { ServiceError } from '../../model/errors.ts'
import { type Draft, holdText } from '../draft/draft.ts'
import { addSeen, type SeenMessages } from '../draft/seen-messages.ts'
import type { MessagePatterns } from '../reader/reader.ts'
import { type Lines, lineText, openLines } from '../text/lines.ts'
import type { SourceFile } from '../text/source-files.ts'
import { addBlink, type Blink } from './eyelink-blinks.ts'
import { type Display, meaningOf, type Named } from './eyelink-messages.ts'
import { addPupil, addRate, addToSetup, makeSetup, type Setup } from './eyelink-setup.ts'

/** Contents of a file's lines other than samples. Both passes count those lines from 0. */
export type Outline = {
  events: LineEvent[]
  /** Displays, each with the line from which it applies. */
  displays: { line: number; display: Display }[]
  /** Blinks of each recording; a START line begins a recording, and blinks before the first belong to recording 0. */
  blinks: Blink[][]
  setup: Setup
  samples: number
  /** Times of the first START and of the last END; NaN for none. */
  startMs: number
  endMs: number
}

/** A line that determines trials, their names or their onsets. `samples` is the number of samples before it. */
export type LineEvent = { line: number; samples: number; timeMs: number } & (
  | { kind: 'start' | 'end' | 'result' }
  | { kind: 'begin'; name: string }
  | { kind: 'named'; named: Named }
  | { kind: 'onset' }
)

const EVENTS_MAX = 1_000_000
const [ZERO, NINE] = [48, 57]
/** Messages of the tracker itself, which are not events of the experiment. */
const OWN = /^(!(?!V)|RECCFG|ELCL|GAZE_COORDS|DISPLAY_COORDS|THRESHOLDS|CAMERA|PUPIL|CAL|VALIDATE|DRIFT|INPUT)/

export function isSampleLine({ bytes, start }: { bytes: Uint8Array; start: number }): boolean {
  return bytes[start] >= ZERO && bytes[start] <= NINE
}

/** Returns a line that is no sample, with times that have a decimal point also where the file has commas. */
export function eventText(lines: Lines): string {
  const text = lineText(lines)
  return text.replace(/^(?:(?:START|END|MSG)\s+\d+,\d|[SE](?:BLINK|FIX|SACC)\s+[LR](?:\s+\d+,\d+)+)/, (times) =>
    times.replaceAll(',', '.'),
  )
}

/**
 * Reads a file's messages and the borders of its recordings, before its samples: a trial's end and name may follow from
 * later lines.
 *
 * @throws ServiceError invalid_bundle for samples that are not positions on the display
 */
export async function readOutline(
  file: SourceFile,
  draft: Draft,
  patterns: MessagePatterns | null,
  seen: SeenMessages,
): Promise<Outline> {
  const [startMs, endMs] = [Number.NaN, Number.NaN]
  const outline: Outline = { events: [], displays: [], blinks: [[]], setup: makeSetup(), samples: 0, startMs, endMs }
  // A copy, so that progress counts only the second pass.
  const lines = openLines({ ...file })
  let [line, counted, blinks] = [-1, 0, 0]
  while (await lines.more()) {
    while (lines.next()) {
      if (lines.start === lines.end) continue
      if (isSampleLine(lines)) outline.samples++
      else {
        const text = eventText(lines)
        addLine(outline, ++line, text, file, patterns, seen)
        if (/^[SE]BLINK/.test(text)) blinks += addBlink(outline.blinks.at(-1)!, text)
      }
    }
    for (; counted < outline.events.length; counted++) holdText(draft, lettersOf(outline.events[counted]))
    if (outline.events.length + blinks + outline.blinks.length + outline.displays.length > EVENTS_MAX)
      throw new ServiceError('invalid_bundle', `${file.name} has more than ${EVENTS_MAX} messages of trials and blinks`)
  }
  return outline
}

function lettersOf(event: LineEvent): number {
  return event.kind === 'named' ? event.named.name.length : event.kind === 'begin' ? event.name.length : 0
}

function addLine(
  outline: Outline,
  line: number,
  text: string,
  file: SourceFile,
  patterns: MessagePatterns | null,
  seen: SeenMessages,
): void {
  const { events, samples } = outline
  const timeMs = Number(/^(?:START|END|MSG)\s+(\d+(?:\.\d+)?)/.exec(text)?.[1] ?? Number.NaN)
  const at = { line, samples, timeMs }
  if (samples > 0 && text.startsWith('** CONVERTED FROM'))
    throw new ServiceError(
      'invalid_bundle',
      `${file.name} holds several ASC files, one after the other, the second of ${text.slice(18).split(' using ')[0].trim()}: give each as a file of its own`,
    )
  if (text.startsWith('MSG')) addMessage(outline, at, { fileName: file.name, text }, patterns, seen)
  else if (text.startsWith('START')) {
    if (Number.isNaN(outline.startMs)) outline.startMs = timeMs
    events.push({ ...at, kind: 'start' })
    outline.blinks.push([])
  } else if (text.startsWith('END')) {
    outline.endMs = timeMs
    events.push({ ...at, kind: 'end' })
  } else if (text.startsWith('PUPIL')) addPupil(outline.setup, text)
  else if (text.startsWith('SAMPLES')) {
    refuseOther(text, file)
    addRate(outline.setup, text)
  }
}

function addMessage(
  { events, displays, setup }: Outline,
  at: { line: number; samples: number; timeMs: number },
  { fileName, text }: { fileName: string; text: string },
  patterns: MessagePatterns | null,
  seen: SeenMessages,
): void {
  const message = /^MSG\s+\d+(?:\.\d+)?\s+(.*)$/s.exec(text)?.[1]
  if (message === undefined) return
  if (!OWN.test(message.replace(/^-?\d+\s+/, ''))) addSeen(seen, message)
  addToSetup(setup, message)
  const { display, trial, hasEnded, named, onsetDelayMs } = meaningOf(message, patterns)
  if (display && isDisplay(display, fileName)) displays.push({ line: at.line, display })
  if (trial !== undefined) events.push({ ...at, kind: 'begin', name: trial })
  if (hasEnded) events.push({ ...at, kind: 'result' })
  for (const one of named) {
    // Each frame of a video names it again.
    const last = events.at(-1)
    const isAgain = last?.kind === 'named' && last.named.source === one.source && last.named.name === one.name
    if (!isAgain) events.push({ ...at, kind: 'named', named: one })
  }
  if (onsetDelayMs !== undefined) events.push({ ...at, timeMs: at.timeMs - onsetDelayMs, kind: 'onset' })
}

/**
 * Returns whether coordinates are those of a display; zeros are not.
 *
 * @throws ServiceError invalid_bundle for a right or bottom that does not lie beyond left and top: y may grow upwards
 */
function isDisplay({ leftPx, topPx, widthPx, heightPx }: Display, fileName: string): boolean {
  if (widthPx < 0 || heightPx < 0)
    throw new ServiceError(
      'invalid_bundle',
      `${fileName} gives ${leftPx} ${topPx} as the upper left corner of the display, and a lower right corner that does not lie beyond it: only positions that count from the upper left can be read`,
    )
  return widthPx > 0 && heightPx > 0
}

function refuseOther(text: string, file: SourceFile): void {
  if (/^SAMPLES\s+GAZE\b/.test(text)) return
  throw new ServiceError(
    'invalid_bundle',
    `${file.name} holds ${text.split(/\s+/)[1]} samples, which are no positions on the display: make the ASC file with gaze positions (edf2asc -sg)`,
  )
}
