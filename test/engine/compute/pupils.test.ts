import { array, assert, constantFrom, integer, option, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { cleanEye, createCleanEye, type PupilSettings } from '../../../engine/compute/pupils/clean-eye.ts'
import { createPupil, measurePupil, OF_NONE } from '../../../engine/compute/pupils/pupil.ts'
import { plainEye, plainPupil } from './plain-pupil.ts'

const DEFAULTS: PupilSettings = {
  pupilMinMm: 1.5,
  pupilMaxMm: 9,
  blinkMinMs: 20,
  blinkMaxMs: 500,
  pupilSpeedMad: 16,
  pupilPadMs: 50,
  pupilIslandMs: 50,
  pupilGapMs: 250,
  pupilSmoothingMs: 50,
  pupilBaselineFromMs: 0,
  pupilBaselineToMs: 50,
}
const NAMES = ['', 'lost', 'range', 'eyelid', 'speed', 'padding', 'island']
const numbers = (sizes: (number | null)[]) => Float64Array.from(sizes, (size) => size ?? Number.NaN)
const nulls = (sizes: Float64Array) => Array.from(sizes, (size) => (Number.isNaN(size) ? null : size))

function cleaned(tUs: number[], sizes: (number | null)[], given: Partial<PupilSettings> = {}, isMm = true) {
  const n = tUs.length
  const eye = createCleanEye(n)
  cleanEye(Float64Array.from(tUs), numbers(sizes), n, isMm, { ...DEFAULTS, ...given }, eye)
  return {
    removed: Array.from(eye.removed, (reason) => NAMES[reason]),
    sizes: nulls(eye.size),
    blinks: eye.blinks.map(({ before, after }) => [before, after]),
  }
}

/** Sizes 10 ms apart from onset. */
const each10 = (sizes: unknown[]) => sizes.map((_, i) => i * 10_000)
const OFF = { pupilSpeedMad: 0, pupilPadMs: 0, pupilIslandMs: 0, pupilGapMs: 0, pupilSmoothingMs: 0 }

test('a blink takes with it what an eyelid covers more and more, and less and less', () => {
  const lost = Array<null>(10).fill(null)
  const sizes = [4, 4, 4, 3.5, 3, ...lost, 2.5, 3, 4, 4, 4]
  // From the last 4 before the eyelid to the first 4 after it: 20 to 170 ms.
  const { removed, blinks } = cleaned(each10(sizes), sizes, OFF)
  expect(blinks).toEqual([[2, 17]])
  expect(removed.map((reason) => reason[0] ?? '.').join('')).toBe('...eelllllllllle' + 'e...')
  // As a blink it is 150 ms long.
  expect(cleaned(each10(sizes), sizes, { ...OFF, blinkMaxMs: 149 }).blinks).toEqual([])
  expect(cleaned(each10(sizes), sizes, { ...OFF, blinkMinMs: 111 }).removed).not.toContain('eyelid')
})

test('a blink is as short as 20 ms, but not one lost sample; only gaps of 75 ms are padded', () => {
  const each = (stepMs: number, sizes: unknown[]) => sizes.map((_, i) => i * stepMs * 1000)
  const open = (count: number) => Array<number>(count).fill(4)
  const lost = (count: number) => [...open(8), ...Array<null>(count).fill(null), ...open(8)]
  const blinksOf = (stepMs: number, count: number) => cleaned(each(stepMs, lost(count)), lost(count)).blinks.length
  // At 500 Hz, 9 lost samples make 20 ms from the last size to the next.
  expect([8, 9].map((count) => blinksOf(2, count))).toEqual([0, 1])
  // At 60 Hz and 30 Hz, one lost sample is 33 ms and 67 ms.
  expect([1, 2].map((count) => blinksOf(16.667, count))).toEqual([0, 1])
  expect([1, 2].map((count) => blinksOf(33.333, count))).toEqual([0, 1])
  expect(cleaned(each(2, lost(9)), lost(9), { pupilIslandMs: 0 }).removed).not.toContain('padding')
})

test('a tracker that writes no rows while eyes are closed has the same blinks', () => {
  const sizes = [4, 4, 4, 3.5, 3, ...Array<null>(10).fill(null), 2.5, 3, 4, 4, 4]
  const rows = each10(sizes).flatMap((t, i) => (sizes[i] === null ? [] : [{ t, size: sizes[i] }]))
  const without = cleaned(
    rows.map(({ t }) => t),
    rows.map(({ size }) => size),
    OFF,
  )
  expect(without.blinks.map(([p, q]) => [rows[p].t, rows[q].t])).toEqual([[20_000, 170_000]])
})

test('blinks with less than 100 ms between them are one', () => {
  const closed = Array<null>(8).fill(null)
  const sizes = (open: number) => [4, 4, ...closed, ...Array<number>(open).fill(4), ...closed, 4, 4]
  expect(cleaned(each10(sizes(10)), sizes(10), OFF).blinks).toEqual([[1, 28]])
  expect(cleaned(each10(sizes(11)), sizes(11), OFF).blinks).toEqual([
    [1, 10],
    [20, 29],
  ])
})

test('sizes out of range in mm, and ones that jump, are removed; others interpolated over', () => {
  const steady = [4, 4.01, 4.03, 4.02, 4.05, 4.01, 4.03, 4]
  const withOne = (size: number) => [...steady, size, ...steady]
  expect(cleaned(each10(withOne(1)), withOne(1)).removed[8]).toBe('range')
  expect(cleaned(each10(withOne(1)), withOne(1)).sizes[8]).toBe(4)
  expect(cleaned(each10(withOne(1)), withOne(1), {}, false).removed.slice(7, 10)).toEqual(['speed', 'speed', 'speed'])
  // From 4.03 at 60 ms to 4.01 at 100 ms.
  for (const [k, size] of cleaned(each10(withOne(6)), withOne(6))
    .sizes.slice(6, 11)
    .entries())
    expect(size).toBeCloseTo(4.03 - 0.005 * k, 12)
  expect(cleaned(each10(withOne(6)), withOne(6), { pupilSpeedMad: 0 }).removed).toEqual(Array(17).fill(''))
  // Sizes of few values have no MAD.
  const flat = [4, 4, 4, 4, 5, 4, 4, 4, 4]
  expect(cleaned(each10(flat), flat).removed).toEqual(Array(9).fill(''))
})

test('points close to a gap, and a few alone between gaps, are removed', () => {
  const closed = Array<null>(10).fill(null)
  const open = (count: number) => Array<number>(count).fill(4)
  const sizes = [...open(8), ...closed, ...open(12)]
  const { removed } = cleaned(each10(sizes), sizes, { pupilIslandMs: 0 })
  expect(removed.map((reason) => reason[0] ?? '.').join('')).toBe('...ppppp' + 'llllllllll' + 'ppppp.......')
  // 30 ms are left before the gap, 60 ms after it.
  expect(cleaned(each10(sizes), sizes, {}).removed.slice(0, 3)).toEqual(['island', 'island', 'island'])
  expect(cleaned(each10(sizes), sizes, {}).removed.slice(23)).toEqual(Array(7).fill(''))
})

/** Makes a pupil of sizes 10 ms apart. */
function pupilOf(left: (number | null)[], right: (number | null)[], eye: 'either' | 'both' | 'left', given = {}) {
  const pupil = createPupil()
  const tUs = Float64Array.from(each10(left))
  const recorded = { n: left.length, tUs, left: numbers(left), right: numbers(right) }
  measurePupil(recorded, true, eye, { ...DEFAULTS, ...OFF, ...given }, pupil)
  return { sizes: nulls(pupil.size.subarray(0, pupil.n)), baseline: pupil.baseline }
}

test('where one eye is lost, the other stands for both without a jump', () => {
  const [left, right] = [
    [4, 4, 4, null, null],
    [null, 5, null, 6, null],
  ]
  // The one difference that is known, 1, holds before and after it.
  expect(pupilOf(left, right, 'either').sizes).toEqual([4.5, 4.5, 4.5, 5.5, null])
  expect(pupilOf(left, right, 'both').sizes).toEqual([null, 4.5, null, null, null])
  expect(pupilOf(left, right, 'left').sizes).toEqual(left)
  // From 1 to 3 in two steps.
  expect(pupilOf([4, 4, 4], [5, null, 7], 'either').sizes).toEqual([4.5, 5, 5.5])
  expect(pupilOf([4, 4], [null, null], 'either').sizes).toEqual([4, 4])
})

test('sizes are smoothed within a row, and the baseline is their median in its window', () => {
  const none = Array<null>(6).fill(null)
  const { sizes, baseline } = pupilOf([3, 6, 9, 3, null, 5], none, 'left', { pupilSmoothingMs: 20 })
  expect(sizes).toEqual([4.5, 6, 6, 6, null, 5])
  // At 0 to 40 ms.
  expect(baseline).toBe(6)
  expect(pupilOf([3, 6, 9, 3], none.slice(0, 4), 'left', { pupilBaselineToMs: 20 }).baseline).toBe(4.5)
  expect(pupilOf([3, 6], [null, null], 'left', { pupilBaselineToMs: 0 }).baseline).toBeNaN()
})

const sizes = array(
  record({
    stepMs: constantFrom(1, 2, 4, 10, 10, 10, 16.667, 33.333, 74, 75, 90, 300, 2100),
    run: integer({ min: 1, max: 12 }),
    left: option(constantFrom(-0.4, -0.1, 0, 0.003, -0.002, 0.1, 3, -4), { nil: null, freq: 6 }),
    right: option(constantFrom(-0.1, 0, 0.001, 0.004, 0.1, -3), { nil: null, freq: 4 }),
  }),
  { maxLength: 40 },
).map((steps) => {
  const rows: { tUs: number; left: number | null; right: number | null }[] = []
  let [tUs, l, r] = [-60_000, 4, 4.3]
  for (const { stepMs, run, left, right } of steps)
    for (let i = 0; i < run; i++) {
      tUs += Math.round(stepMs * 1000)
      l = Math.min(11, Math.max(0.5, l + (left ?? 0) * (i % 3 === 2 ? -1 : 1)))
      r = Math.min(11, Math.max(0.5, r + (right ?? 0) * (i % 2 === 1 ? -1 : 1)))
      rows.push({ tUs, left: left === null ? null : l, right: right === null ? null : r })
    }
  return rows
})
const settings = record({
  pupilMinMm: constantFrom(1.5, 0),
  pupilMaxMm: constantFrom(9, 5),
  blinkMinMs: constantFrom(20, 75),
  blinkMaxMs: constantFrom(500, 200),
  pupilSpeedMad: constantFrom(16, 3, 0),
  pupilPadMs: constantFrom(50, 0, 10),
  pupilIslandMs: constantFrom(50, 0, 200),
  pupilGapMs: constantFrom(250, 0, 5000),
  pupilSmoothingMs: constantFrom(50, 0, 7, 200),
  pupilBaselineFromMs: constantFrom(0, -50),
  pupilBaselineToMs: constantFrom(50, 0, 1000),
})

test('pupils are those of docs/pupils.md written plainly', () => {
  const pupil = createPupil()
  assert(
    property(sizes, settings, constantFrom('left', 'right', 'both', 'either'), (rows, given, eye) => {
      const tUs = rows.map(({ tUs }) => tUs)
      const [left, right] = [rows.map(({ left }) => left), rows.map(({ right }) => right)]
      const recorded = { n: rows.length, tUs: Float64Array.from(tUs), left: numbers(left), right: numbers(right) }
      measurePupil(recorded, true, eye, given, pupil)
      const plain = { left: plainEye(tUs, left, true, given), right: plainEye(tUs, right, true, given) }
      for (const side of ['left', 'right'] as const) {
        const { removed, size, blinks, isInterpolated } = pupil[side]
        expect(Array.from(removed.subarray(0, pupil.n), (reason) => NAMES[reason])).toEqual(plain[side].removed)
        expect(nulls(size.subarray(0, pupil.n))).toEqual(plain[side].sizes)
        expect(blinks.map(({ before, after }) => [before, after])).toEqual(plain[side].blinks)
        expect(Array.from(isInterpolated.subarray(0, pupil.n))).toEqual(
          plain[side].removed.map((reason, i) => (reason !== '' && plain[side].sizes[i] !== null ? 1 : 0)),
        )
      }
      const whole = plainPupil(tUs, plain.left.sizes, plain.right.sizes, eye, given)
      for (let i = 0; i < pupil.n; i++) {
        expect(pupil.eyes[i] === OF_NONE).toBe(whole.sizes[i] === null)
        if (whole.sizes[i] === null) expect(pupil.size[i]).toBeNaN()
        else expect(pupil.size[i]).toBeCloseTo(whole.sizes[i]!, 10)
      }
      if (whole.baseline === null) expect(pupil.baseline).toBeNaN()
      else expect(pupil.baseline).toBeCloseTo(whole.baseline, 10)
    }),
    { numRuns: 300 },
  )
})
