import type { MessagePatterns, Screen } from '../reader/reader.ts'

/** Meaning of one message of an experiment, as far as known. */
type Meaning = {
  display?: Display
  /** Start of a trial, and its name; '' for an unnamed one. */
  trial?: string
  hasEnded?: boolean
  /** Candidate names of the item. */
  named: Named[]
  /** The item appeared this many ms before the message. */
  onsetDelayMs?: number
}

export type Display = Screen & { leftPx: number; topPx: number }

/** Candidate name of an item, and its source: `PATTERN`, `IMGLOAD`, or the name of a variable. */
export type Named = { source: string; name: string; place: DrawnPicture | null }

/**
 * Position of a loaded picture, in px of the display: its corner or its centre; null for the whole display. Its size
 * may be unknown.
 */
export type DrawnPicture = { xPx: number; yPx: number; isCentre: boolean; size: Screen | null } | null

/** Sources of names other than variables. Names of variables are in lower case. */
export const [PATTERN, IMGLOAD] = ['PATTERN', 'IMGLOAD']

/** Messages are untrusted: each pattern takes time linear in the length of a message. */
const COORDS = /^(DISPLAY|GAZE)_COORDS\s*(?:[=:]\s*)?(-?[\d.]+)[\s,]+(-?[\d.]+)[\s,]+(-?[\d.]+)[\s,]+(-?[\d.]+)/
const TRIAL = /^(?:-?\d+\s+)?TRIALID\s*(.*)$/s
const TRIAL_END = /^(?:-?\d+\s+)?TRIAL_RESULT\b/
const PICTURE = /^(?:-?\d+\s+)?!V IMGLOAD\s+(\S+)\s+(\S.*)$/is
const VIDEO_FRAME = /^(?:-?\d+\s+)?!V VFRAME\s+\d+\s+(\S.*)$/is
const VARIABLE = /^(?:-?\d+\s+)?!V TRIAL_VAR\s+([^\s=]+)[\s=]+(\S.*)$/is
const ONSET = /^(?:-?\d+\s+)?(?:SYNCTIME|DISPLAY[ _]ON|STIM(?:ULUS)?[ _]ON(?:SET)?|IMAGE[ _]ONSET)\b/i

/**
 * Values that look like pictures, and variables that name pictures or other items, by the beginnings of their names.
 */
export const PICTURE_LIKE =
  /\.(png|jpe?g|bmp|gif|tiff?|webp|svg|avif|ppm|pcx|mp4|avi|mov|mpe?g|wmv|webm|ogv|mkv|xvd|html?)$/i
export const LIKE_A_PICTURE =
  /^(image|picture|pic|img|stimulus|stim|filename|file|video|photo|scene|movie|clip|audio|sound|text)/i

/** Interprets a message; the user's patterns take precedence over those of EyeLink and of common experiments. */
export function meaningOf(message: string, patterns: MessagePatterns | null): Meaning {
  const meaning: Meaning = { named: namesIn(message, patterns?.item ?? null) }
  const coords = COORDS.exec(message)
  if (coords) meaning.display = displayOf(coords.slice(2).map(Number))
  const trial = (patterns?.trial ?? TRIAL).exec(message)
  if (trial) meaning.trial = (trial[1] ?? '').trim()
  if ((patterns?.end ?? TRIAL_END).test(message)) meaning.hasEnded = true
  if ((patterns?.onset ?? ONSET).test(message)) meaning.onsetDelayMs = Number(/^-?\d+(?=\s)/.exec(message)?.[0] ?? 0)
  return meaning
}

/** Lists the names in a message. With a pattern, only its matches are names; pictures still give positions. */
function namesIn(message: string, pattern: RegExp | null): Named[] {
  const picture = PICTURE.exec(message)
  const frame = VIDEO_FRAME.exec(message)
  const named = picture ? [loaded(picture[1], picture[2])] : frame ? [loaded('TOP_LEFT', frame[1])] : []
  const own = pattern?.exec(message)
  if (own) named.push({ source: PATTERN, name: lastPart(own[1] ?? own[0]), place: null })
  const variable = pattern === null && !picture ? VARIABLE.exec(message) : null
  if (variable && mayName(variable[1], variable[2]))
    named.push({ source: variable[1].toLowerCase(), name: lastPart(variable[2]), place: null })
  return named.filter(({ name }) => name !== '')
}

/** Returns whether a variable may name an item, judged by its name or its value. */
function mayName(variable: string, value: string): boolean {
  return LIKE_A_PICTURE.test(variable) || PICTURE_LIKE.test(value.trim())
}

function lastPart(path: string): string {
  return path.trim().replace(/^.*[\\/]/s, '')
}

/**
 * Parses `FILL path`, `CENTER path x y [width height]` or `TOP_LEFT path x y [width height]`; some programs write the
 * numbers first.
 */
function loaded(how: string, rest: string): Named {
  const tokens = rest.trim().split(/\s+/)
  const isNumber = (token: string | undefined) => token !== undefined && /^-?\d+(?:\.\d+)?$/.test(token)
  const countFrom = (list: string[]) => {
    const n = list.findIndex((token) => !isNumber(token))
    return n >= 4 ? 4 : n >= 2 ? 2 : 0
  }
  const [before, behind] = [countFrom(tokens), countFrom([...tokens].reverse())]
  const isPlaced = /^(center|centre|top_?left)$/i.test(how)
  const taken = isPlaced || /\.[a-z]\w*$/i.test(tokens[tokens.length - 1 - behind] ?? '') ? behind : 0
  const numbers = (before > 0 ? tokens.slice(0, before) : taken > 0 ? tokens.slice(-taken) : []).map(Number)
  const path = before > 0 ? tokens.slice(before) : tokens.slice(0, tokens.length - taken)
  const [xPx, yPx, widthPx, heightPx] = numbers
  const size = widthPx >= 1 && heightPx >= 1 ? { widthPx, heightPx } : null
  const place = isPlaced && numbers.length > 0 ? { xPx, yPx, isCentre: /^c/i.test(how), size } : null
  return { source: IMGLOAD, name: lastPart(path.join(' ')), place }
}

/**
 * Returns the display of coordinates, which are those of the first and last pixel; an even last one is the number of
 * pixels instead: 1024, not 1023. Sizes may be 0 or negative.
 */
function displayOf([left, top, right, bottom]: number[]): Display {
  const size = (first: number, last: number) => Math.round(last - first) + (Math.round(last - first) % 2)
  return { leftPx: left, topPx: top, widthPx: size(left, right), heightPx: size(top, bottom) }
}
