/** A column of x and its column of y, by index; `stem` is their common name, with `@` for the axis. */
export type Pair = { x: number; y: number; stem: string }

/** Probable meanings of columns, guessed from their names; -1 for none. */
export type GuessedColumns = {
  participant: number
  item: number
  trial: number
  time: number
  /** Positions of both eyes together, or of each eye. */
  eyes: Pair[]
  mouse: Pair | null
  scroll: number
  click: number
  /** Columns that may mark gaze as valid. */
  validity: number[]
  /** Column that names the eye of a row. */
  eye: number
  /** Names of x columns with a z column beside them: positions and directions in space, not gaze on a screen. */
  inSpace: string[]
  /** Names of x columns that are neither gaze, judged by name, nor the mouse. */
  noGaze: string[]
}

/** Facts about columns, from their values. */
export type ColumnFacts = {
  isNumber: (column: number) => boolean
  /** True if a column has a value in most rows, or in runs of rows. */
  isFilled: (column: number) => boolean
  /** Returns the largest number in a column. */
  most: (column: number) => number
  /** Returns the share of rows whose number is larger than that of the row before. */
  advance: (column: number) => number
}

const NO_FACTS: ColumnFacts = { isNumber: () => true, isFilled: () => true, most: () => 0, advance: () => 1 }
/** Least resolution of a clock, as a share of the best clock's, for which it counts as equally good. */
const AS_GOOD = 0.9

const PEOPLE =
  /^((exp|rec)_?)?(participant|subject|subj|user|ppt?|p(?=_?id)|person|respondent|tester|observer|viewer|who)(_?(id|name|nr|no|num|number|code|label))?$/
/** Names of columns of sessions, used if no column names the person. */
const SESSIONS = /^recording_?(session_?label|id|name)$/
const ITEMS =
  /^(source_?|presented_?)?(item|stimulus|stimuli|stim|image|img|picture|pic|media|medium|scene|screen|page|video|slide)(_?(id|name|nr|no|file|filename|label))?$/
const TRIALS = /^trial(_?(id|nr|no|num|number|index|sequence|name))?$/
const TIMES = [
  /^(t|time|time_?stamp)(_?(s|sec|secs|seconds?|ms|msec|milliseconds?|us|ns))?$/,
  /^(secs?|seconds?|ms|msec|milliseconds?|us|ns)$/,
  /^(trial|sample|relative|rel|recording|elapsed|gaze)_?time(_?stamp)?(_.*)?$/,
  /time/,
]
/** Names of columns of seconds, beside which another column may hold the fraction of the second. */
const SECONDS = /_?(s|secs?|seconds?)$/
const PART_OF_SECOND = /_?(micro|milli|nano|[umn])_?(s|secs?|seconds?)$/
const PER_SECOND: Record<string, number> = { m: 1e3, u: 1e6, n: 1e9, milli: 1e3, micro: 1e6, nano: 1e9 }
const EYE = /^(tracked_|recorded_|which_)?eye(_?(id|side|name|tracked|recorded|label))?$/
const VALIDITY = /valid|status|confidence|quality|(^|_)(conf|val)$|blink|missing|loss/
/**
 * Validity columns of the Open Gaze API: BPOGV marks BPOGX and BPOGY as valid. FPOG is a fixation's and is not used,
 * since fixations are recomputed.
 */
const OPEN_GAZE_VALID = /^[bflr]pog_?v$/
const OPEN_GAZE_FIXATION = /^fpog_?@$/
const MOUSE = /mouse|cursor/
const NO_GAZE =
  /mouse|cursor|click|fix|sac|target|pupil|diam|cam|origin|vel|acc|aoi|zone|stim|head|helmet|hmd|nose|(^|_)(face|body|hand|hit|ray|rot|dir|look_?at|forward|camera|world|player|avatar|object|normal(?!i))|box|3d|angle|eye_?pos|dist|disp(?!lay)|user_coord|trackbox|3_d|vector|cross|button|scroll|size|resolution|index|max|min/
const LEFT = /left|(^|_)l(?=_|@|raw|avg|gaze|por|pog|eye|$)/
const BOTH = /average|avg|mean|binocular|both|cyclopean|combined|(^|_)b(?=pog)/
const RIGHT = /right|(^|_)r(?=_|@|raw|avg|gaze|por|pog|eye|$)/

/** Converts a column's name to words with underscores. */
export function plainName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[μµ]/g, 'u')
    .replace(/[^a-z0-9@]+/g, '_')
    .replace(/^_|_$/g, '')
}

/**
 * Guesses the columns of time, gaze, participant and item by their names.
 *
 * @param facts facts from the values of columns, if known
 */
export function guessColumns(header: string[], facts: ColumnFacts = NO_FACTS): GuessedColumns {
  const plain = header.map(plainName)
  const find = (...patterns: RegExp[]) => findBy(plain, () => true, ...patterns)
  const pairs = findPairs(header)
  const inSpace = pairs.filter((pair) => hasDepth(header, pair))
  const onScreen = pairs.filter((pair) => !inSpace.includes(pair))
  const eyes = chooseEyes(onScreen.filter(({ stem }) => !NO_GAZE.test(stem)))
  const taken = new Set(eyes.flatMap(({ x, y }) => [x, y]))
  return {
    participant: findBy(plain, (at) => facts.isFilled(at) && !isOpenGazesMarker(plain, at), PEOPLE, SESSIONS),
    item: find(ITEMS),
    trial: find(TRIALS),
    time: findTime(plain, facts),
    eyes,
    mouse: onScreen.find(({ stem }) => MOUSE.test(stem)) ?? null,
    scroll: find(/^scroll(_?(y|top))?(_px)?$/),
    click: find(/^(is_)?(mouse_)?click(ed)?$/),
    validity: plain.flatMap((name, at) =>
      (VALIDITY.test(name) || OPEN_GAZE_VALID.test(name)) && !/pupil|origin|openness/.test(name) && !taken.has(at)
        ? [at]
        : [],
    ),
    eye: find(EYE),
    inSpace: inSpace.map(({ x }) => header[x]),
    noGaze: onScreen.filter(({ stem }) => NO_GAZE.test(stem) && !MOUSE.test(stem)).map(({ x }) => header[x]),
  }
}

function findBy(plain: string[], isFit: (at: number) => boolean, ...patterns: RegExp[]): number {
  for (const pattern of patterns) {
    const found = plain.findIndex((name, at) => pattern.test(name) && isFit(at))
    if (found >= 0) return found
  }
  return -1
}

/**
 * Finds the clock: the likeliest name among the columns that distinguish about as many rows as any does. Programs write
 * whole seconds, the fraction of a second, and a time of day as text beside it.
 */
function findTime(plain: string[], { isNumber, most, advance }: ColumnFacts): number {
  const isTime = (at: number) => isNumber(at) && !isPartOfSecond(plain, at, most(at))
  const clocks = plain.flatMap((name, at) => (TIMES.some((pattern) => pattern.test(name)) && isTime(at) ? [at] : []))
  const best = Math.max(...clocks.map(advance))
  const found = findBy(plain, (at) => clocks.includes(at) && advance(at) >= AS_GOOD * best, ...TIMES)
  return found >= 0 ? found : findBy(plain, () => true, ...TIMES)
}

/** Returns whether a column holds the fraction of a second, such as TimestampMicrosec beside TimestampSec. */
function isPartOfSecond(plain: string[], at: number, most: number): boolean {
  const part = PART_OF_SECOND.exec(plain[at])
  if (part === null || most >= PER_SECOND[part[1]]) return false
  const stem = plain[at].slice(0, part.index)
  const isSeconds = (name: string) =>
    SECONDS.test(name) && !PART_OF_SECOND.test(name) && name.replace(SECONDS, '') === stem
  return stem !== '' && plain.some(isSeconds)
}

/** Returns whether a column is USER of the Open Gaze API: data that a program sent, usually a marker. */
function isOpenGazesMarker(plain: string[], at: number): boolean {
  return plain[at] === 'user' && plain.some((name) => /^[fb]pog_?x$/.test(name))
}

function hasDepth(header: string[], { x }: Pair): boolean {
  const name = header[x]
  return [...name.matchAll(/x/gi)].some(({ 0: letter, index }) => {
    const [before, after] = [name.slice(0, index), name.slice(index + 1)]
    const has = (low: string, high: string) => header.includes(before + (letter === 'x' ? low : high) + after)
    return has('y', 'Y') && has('z', 'Z')
  })
}

/** Finds pairs of columns whose names differ only in x and y, so a row number called X is not paired. */
function findPairs(header: string[]): Pair[] {
  const pairs: Pair[] = []
  const places = new Map(header.map((name, at): [string, number] => [name, at]).reverse())
  for (const [x, name] of header.entries()) {
    for (const { 0: letter, index } of name.matchAll(/x/gi)) {
      const [before, after] = [name.slice(0, index), name.slice(index + 1)]
      const y = places.get(before + (letter === 'x' ? 'y' : 'Y') + after)
      if (y !== undefined) pairs.push({ x, y, stem: plainName(`${before}@${after}`) })
    }
  }
  return pairs
}

/**
 * Chooses the gaze of both eyes together if present, followed by that of each eye if named alike; otherwise that of
 * each eye. Pixels take precedence over other units.
 */
function chooseEyes(pairs: Pair[]): Pair[] {
  const ranked = pairs
    .map((pair, order) => ({ pair, rank: rankOf(pair.stem) * 1000 + order }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ pair }) => pair)
  const [first] = ranked
  if (first === undefined) return []
  if (eyeSideOf(first) === null) {
    const ofSide = (side: 'left' | 'right') =>
      ranked.find((pair) => eyeSideOf(pair) === side && withoutSide(pair.stem) === withoutSide(first.stem))
    const [left, right] = [ofSide('left'), ofSide('right')]
    return left && right ? [first, left, right] : [first]
  }
  const isOther = (pair: Pair) =>
    eyeSideOf(pair) !== eyeSideOf(first) && (otherEye(first.stem) === pair.stem || otherEye(pair.stem) === first.stem)
  const other = ranked.find(isOther)
  return other === undefined ? [first] : eyeSideOf(first) === 'left' ? [first, other] : [other, first]
}

/** Removes the eye, or the mark of both eyes, from a name. */
function withoutSide(stem: string): string {
  const plain = stem.replace(LEFT, '').replace(RIGHT, '').replace(BOTH, '')
  return plain.replace(/_+/g, '_').replace(/^_|_$/g, '')
}

/** Converts a left eye's column name to that of the right eye. */
function otherEye(stem: string): string {
  return stem.replace(LEFT, (side) => side.replace('left', 'right').replace(/l$/, 'r'))
}

function rankOf(stem: string): number {
  const isOfOneEye = LEFT.test(stem) || RIGHT.test(stem)
  const isGaze =
    /gaze|por|pog|pred|regard|norm_pos/.test(stem) ||
    /^@(_?(px|pix|pixels?|pos|position|coord|coordinates?|norm))?$/.test(stem) ||
    /^(px|pix|pixels?|pos)_?@$/.test(stem)
  const unit = /px|pix|dacs|adcs/.test(stem) ? 0 : /mm|deg|dva|ucs|mcs/.test(stem) ? 2 : 1
  return (isOfOneEye ? 10 : 0) + (isGaze ? 0 : 5) + (OPEN_GAZE_FIXATION.test(stem) ? 20 : 0) + unit
}

/** Finds the validity column of the Open Gaze API for a pair; -1 for any other pair. */
export function openGazeValidity({ stem }: Pair, header: string[]): number {
  const wanted = stem.replace('@', 'v')
  return OPEN_GAZE_VALID.test(wanted) ? header.findIndex((name) => plainName(name) === wanted) : -1
}

/** Returns the eye of a pair or column; null for both or unknown. */
export function eyeSideOf({ stem }: { stem: string }): 'left' | 'right' | null {
  return LEFT.test(stem) ? 'left' : RIGHT.test(stem) ? 'right' : null
}
