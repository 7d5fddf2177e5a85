import { readWordName } from '../../isomorphic/word-names.ts'

/** A word of a text, in reading order: its AOI, its line, and how many letters its name gives, 0 if it gives none. */
export type TextWord = { aoi: number; line: number; letters: number }

/** Finds the words among AOIs, by their names, in reading order: docs/reading.md, "Words". */
export function wordsOf(names: string[]): TextWord[] {
  const words = names.flatMap((name, aoi) => {
    const found = readWordName(name)
    return found === null ? [] : [{ aoi, line: found.line, place: found.place, letters: [...found.text].length }]
  })
  words.sort((a, b) => a.line - b.line || a.place - b.place || a.aoi - b.aoi)
  return words.map(({ aoi, line, letters }) => ({ aoi, line, letters }))
}

/** Groups words by line, in reading order. @returns numbers of the lines, and each word's index into them */
export function linesOf(words: TextWord[]): { lines: number[]; lineOfWord: Int32Array } {
  const lines = [...new Set(words.map(({ line }) => line))]
  const indexes = new Map(lines.map((line, index) => [line, index]))
  return { lines, lineOfWord: Int32Array.from(words, ({ line }) => indexes.get(line)!) }
}

/** Reading measures of a word, or a line: durations in µs, NaN if undefined. */
export type UnitReading = {
  fixations: number
  /** 1 if a later unit was fixated before this one, 0 if not; 2 if the reader did not get this far. */
  isSkipped: number
  firstFixationUs: number
  singleFixationUs: number
  firstPassUs: number
  goPastUs: number
  rightBoundedUs: number
  totalUs: number
  regressionsIn: number
  regressionsOut: number
  /** Number in the first pass; NaN without one. */
  firstPassFixations: number
  /** Number of times that gaze came to the unit. */
  runs: number
  /** The first of these, whenever it came: its fixations and their duration, NaN if there is none. */
  firstRunFixations: number
  firstRunUs: number
  /** Its first fixation; -1 if there is none. */
  firstRunAt: number
}

/**
 * Finds where reading begins: docs/reading.md, "Where reading begins".
 *
 * @param from the first fixation of the text's first line, or word, or after a time in ms; the first one if absent
 * @param wordAt word of each fixation in time order, -1 for none
 * @returns index of a fixation
 */
export function startOfReading(
  from: 'first-line' | 'first-word' | number | undefined,
  words: TextWord[],
  wordAt: Int32Array,
  startUs: (fixation: number) => number,
): number {
  if (typeof from === 'number') {
    const first = wordAt.findIndex((_, f) => startUs(f) >= from * 1000)
    return first === -1 ? wordAt.length : first
  }
  if (from === undefined) return 0
  const onWord = from === 'first-word' ? wordAt.indexOf(0) : -1
  const onLine = wordAt.findIndex((word) => words[word]?.line === words[0].line)
  return onWord >= 0 ? onWord : Math.max(0, onLine)
}

/**
 * Measures how words, or lines, were read (Rayner 1998; Inhoff & Radach 1998): docs/reading.md, "Measures".
 *
 * @param wordCount number of words of the text, or of lines to measure these
 * @param wordAt word, or line, of each fixation in time order, -1 for none
 * @param durationUs duration of each fixation
 */
export function measureReading(
  wordCount: number,
  wordAt: Int32Array,
  durationUs: (fixation: number) => number,
): UnitReading[] {
  const words = Array.from({ length: wordCount }, unread)
  /** The farthest word so far, the previous word, and whether gaze is in the first pass of the farthest. */
  let [farthest, last, isFirstPass, passFixations] = [-1, -1, false, 0]
  for (const [f, word] of wordAt.entries()) {
    if (word === -1) continue
    const duration = durationUs(f)
    const own = words[word]
    if (last !== -1 && word < last) {
      own.regressionsIn++
      words[last].regressionsOut++
    }
    if (word !== last) own.runs++
    if (own.runs === 1) addToFirstRun(own, f, duration)
    own.fixations++
    own.totalUs += duration
    if (word > farthest) {
      for (let skipped = farthest + 1; skipped < word; skipped++) words[skipped].isSkipped = 1
      farthest = word
      isFirstPass = true
      passFixations = 0
      Object.assign(own, { isSkipped: 0, firstFixationUs: duration, firstPassUs: 0, goPastUs: 0, rightBoundedUs: 0 })
    } else if (word !== farthest) {
      isFirstPass = false
    }
    const front = words[farthest]
    front.goPastUs += duration
    if (word === farthest) front.rightBoundedUs += duration
    if (isFirstPass) {
      passFixations++
      front.firstPassUs += duration
      front.firstPassFixations = passFixations
      front.singleFixationUs = passFixations === 1 ? duration : Number.NaN
    }
    last = word
  }
  return words
}

function addToFirstRun(unit: UnitReading, fixation: number, durationUs: number): void {
  if (unit.firstRunAt === -1) Object.assign(unit, { firstRunAt: fixation, firstRunFixations: 0, firstRunUs: 0 })
  unit.firstRunFixations++
  unit.firstRunUs += durationUs
}

/**
 * Counts regressions from a word to an earlier one of the same line; fixations outside all words are skipped.
 *
 * @param wordAt, lineAt word and line of each fixation in time order, -1 for none
 * @returns one count per line
 */
export function regressionsWithin(lineCount: number, wordAt: Int32Array, lineAt: Int32Array): Int32Array {
  const counts = new Int32Array(lineCount)
  let last = -1
  for (const [f, word] of wordAt.entries()) {
    if (word === -1) continue
    if (last !== -1 && lineAt[last] === lineAt[f] && word < wordAt[last]) counts[lineAt[f]]++
    last = f
  }
  return counts
}

function unread(): UnitReading {
  return {
    fixations: 0,
    isSkipped: 2,
    firstFixationUs: Number.NaN,
    singleFixationUs: Number.NaN,
    firstPassUs: Number.NaN,
    goPastUs: Number.NaN,
    rightBoundedUs: Number.NaN,
    totalUs: 0,
    regressionsIn: 0,
    regressionsOut: 0,
    firstPassFixations: Number.NaN,
    runs: 0,
    firstRunFixations: Number.NaN,
    firstRunUs: Number.NaN,
    firstRunAt: -1,
  }
}
