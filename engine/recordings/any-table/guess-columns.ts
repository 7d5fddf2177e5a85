import {
  type AxisPair,
  byRank,
  COUNTS,
  depthOf,
  EYE,
  eachEyeOf,
  eyeSideOf,
  findPairs,
  IDS,
  ITEMS,
  isOpenGazesMarker,
  isPartOfSecond,
  MOUSE,
  NO_GAZE,
  OPEN_GAZE_VALID,
  otherEyeOf,
  PEOPLE,
  plainName,
  SESSIONS,
  TIMES,
  TRIALS,
  VALIDITY,
} from './column-names.ts'
import type { FoundNames } from './evidence/names-of-tests.ts'
import type { FoundPairs } from './evidence/pairing.ts'
import type { Verdict } from './evidence/verdict.ts'

/** Probable meanings of columns, guessed from their names and values; -1 for none. */
export type GuessedColumns = FoundNames & {
  time: number
  /** Positions of both eyes together, or of each eye. */
  eyes: AxisPair[]
  /** True if values decided against the names of columns, or without any. */
  isByValues: { time: boolean; eyes: boolean; names: boolean }
  /** Reason for which there is no gaze; '' if there is, or if nothing is known. */
  why: string
  /** Pairs whose names may be those of gaze, and whose movements are not. */
  dismissed: { pair: AxisPair; verdict: Verdict }[]
  /** Next best pair of positions; null if none is close. */
  runnerUp: AxisPair | null
  mouse: AxisPair | null
  scroll: number
  click: number
  /** Columns that may mark gaze as valid. */
  validity: number[]
  /** Column that names the eye of a row. */
  eye: number
  /** Names of x columns with a z column beside them: positions and directions in space, not gaze on a screen. */
  inSpace: string[]
  /** Pairs that are neither gaze, judged by name, nor the mouse. */
  noGaze: AxisPair[]
}

/** Facts about columns, from their values. */
export type ColumnFacts = {
  isNumber: (column: number) => boolean
  /** True if a column holds dates with times, or times of day. */
  isInstant: (column: number) => boolean
  /** True if a column has a value in most rows, or in runs of rows. */
  isFilled: (column: number) => boolean
  /** True if a column is missing throughout; and if it has no number but 0. */
  isEmpty: (column: number) => boolean
  isFlat: (column: number) => boolean
  /** Returns how many names of pictures or videos a column holds; 0 if it holds anything else. */
  filesIn: (column: number) => number
  /** True if a column has several values, each in one block of rows. */
  isInBlocks: (column: number) => boolean
  /** Returns the largest number in a column. */
  most: (column: number) => number
  /** Returns the share of rows whose number is larger than that of the row before. */
  advance: (column: number) => number
  /** True if a column advances as a clock does; as a number of rows does; and if it begins anew with each test. */
  isClock: (column: number) => boolean
  isCount: (column: number) => boolean
  startsAnew: (column: number) => boolean
  /** True if a clock is the steadiest kind: its steps are even, and it hardly goes back. */
  isSteady: (column: number) => boolean
  /** True if a column counts as a row number does, but from where only the clock of a tracker in ms begins. */
  isLateCount: (column: number) => boolean
  /** Returns whether gaze moves as slowly, by a time, as that of most people. */
  isUnhurried: (pair: AxisPair, time: number) => boolean
  /** Judges positions by their movement in time. */
  verdict: (pair: AxisPair, time: number) => Verdict
  /** Returns whether two pairs are the gaze of two eyes, by their values. */
  areTwoEyes: (one: AxisPair, other: AxisPair, time: number) => boolean
  findGaze: (time: number, taken: number[]) => FoundPairs
  findNames: (time: number, taken: number[]) => FoundNames
}

const NO_FACTS: ColumnFacts = {
  ...{ isNumber: () => true, isInstant: () => false, isFilled: () => true, isEmpty: () => false, isFlat: () => false },
  ...{ most: () => 0, advance: () => 1, isClock: () => false, isCount: () => false, startsAnew: () => false },
  ...{ isSteady: () => true, isInBlocks: () => false, isLateCount: () => false, isUnhurried: () => false },
  filesIn: () => 0,
  verdict: () => 'few',
  areTwoEyes: () => false,
  findGaze: () => ({ pairs: [], why: '' }),
  findNames: () => ({ participant: -1, item: -1, trial: -1, unclear: [] }),
}

/** Columns that a person chose, which are not guessed. */
export type ChosenColumns = { time?: number; eyes?: AxisPair[] }

/**
 * Guesses the columns of time, gaze, participant and item: candidates by name are tested on their values, and where
 * none is convincing, or has a name, values alone decide.
 *
 * @param facts facts from the values of columns, if known
 */
export function guessColumns(
  header: string[],
  facts: ColumnFacts = NO_FACTS,
  chosen: ChosenColumns = {},
): GuessedColumns {
  const plain = header.map(plainName)
  const isThere = (at: number) => !facts.isEmpty(at)
  const find = (...patterns: RegExp[]) => findBy(plain, isThere, ...patterns)
  const pairs = findPairs(header)
  const inSpace = pairs.filter((pair) => depthOf(header, pair) >= 0 && !facts.isFlat(depthOf(header, pair)))
  const onScreen = pairs.filter((pair) => !inSpace.includes(pair))
  const [named, noGaze] = [false, true].map((is) => onScreen.filter(({ stem }) => NO_GAZE.test(stem) === is))
  // What a name says is no gaze, such as the size of a pupil, is none by its values either.
  const others = [...pairs.flatMap(({ x, y }) => [x, y]), ...[...plain.keys()].filter((at) => NO_GAZE.test(plain[at]))]
  const eyesBy = (time: number) =>
    chosen.eyes ? { ...NO_GAZE_FOUND, eyes: chosen.eyes } : findEyes(named, others, time, facts)
  const known = chosen.time ?? findTime(plain, facts)
  const counted = known >= 0 ? null : findCountedMs(plain, eyesBy, facts)
  const time = counted?.time ?? known
  const gaze = counted?.gaze ?? eyesBy(time)
  const taken = new Set(gaze.eyes.flatMap(({ x, y }) => [x, y]))
  const validity = plain.flatMap((name, at) =>
    (VALIDITY.test(name) || OPEN_GAZE_VALID.test(name)) &&
    !/pupil|origin|openness/.test(name) &&
    !taken.has(at) &&
    isThere(at)
      ? [at]
      : [],
  )
  const person = findBy(
    plain,
    (at) => isThere(at) && facts.isFilled(at) && !isOpenGazesMarker(plain, at),
    PEOPLE,
    SESSIONS,
  )
  const participant = person >= 0 ? person : findBy(plain, facts.isInBlocks, IDS)
  const names = { participant, ...findItem(plain, isThere, facts), unclear: [] as number[] }
  const isNamed = names.participant >= 0 || names.item >= 0 || names.trial >= 0
  const used = [time, ...taken, ...validity, ...pairs.flatMap(({ x, y }) => [x, y])]
  const isTimeNamed = time >= 0 && isTimeName(plain[time])
  return {
    ...(isNamed ? withPictures(names, [...plain.keys()], facts) : facts.findNames(time, used)),
    time,
    ...gaze,
    isByValues: { time: time >= 0 && !isTimeNamed, eyes: gaze.isByValues, names: !isNamed },
    mouse: onScreen.find(({ stem }) => MOUSE.test(stem)) ?? null,
    scroll: find(/^scroll(_?(y|top))?(_px)?$/),
    click: find(/^(is_)?(mouse_)?click(ed)?$/),
    validity,
    eye: find(EYE),
    inSpace: inSpace.map(({ x }) => header[x]),
    noGaze: noGaze.filter(({ stem }) => !MOUSE.test(stem)),
  }
}

/** Finds the columns that are called items and trials: the item is one that holds names of pictures, if any does. */
function findItem(plain: string[], isThere: (at: number) => boolean, { filesIn }: ColumnFacts) {
  const pictures = findBy(plain, (at) => isThere(at) && filesIn(at) > 0, ITEMS)
  return { item: pictures >= 0 ? pictures : findBy(plain, isThere, ITEMS), trial: findBy(plain, isThere, TRIALS) }
}

/** Takes the only column that holds several names of pictures for the item, if no column is called so. */
function withPictures<Names extends { item: number; trial: number }>(
  names: Names,
  columns: number[],
  { filesIn }: ColumnFacts,
): Names {
  const [pictures, ...more] = columns.filter((at) => filesIn(at) > 1)
  if (names.item >= 0 || pictures === undefined || more.length > 0) return names
  return { ...names, item: pictures, trial: names.trial === pictures ? -1 : names.trial }
}

function findBy(plain: string[], isFit: (at: number) => boolean, ...patterns: RegExp[]): number {
  for (const pattern of patterns) {
    const found = plain.findIndex((name, at) => pattern.test(name) && isFit(at))
    if (found >= 0) return found
  }
  return -1
}

/** Least resolution of a clock, as a share of the best clock's, for which it counts as equally good. */
const AS_GOOD = 0.9

/**
 * Finds the clock among the columns that distinguish about as many rows as any does: one that begins anew with each
 * test before one that runs on, then the likeliest name. Programs write whole seconds, the fraction of a second, and a
 * time of day as text beside it.
 */
function findTime(plain: string[], facts: ColumnFacts): number {
  const columns = [...plain.keys()].filter((at) => !facts.isEmpty(at))
  const isPart = (at: number) => isPartOfSecond(plain, at, facts.most(at))
  const numbers = columns.filter((at) => facts.isNumber(at) && !facts.isInstant(at) && !isPart(at))
  const instants = columns.filter(facts.isInstant)
  const found = [numbers, instants].map((some) => findClock(plain, some, facts)).find((at) => at >= 0)
  if (found !== undefined) return found
  const moving = columns.filter((at) => facts.advance(at) > 0)
  const named = finest(
    numbers.filter((at) => isTimeName(plain[at]) && moving.includes(at)),
    facts,
  )
  const likely = findBy(plain, (at) => named.includes(at), ...TIMES)
  return likely >= 0 ? likely : findBy(plain, (at) => moving.includes(at), ...TIMES)
}

/**
 * Finds the ms of a tracker at 1000 Hz, which advance by 1 as a row number does, by the gaze: it would be too fast
 * where rows are further apart.
 */
function findCountedMs(
  plain: string[],
  eyesBy: (time: number) => FoundEyes,
  facts: ColumnFacts,
): { time: number; gaze: FoundEyes } | null {
  const [time, ...more] = [...plain.keys()].filter((at) => facts.isLateCount(at) && !COUNTS.test(plain[at]))
  if (time === undefined || more.length > 0) return null
  const gaze = eyesBy(time)
  const [eye] = gaze.eyes
  const isFit = eye === undefined || (facts.verdict(eye, time) === 'gaze' && facts.isUnhurried(eye, time))
  return isFit ? { time, gaze } : null
}

const isTimeName = (name: string) => TIMES.some((pattern) => pattern.test(name))

/** Returns the columns that distinguish about as many rows as the best of them. */
function finest(clocks: number[], { advance }: ColumnFacts): number[] {
  const most = Math.max(...clocks.map(advance))
  return clocks.filter((at) => advance(at) >= AS_GOOD * most)
}

function findClock(plain: string[], columns: number[], facts: ColumnFacts): number {
  const { isClock, startsAnew, advance } = facts
  const named = finest(
    columns.filter((at) => isTimeName(plain[at])),
    facts,
  ).filter(isClock)
  const others = finest(
    columns.filter((at) => isClock(at) && !facts.isCount(at) && !COUNTS.test(plain[at])),
    facts,
  )
  const anew = named.filter(startsAnew)
  const likely = anew.length > 0 ? anew : named
  const isFine = likely.length > 0 && others.every((at) => advance(likely[0]) >= AS_GOOD * advance(at))
  if (isFine) return findBy(plain, (at) => likely.includes(at), ...TIMES)
  const steady = others.filter(facts.isSteady)
  const best = steady.length > 0 ? steady : others
  return best.find(startsAnew) ?? best[0] ?? -1
}

type FoundEyes = Pick<GuessedColumns, 'eyes' | 'why' | 'dismissed' | 'runnerUp'> & { isByValues: boolean }
const NO_GAZE_FOUND: FoundEyes = { eyes: [], why: '', dismissed: [], runnerUp: null, isByValues: false }

/** Verdicts on positions that are not those of an eye. */
const NO_EYES: Verdict[] = ['target', 'mouse', 'off']
/** Verdicts from the most to the least convincing. */
const CLASSES: Verdict[][] = [['gaze'], ['few'], ['odd']]

/**
 * Chooses the pairs of gaze: by their movements, then by their names. If no name is convincing, movements alone decide.
 *
 * @param others columns of all pairs of names, and of other things, so that none is taken to be gaze
 */
function findEyes(named: AxisPair[], others: number[], time: number, facts: ColumnFacts): FoundEyes {
  const all = named.map((pair) => ({ pair, verdict: facts.verdict(pair, time) }))
  const there = all.filter(({ verdict }) => verdict !== 'nothing')
  const judged = there.length > 0 ? there : all
  const fit = CLASSES.map((verdicts) => judged.filter(({ verdict }) => verdicts.includes(verdict))).find(
    ({ length }) => length > 0,
  )
  const found = fit === undefined ? facts.findGaze(time, [time, ...others]) : null
  if (found !== null && found.pairs.length > 0) {
    const eyes = found.pairs.map(({ x, y }) => ({ x, y, stem: '' }))
    return { ...NO_GAZE_FOUND, eyes, dismissed: judged, isByValues: true }
  }
  // What stays at one place, such as that of a picture, is gaze only where nothing else is.
  const moving = judged.filter(({ verdict }) => verdict !== 'still')
  const candidates = (fit ?? (moving.length > 0 ? moving : judged)).map(({ pair }) => pair)
  const likely = judged.filter(({ verdict }) => !NO_EYES.includes(verdict)).map(({ pair }) => pair)
  const chosen = chooseEyes(byRank(candidates), byRank(likely))
  const eyes = [...chosen, ...secondEye(chosen, byRank(candidates), time, facts)]
  const isFree = (pair: AxisPair) => !eyes.includes(pair)
  const sure = judged.filter(({ pair, verdict }) => verdict === 'gaze' && isFree(pair)).map(({ pair }) => pair)
  return {
    eyes,
    why: eyes.length === 0 ? (found?.why ?? '') : '',
    dismissed: judged.filter(({ pair, verdict }) => verdict !== 'gaze' && verdict !== 'few' && isFree(pair)),
    runnerUp: byRank(sure)[0] ?? null,
    isByValues: false,
  }
}

/** Finds the other eye of a pair whose name says nothing of eyes: the one that looks at the same places. */
function secondEye(chosen: AxisPair[], candidates: AxisPair[], time: number, facts: ColumnFacts): AxisPair[] {
  const [first] = chosen
  if (chosen.length !== 1 || eyeSideOf(first) !== null || facts.verdict(first, time) !== 'gaze') return []
  const isOther = (pair: AxisPair) => pair !== first && eyeSideOf(pair) === null && facts.areTwoEyes(first, pair, time)
  return candidates.filter(isOther).slice(0, 1)
}

/**
 * Chooses the gaze of both eyes together if present, followed by that of each eye if named alike; otherwise that of
 * each eye. Pixels take precedence over other units.
 *
 * @param ranked candidates @param others pairs that may be of the other eye
 */
function chooseEyes([first]: AxisPair[], others: AxisPair[]): AxisPair[] {
  if (first === undefined) return []
  if (eyeSideOf(first) === null) return [first, ...eachEyeOf(first, others)]
  const other = otherEyeOf(first, others)
  return other === undefined ? [first] : eyeSideOf(first) === 'left' ? [first, other] : [other, first]
}
