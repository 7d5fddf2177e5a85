import { expect, test } from 'vitest'
import { assignLines } from '../../../engine/compute/lines/assign-lines.ts'
import { LINE_METHODS, type LineMethod } from '../../../engine/model/parameters.ts'

/** Three lines, 64 apart, of four words each: at x 100, 200, 300 and 400. */
const LINES = [100, 164, 228]
const WORDS = [100, 200, 300, 400]
const text = {
  lineY: Float64Array.from(LINES),
  words: {
    x: Float64Array.from(LINES.flatMap(() => WORDS)),
    y: Float64Array.from(LINES.flatMap((y) => WORDS.map(() => y))),
    line: Int32Array.from(LINES.flatMap((_, line) => WORDS.map(() => line))),
  },
}

function lines(method: LineMethod, fixations: [x: number, y: number][], of = text): string {
  const x = Float64Array.from(fixations, ([each]) => each)
  const y = Float64Array.from(fixations, ([, each]) => each)
  return assignLines(method, { x, y }, of).join('')
}

/** Each line read once from left to right, lower and lower: 0, 15, 25 and 40 below it. */
const DRIFT = [0, 15, 25, 40]
const drifting = LINES.flatMap((y) => WORDS.map((x, w): [number, number] => [x, y + DRIFT[w]]))
const READ = '000011112222'

test('a drift of more than half a line moves fixations to the next line by attach, and to their own by all others', () => {
  // 40 of 64 is nearer to the next line; below the last one is none.
  expect(lines('attach', drifting)).toBe('000111122222')
  // Return sweeps end chains: x goes 300 back, more than 3 × 64. The means are 20 below the lines.
  for (const method of ['chain', 'segment', 'slice', 'split', 'warp', 'vote'] as const)
    expect([method, lines(method, drifting)]).toEqual([method, READ])
  // The clusters begin as attach, with the centres 113.3, 176.5 and 248, between which 140 is nearer to the first.
  expect(lines('cluster', drifting)).toBe(READ)
})

test('a return to an earlier line is a line of its own by the order of time, and the earlier by height', () => {
  // Two lines; the first is read again in the end.
  const two = { lineY: text.lineY.subarray(0, 2), words: { ...text.words } }
  two.words = { x: text.words.x.subarray(0, 8), y: text.words.y.subarray(0, 8), line: text.words.line.subarray(0, 8) }
  const again: [number, number][] = [
    ...WORDS.map((x): [number, number] => [x, 105]),
    ...WORDS.map((x): [number, number] => [x, 170]),
    [100, 104],
    [400, 104],
  ]
  for (const method of ['attach', 'chain', 'cluster', 'slice', 'split'] as const)
    expect([method, lines(method, again, two)]).toEqual([method, '0000111100'])
  // One return sweep for two lines: the first of the two longest. Words have an order, and the last are on line 2.
  expect(lines('segment', again, two)).toBe('0000111111')
  expect(lines('warp', again, two)).toBe('0000111111')
  // Three of five for the first line.
  expect(lines('vote', again, two)).toBe('0000111100')
})

test('slice grows lines from the longest run, and joins what is beyond the first and last line', () => {
  // All 45 too low: nearest are the next lines, but there are three.
  const low = LINES.flatMap((y) => WORDS.map((x): [number, number] => [x, y + 45]))
  expect(lines('attach', low)).toBe('111122222222')
  expect(lines('slice', low)).toBe(READ)
  // A fourth row of two fixations, 64 below, belongs to the last line.
  expect(lines('slice', [...low, [100, 337], [160, 337]])).toBe(`${READ}22`)
})

test('of two lines that are equally near, the upper one counts', () => {
  const between: [number, number][] = [[100, 132]]
  for (const method of ['attach', 'chain', 'cluster', 'split', 'warp', 'vote'] as const)
    expect([method, lines(method, between)]).toEqual([method, '0'])
})

test('texts of one line, and tests with few fixations or with equal ones, have lines', () => {
  const one = {
    lineY: Float64Array.of(100),
    words: { x: text.words.x.subarray(0, 1), y: text.words.y.subarray(0, 1), line: Int32Array.of(0) },
  }
  for (const method of LINE_METHODS) {
    expect(lines(method, drifting, one)).toBe('000000000000')
    expect(lines(method, [])).toBe('')
    expect(lines(method, [[100, 104]])).toMatch(/^[012]$/)
    expect(lines(method, Array(4).fill([200, 170]))).toMatch(/^[012]{4}$/)
  }
})
