import { array, assert, integer, property, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import {
  linesOf,
  measureReading,
  regressionsWithin,
  startOfReading,
  type UnitReading,
  wordsOf,
} from '../../../engine/compute/reading.ts'

/** Reads words, from 0, for some ms each. */
function read(wordCount: number, fixations: [word: number, ms: number][]): UnitReading[] {
  const wordAt = Int32Array.from(fixations, ([word]) => word)
  return measureReading(wordCount, wordAt, (f) => fixations[f][1] * 1000)
}
const ms = (us: number) => (Number.isNaN(us) ? null : us / 1000)

test('words are AOIs whose names begin with line and place, in reading order', () => {
  const names = ['2.1 dog', 'picture', '1.10 lazy', '1.2 quick', '1.1', '1.3brown', '3. x', 'line 1.1']
  expect(wordsOf(names)).toEqual([
    { aoi: 4, line: 1, letters: 0 },
    { aoi: 3, line: 1, letters: 5 },
    { aoi: 2, line: 1, letters: 4 },
    { aoi: 0, line: 2, letters: 3 },
  ])
  expect(wordsOf(['1.1 naïve 😀']).map(({ letters }) => letters)).toEqual([7])
})

test('reading begins where it is asked to, with what comes nearest to it', () => {
  const words = wordsOf(['1.1 The', '1.2 quick', '2.1 fox'])
  const from = (start: Parameters<typeof startOfReading>[0], wordAt: number[]) =>
    startOfReading(start, words, Int32Array.from(wordAt), (f) => f * 100_000)
  // Gaze is at the end of the page, beside the text, in the middle of line 1, at its beginning, and further on.
  const wordAt = [2, -1, 1, 0, 1, 2]
  expect([undefined, 'first-line', 'first-word', 150, 200, 900].map((start) => from(start as 150, wordAt))).toEqual([
    0, 2, 3, 2, 2, 6,
  ])
  // Nobody has looked at the first word, or at the first line.
  expect([from('first-word', [2, 1, 2]), from('first-line', [2, -1, 2]), from('first-word', [-1, 2])]).toEqual([
    1, 0, 0,
  ])
})

test('runs, worked out by hand', () => {
  // 2 by chance; then 0, 1 twice with a look beside, 2, back to 1, and 2 twice.
  const words = read(4, [
    [2, 100],
    [0, 110],
    [1, 120],
    [-1, 999],
    [1, 130],
    [2, 140],
    [1, 150],
    [2, 160],
    [2, 170],
  ])
  const of = (word: UnitReading) => [word.runs, word.firstRunAt, word.firstRunFixations, ms(word.firstRunUs)]
  expect(words.map(of)).toEqual([
    [1, 1, 1, 110],
    [2, 2, 2, 250],
    [3, 0, 1, 100],
    [0, -1, Number.NaN, null],
  ])
  expect(words.map(({ firstPassFixations }) => firstPassFixations)).toEqual([Number.NaN, Number.NaN, 1, Number.NaN])
})

test('a sentence read with a regression, worked out by hand', () => {
  // 0, 1 twice, 3, back to 1 and 2, 3 again, 4; 5 is never reached. A fixation beside the text counts for nothing.
  const words = read(6, [
    [0, 200],
    [1, 180],
    [1, 100],
    [3, 250],
    [1, 150],
    [-1, 999],
    [2, 120],
    [3, 90],
    [4, 300],
  ])
  const rows = words.map((word) => [
    word.fixations,
    ['no', 'skipped', null][word.isSkipped],
    ms(word.firstFixationUs),
    ms(word.singleFixationUs),
    ms(word.firstPassUs),
    ms(word.goPastUs),
    ms(word.rightBoundedUs),
    ms(word.totalUs),
    word.regressionsIn,
    word.regressionsOut,
  ])
  expect(rows).toEqual([
    [1, 'no', 200, 200, 200, 200, 200, 200, 0, 0],
    [3, 'no', 180, null, 280, 280, 280, 430, 1, 0],
    [1, 'skipped', null, null, null, null, null, 120, 0, 0],
    // 250 + 150 + 120 + 90 until word 4, of which its own are 250 + 90.
    [2, 'no', 250, 250, 250, 610, 340, 340, 0, 1],
    [1, 'no', 300, 300, 300, 300, 300, 300, 0, 0],
    [0, null, null, null, null, null, null, 0, 0, 0],
  ])
})

test('lines read with a return, worked out by hand', () => {
  // Line 1 has words 0 to 2, line 2 word 3, line 7 words 4 and 5.
  const words = wordsOf(['1.1 a', '1.2 b', '1.3 c', '2.1 d', '7.1 e', '7.2 f'])
  const { lines, lineOfWord } = linesOf(words)
  expect([lines, [...lineOfWord]]).toEqual([
    [1, 2, 7],
    [0, 0, 0, 1, 2, 2],
  ])
  // Back within line 1, beside the text and back again; on to line 7, whence back to 1 and to 2; then within 7.
  const wordAt = Int32Array.from([0, 2, 1, -1, 0, 5, 2, 3, 5, 4])
  const lineAt = wordAt.map((word) => (word === -1 ? -1 : lineOfWord[word]))
  expect([...regressionsWithin(3, wordAt, lineAt)]).toEqual([2, 0, 1])
  const ms = [100, 110, 120, 999, 130, 140, 150, 160, 170, 180]
  const measured = measureReading(3, lineAt, (f) => ms[f] * 1000)
  const of = (one: UnitReading) =>
    [one.firstFixationUs, one.firstPassUs, one.goPastUs, one.totalUs].map((us) => us / 1e3)
  // 100 + 110 + 120 + 130; line 7 has 140 first, 150 and 160 elsewhere, and 170 + 180.
  expect(measured.map(of)).toEqual([
    [100, 460, 460, 610],
    [Number.NaN, Number.NaN, Number.NaN, 160],
    [140, 140, 800, 490],
  ])
  expect(measured.map((one) => [one.isSkipped, one.regressionsIn, one.regressionsOut])).toEqual([
    [0, 1, 0],
    [1, 0, 0],
    [0, 0, 1],
  ])
})

test('measures are those of docs/reading.md, written plainly', () => {
  const fixations = array(tuple(integer({ min: -1, max: 7 }), integer({ min: 60, max: 400 })), { maxLength: 40 })
  assert(
    property(fixations, (given) => {
      const inWords = given.filter(([word]) => word !== -1)
      const sum = (some: [number, number][]) => some.reduce((total, [, duration]) => total + duration, 0)
      const words = read(8, given)
      for (const [w, word] of words.entries()) {
        const own = inWords.filter(([at]) => at === w)
        const start = inWords.findIndex(([at]) => at >= w)
        const isFirst = start !== -1 && inWords[start][0] === w
        const end = (from: number, isOver: (at: number) => boolean) => {
          const found = inWords.findIndex(([at], i) => i > from && isOver(at))
          return found === -1 ? inWords.length : found
        }
        const pass = isFirst
          ? inWords.slice(
              start,
              end(start, (at) => at !== w),
            )
          : []
        const path = isFirst
          ? inWords.slice(
              start,
              end(start, (at) => at > w),
            )
          : []
        const orNull = (value: number) => (isFirst ? value : null)
        expect([word.fixations, ms(word.totalUs)]).toEqual([own.length, sum(own)])
        expect(word.isSkipped).toBe(start === -1 ? 2 : isFirst ? 0 : 1)
        expect(ms(word.firstFixationUs)).toBe(orNull(pass[0]?.[1]))
        expect(ms(word.singleFixationUs)).toBe(pass.length === 1 ? pass[0][1] : null)
        expect(ms(word.firstPassUs)).toBe(orNull(sum(pass)))
        expect(ms(word.goPastUs)).toBe(orNull(sum(path)))
        expect(ms(word.rightBoundedUs)).toBe(orNull(sum(path.filter(([at]) => at === w))))
        const run = inWords.findIndex(([at]) => at === w)
        const firstRun =
          run === -1
            ? []
            : inWords.slice(
                run,
                end(run, (at) => at !== w),
              )
        expect(word.firstPassFixations).toBe(isFirst ? pass.length : Number.NaN)
        expect(word.firstRunFixations).toBe(firstRun.length || Number.NaN)
        expect(ms(word.firstRunUs)).toBe(firstRun.length === 0 ? null : sum(firstRun))
        expect(word.runs).toBe(inWords.filter(([at], i) => at === w && inWords[i - 1]?.[0] !== w).length)
        const follows = (isSo: (before: number, after: number) => boolean) =>
          inWords.filter(([at], i) => i > 0 && isSo(inWords[i - 1][0], at)).length
        expect(word.regressionsIn).toBe(follows((before, after) => after === w && before > w))
        expect(word.regressionsOut).toBe(follows((before, after) => before === w && after < w))
      }
    }),
    { numRuns: 500 },
  )
})
