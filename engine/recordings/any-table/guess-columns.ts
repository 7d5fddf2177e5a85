/** A column of x and the one of y that goes with it, by index; `stem` is their common name, with `@` for the axis. */
export type Pair = { x: number; y: number; stem: string }

/** The probable meanings of columns, by their names; -1 for none. */
export type GuessedColumns = {
  participant: number
  item: number
  trial: number
  time: number
  /** Positions of both eyes together, or of each. */
  eyes: Pair[]
  mouse: Pair | null
  scroll: number
  click: number
  /** Columns that may say whether a gaze is valid. */
  validity: number[]
}

const PEOPLE =
  /^((exp|rec)_?)?(participant|subject|subj|user|ppt?|p(?=_?id)|person|respondent|tester|observer|viewer|who)(_?(id|name|nr|no|num|number|code|label))?$/
/** Sessions, where no column names the person. */
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
const VALIDITY = /valid|status|confidence|quality|(^|_)(conf|val)$|blink|missing|loss/
const MOUSE = /mouse|cursor/
const NO_GAZE =
  /mouse|cursor|click|fix|sac|target|pupil|diam|cam|origin|vel|acc|aoi|zone|stim|head|box|3d|angle|eye_?pos|dist|disp(?!lay)|user_coord|trackbox|3_d|vector|cross|button|scroll|size|resolution|index|max|min/
const LEFT = /left|(^|_)l(?=_|@|raw|avg|gaze|por|pog|eye|$)/
const RIGHT = /right|(^|_)r(?=_|@|raw|avg|gaze|por|pog|eye|$)/

/** Writes a column's name as words with underscores. */
export function plainName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[μµ]/g, 'u')
    .replace(/[^a-z0-9@]+/g, '_')
    .replace(/^_|_$/g, '')
}

/** @param isNumber tells whether a column holds numbers, where that is known */
export function guessColumns(header: string[], isNumber: (column: number) => boolean = () => true): GuessedColumns {
  const plain = header.map(plainName)
  const find = (...patterns: RegExp[]) => {
    for (const pattern of patterns) {
      const at = plain.findIndex((name) => pattern.test(name))
      if (at >= 0) return at
    }
    return -1
  }
  // Programs write a time of day as text, and the clock as a number beside it.
  const findTime = (pattern: RegExp) => plain.findIndex((name, at) => pattern.test(name) && isNumber(at))
  const pairs = findPairs(header)
  const eyes = chooseEyes(pairs.filter(({ stem }) => !NO_GAZE.test(stem)))
  const taken = new Set(eyes.flatMap(({ x, y }) => [x, y]))
  return {
    participant: find(PEOPLE, SESSIONS),
    item: find(ITEMS),
    trial: find(TRIALS),
    time: TIMES.map(findTime).find((at) => at >= 0) ?? find(...TIMES),
    eyes,
    mouse: pairs.find(({ stem }) => MOUSE.test(stem)) ?? null,
    scroll: find(/^scroll(_?(y|top))?(_px)?$/),
    click: find(/^(is_)?(mouse_)?click(ed)?$/),
    validity: plain.flatMap((name, at) =>
      VALIDITY.test(name) && !/pupil|origin|openness/.test(name) && !taken.has(at) ? [at] : [],
    ),
  }
}

/** Finds columns whose names differ in nothing but x and y, so that a row number called X goes with no y. */
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

/** Chooses the gaze of both eyes together if there is one, else that of each; px before other units. */
function chooseEyes(pairs: Pair[]): Pair[] {
  const ranked = pairs
    .map((pair, order) => ({ pair, rank: rankOf(pair.stem) * 1000 + order }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ pair }) => pair)
  const [first] = ranked
  if (first === undefined) return []
  const isOther = (pair: Pair) =>
    sideOf(pair) !== sideOf(first) && (otherEye(first.stem) === pair.stem || otherEye(pair.stem) === first.stem)
  const other = sideOf(first) === null ? undefined : ranked.find(isOther)
  return other === undefined ? [first] : sideOf(first) === 'left' ? [first, other] : [other, first]
}

/** Names a left eye's columns as the right eye's. */
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
  return (isOfOneEye ? 10 : 0) + (isGaze ? 0 : 5) + unit
}

/** Tells the eye that a pair or a column is of; null for both or none. */
export function sideOf({ stem }: { stem: string }): 'left' | 'right' | null {
  return LEFT.test(stem) ? 'left' : RIGHT.test(stem) ? 'right' : null
}
