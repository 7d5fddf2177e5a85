/** A column of x and its column of y, by index; `stem` is their common name, with `@` for the axis. */
export type AxisPair = { x: number; y: number; stem: string }

/** Words for what a column holds, in the languages in which labs name columns, as `plainName` writes them. */
export const WORDS = {
  person:
    'participant|subject|subj|user|ppt?|person|respondent|tester|observer|viewer|reader|who|proband(?:in)?|versuchsperson|vpn?|teilnehmer(?:in)?|leser(?:in)?|participante|sujet|lecteur|sujeto|sujeito|deelnemer|proefpersoon|lezer|被试|受试者|参与者|被験者|参加者',
  item: 'item|stimulus|stimuli|stim|image|img|picture|pic|media|medium|scene|screen|page|passage|video|slide|bild|reiz|imagen|imagem|estimulo|afbeelding|plaatje|刺激|图片|图像|画像',
  trial: 'trial|durchgang|essai|ensayo|tentativa|试次|試行',
  time: 'time|time_?stamp|zeit|zeit_?stempel|temps|horodatage|tiempo|tempo|tijd|tijdstip|时间戳?|時間|時刻|タイムスタンプ',
  left: 'left|links|gauche|izq(?:uierd[oa])?|esquerd[oa]|sinistr[oa]|左',
  right: 'right|rechts|droite?|der(?:ech[oa])?(?=_|@|$)|direit[oa]|destr[oa]|右',
  gaze: 'gaze|blick|regard|mirada|olhar|blik|注视|注視|视线|視線',
  valid: 'valid|status|confidence|quality|gultig|geldig|有效|有効',
}

export const PEOPLE = new RegExp(
  `^((exp|rec)_?)?(${WORDS.person}|p(?=_?id))(_?(id|name|nr|no|num|number|code|label|编号|番号))?$`,
)
/** Names of columns of ids, of whatever: of participants if each id has one block of rows. */
export const IDS = /^(id|code|kode|uid|initials|initialen|kurzel)$/
/** Names of columns of sessions, used if no column names the person. */
export const SESSIONS = /^recording_?(session_?label|id|name)$/
export const ITEMS = new RegExp(
  `^(source_?|presented_?)?(${WORDS.item})(_?(id|name|nr|no|file|filename|label|编号|番号))?$`,
)
export const TRIALS = new RegExp(`^(${WORDS.trial})(_?(id|nr|no|num|number|index|sequence|name|编号|番号))?$`)
export const TIMES = [
  new RegExp(`^(t|${WORDS.time})(_?(s|sec|secs|seconds?|sekunden|ms|msec|milliseconds?|us|ns))?$`),
  /^(secs?|seconds?|sekunden|ms|msec|milliseconds?|us|ns)$/,
  /^(trial|sample|relative|rel|recording|elapsed|gaze)_?time(_?stamp)?(_.*)?$/,
  new RegExp(WORDS.time),
]
/** Names of columns that count rows or pictures of a camera. */
export const COUNTS = /frame|count|index|(^|_)(row|sample)(_|$)|(^|_)(nr|no|num|number|id)$/
/** Names of columns of seconds, beside which another column may hold the fraction of the second. */
const SECONDS = /_?(s|secs?|seconds?)$/
const PART_OF_SECOND = /_?(micro|milli|nano|[umn])_?(s|secs?|seconds?)$/
const PER_SECOND: Record<string, number> = { m: 1e3, u: 1e6, n: 1e9, milli: 1e3, micro: 1e6, nano: 1e9 }
export const EYE = /^(tracked_|recorded_|which_)?eye(_?(id|side|name|tracked|recorded|label))?$/
export const VALIDITY = new RegExp(`${WORDS.valid}|(^|_)(conf|val)$|blink|missing|loss`)
/**
 * Validity columns of the Open Gaze API: BPOGV marks BPOGX and BPOGY as valid. FPOG is a fixation's and is not used,
 * since fixations are recomputed.
 */
export const OPEN_GAZE_VALID = /^[bflr]pog_?v$/
const OPEN_GAZE_FIXATION = /^fpog_?@$/
export const MOUSE = /mouse|cursor|maus|souris|raton|muis|鼠标|マウス/
export const NO_GAZE =
  /mouse|cursor|maus|souris|raton|muis|鼠标|マウス|click|fix|sac|target|pupil|diam|cam|sensor|origin|vel|acc|aoi|zone|stim|head|helmet|hmd|nose|(^|_)(face|body|hand|hit|ray|rot|dir(?!eit)|look_?at|forward|camera|world|player|avatar|object|normal(?!i))|box|3d|angle|eye_?pos|dist|disp(?!lay)|user_coord|trackbox|3_d|vector|cross|button|scroll|size|resolution|index|max|min/
const LEFT = new RegExp(`${WORDS.left}|(^|_)(?:os|sx)(?=_|@|$)|(?<=^@)l$|(^|_)l(?=_|@|raw|avg|gaze|por|pog|eye|$)`)
const BOTH = /average|avg|mean|binocular|both|cyclopean|combined|(^|_)b(?=pog)/
const RIGHT = new RegExp(`${WORDS.right}|(^|_)(?:od|dx)(?=_|@|$)|(?<=^@)r$|(^|_)r(?=_|@|raw|avg|gaze|por|pog|eye|$)`)
const GAZE = new RegExp(`${WORDS.gaze}|por|pog|pred|norm_pos`)

/** Converts a column's name to words with underscores, without accents. */
export function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/(^|[^\p{L}])([LR])(\p{Lu}\p{Ll})/gu, '$1$2_$3')
    .replace(/([\p{Ll}\p{N}@])(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[μµ]/g, 'u')
    .replace(/ß/g, 'ss')
    .replace(/[^\p{L}\p{N}@]+/gu, '_')
    .replace(/^_|_$/g, '')
}

/** Returns whether a column holds the fraction of a second, such as TimestampMicrosec beside TimestampSec. */
export function isPartOfSecond(plain: string[], at: number, most: number): boolean {
  const part = PART_OF_SECOND.exec(plain[at])
  if (part === null || most >= PER_SECOND[part[1]]) return false
  const stem = plain[at].slice(0, part.index)
  const isSeconds = (name: string) =>
    SECONDS.test(name) && !PART_OF_SECOND.test(name) && name.replace(SECONDS, '') === stem
  return stem !== '' && plain.some(isSeconds)
}

/** Returns whether a column is USER of the Open Gaze API: data that a program sent, usually a marker. */
export function isOpenGazesMarker(plain: string[], at: number): boolean {
  return plain[at] === 'user' && plain.some((name) => /^[fb]pog_?x$/.test(name))
}

/** Finds the column of z beside x and y; -1 for none. */
export function depthOf(header: string[], { x }: AxisPair): number {
  const name = header[x]
  for (const { 0: letter, index } of name.matchAll(/x/gi)) {
    const [before, after] = [name.slice(0, index), name.slice(index + 1)]
    const at = (low: string, high: string) => header.indexOf(before + (letter === 'x' ? low : high) + after)
    if (at('y', 'Y') >= 0 && at('z', 'Z') >= 0) return at('z', 'Z')
  }
  return -1
}

/** Words for the two axes, besides the letters. */
const AXES = [
  ['horizontal', 'vertical'],
  ['horizontal', 'vertikal'],
  ['horz', 'vert'],
  ['hor', 'ver'],
]

/** Finds pairs of columns whose names differ only in the axis, so a row number called X is not paired. */
export function findPairs(header: string[]): AxisPair[] {
  const pairs: AxisPair[] = []
  const places = new Map(header.map((name, at): [string, number] => [name, at]).reverse())
  const lower = new Map(header.map((name, at): [string, number] => [name.toLowerCase(), at]).reverse())
  for (const [x, name] of header.entries()) {
    for (const { 0: letter, index } of name.matchAll(/x/gi)) {
      const [before, after] = [name.slice(0, index), name.slice(index + 1)]
      const y = places.get(before + (letter === 'x' ? 'y' : 'Y') + after)
      if (y !== undefined) pairs.push({ x, y, stem: plainName(`${before}@${after}`) })
    }
    const low = name.toLowerCase()
    const words = AXES.find(([across, down]) => low.includes(across) && lower.has(low.replace(across, down)))
    if (words)
      pairs.push({
        x,
        y: lower.get(low.replace(...(words as [string, string])))!,
        stem: plainName(low.replace(words[0], '@')),
      })
  }
  return pairs
}

/** Ranks pairs by name: both eyes together before each, recorded before smoothed gaze, pixels before other units. */
export function byRank(pairs: AxisPair[]): AxisPair[] {
  return pairs
    .map((pair, order) => ({ pair, rank: rankOf(pair.stem) * 1000 + order }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ pair }) => pair)
}

function rankOf(stem: string): number {
  const isOfOneEye = LEFT.test(stem) || RIGHT.test(stem)
  const isGaze =
    GAZE.test(stem) ||
    /^@(_?(px|pix|pixels?|pos|position|coord|coordinates?|norm))?$/.test(stem) ||
    /^(px|pix|pixels?|pos)_?@$/.test(stem)
  const unit = /px|pix|dacs|adcs/.test(stem) ? 0 : /mm|deg|dva|ucs|mcs/.test(stem) ? 3 : /norm|frac/.test(stem) ? 2 : 1
  const isDerived = /smooth|filter(ed)?|denois|interpol/.test(stem)
  return (
    (isOfOneEye ? 10 : 0) + (isGaze ? 0 : 5) + (isDerived ? 6 : 0) + (OPEN_GAZE_FIXATION.test(stem) ? 20 : 0) + unit
  )
}

/** Returns the pair of the other eye with the same name; undefined for none. */
export function otherEyeOf(pair: AxisPair, pairs: AxisPair[]): AxisPair | undefined {
  const side = eyeSideOf(pair)
  const isOther = (other: AxisPair) => ![null, side].includes(eyeSideOf(other))
  return pairs.find((other) => isOther(other) && withoutSide(other.stem) === withoutSide(pair.stem))
}

/** Returns the pairs of each eye that are named as one of both eyes together is; none if there is only one. */
export function eachEyeOf(both: AxisPair, pairs: AxisPair[]): AxisPair[] {
  const ofSide = (side: 'left' | 'right') =>
    pairs.find((pair) => eyeSideOf(pair) === side && withoutSide(pair.stem) === withoutSide(both.stem))
  const [left, right] = [ofSide('left'), ofSide('right')]
  return left && right ? [left, right] : []
}

/** Removes the eye, or the mark of both eyes, from a name. */
function withoutSide(stem: string): string {
  const plain = stem.replace(LEFT, '').replace(RIGHT, '').replace(BOTH, '')
  return plain.replace(/_+/g, '_').replace(/^_|_$/g, '')
}

/** Finds the validity column of the Open Gaze API for a pair; -1 for any other pair. */
export function openGazeValidity({ stem }: AxisPair, header: string[]): number {
  const wanted = stem.replace('@', 'v')
  return OPEN_GAZE_VALID.test(wanted) ? header.findIndex((name) => plainName(name) === wanted) : -1
}

/** Returns the eye of a pair or column; null for both or unknown. */
export function eyeSideOf({ stem }: { stem: string }): 'left' | 'right' | null {
  return LEFT.test(stem) ? 'left' : RIGHT.test(stem) ? 'right' : null
}

/**
 * Finds the validity column of an eye that is not called left or right: its name differs from another one's as the
 * names of the eyes do, as in `x_eye0`, `x_eye1`, `valid_eye0` and `valid_eye1`.
 */
export function numberedAs(eye: AxisPair, eyes: AxisPair[], columns: number[], header: string[]): number | undefined {
  const other = eyes.find((one) => one !== eye)
  if (eyes.length !== 2 || other === undefined || eyeSideOf(eye) !== null) return undefined
  const wanted = differenceOf(header[eye.x], header[other.x])
  return columns.find((at) =>
    columns.some((second) => second !== at && differenceOf(header[at], header[second]) === wanted),
  )
}

/** Returns what two names have between the beginning and the end that they share. */
function differenceOf(a: string, b: string): string {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return [a, b].map((name) => name.slice(start, name.length - end)).join(' ')
}
