import type { MessagePatterns, Screen } from '../reader/reader.ts'

/** The meaning of one message of an experiment, as far as it is known. */
export type Meaning = {
  display?: Screen & { leftPx: number; topPx: number }
  /** A trial begins; '' has no name. */
  trial?: string
  hasEnded?: boolean
  item?: string
  /** Whether the item's name goes before others of the same trial. */
  isPicture?: boolean
  /** The item appeared, so many ms before the message. */
  onsetDelayMs?: number
}

/** Messages come from strangers: each pattern takes time that grows with a message's length alone. */
const COORDS = /^(DISPLAY|GAZE)_COORDS\s*(?:[=:]\s*)?(-?[\d.]+)[\s,]+(-?[\d.]+)[\s,]+(-?[\d.]+)[\s,]+(-?[\d.]+)/
const TRIAL = /^(?:-?\d+\s+)?TRIALID\s*(.*)$/s
const TRIAL_END = /^(?:-?\d+\s+)?TRIAL_RESULT\b/
const PICTURE = /^(?:-?\d+\s+)?!V IMGLOAD\s+\S+\s+(?:-?\d+\s+-?\d+\s+(?:-?\d+\s+-?\d+\s+)?)?(.+)$/s
const PICTURE_VARIABLE = /^!V TRIAL_VAR\s+(?:image|picture|pic|img|stimulus|stim|filename|file|video)\w*\s+(\S.*)$/is
const ONSET = /^(?:-?\d+\s+)?(?:SYNCTIME|DISPLAY[ _]ON|STIM(?:ULUS)?[ _]ON(?:SET)?|IMAGE[ _]ONSET)\b/i

/** Reads a message; patterns of the person go before what is known of EyeLink's own and of usual experiments. */
export function meaningOf(message: string, patterns: MessagePatterns | null): Meaning {
  const meaning: Meaning = {}
  const coords = COORDS.exec(message)
  if (coords) meaning.display = displayOf(coords.slice(2).map(Number))
  const trial = (patterns?.trial ?? TRIAL).exec(message)
  if (trial) meaning.trial = (trial[1] ?? '').trim()
  if (TRIAL_END.test(message)) meaning.hasEnded = true
  const picture = (patterns?.item ?? PICTURE).exec(message)
  const named = picture ?? (patterns?.item ? null : PICTURE_VARIABLE.exec(message))
  if (named) {
    meaning.item = (named[1] ?? named[0]).trim().replace(/^.*[\\/]/, '')
    meaning.isPicture = picture !== null
  }
  if ((patterns?.onset ?? ONSET).test(message)) meaning.onsetDelayMs = Number(/^-?\d+(?=\s)/.exec(message)?.[0] ?? 0)
  return meaning
}

/**
 * Returns the display of coordinates, which are those of the first and last pixel; but an even last one is the number
 * of pixels: 1024, not 1023.
 */
function displayOf([left, top, right, bottom]: number[]): Meaning['display'] {
  const size = (first: number, last: number) => Math.round(last - first) + (Math.round(last - first) % 2)
  return { leftPx: left, topPx: top, widthPx: size(left, right), heightPx: size(top, bottom) }
}

/** Messages that were seen, by their first word, to be listed for a person who is to name some by a pattern. */
export type SeenMessages = Map<string, { count: number; example: string }>

const SEEN_MAX = 1000
const WORD_MAX = 60
const LISTED_MAX = 12
/** The tracker's own. */
const OWN = /^(!(?!V)|RECCFG|ELCL|GAZE_COORDS|DISPLAY_COORDS|THRESHOLDS|CAMERA|PUPIL|CAL|VALIDATE|DRIFT|INPUT)/

export function addSeen(seen: SeenMessages, message: string): void {
  const text = message.replace(/^-?\d+\s+/, '')
  if (OWN.test(text)) return
  const word = text.startsWith('!V')
    ? text.split(/\s+/, 3).join(' ').slice(0, WORD_MAX)
    : text.split(/[\s\d:;,=]/, 1)[0].slice(0, WORD_MAX)
  const known = seen.get(word)
  if (known) known.count++
  else if (seen.size < SEEN_MAX) seen.set(word, { count: 1, example: text.slice(0, 60) })
}

/** Lists the most frequent messages: an example of each, and how often it came. */
export function listSeen(seen: SeenMessages): string {
  const most = [...seen.values()].sort((a, b) => b.count - a.count).slice(0, LISTED_MAX)
  return most.map(({ count, example }) => `${JSON.stringify(example)} (${count} ×)`).join(', ')
}
