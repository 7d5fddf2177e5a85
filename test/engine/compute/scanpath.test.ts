import { expect, test } from 'vitest'
import { aoiString, entropiesOf, recurrenceOf, type Scanpath } from '../../../engine/compute/scanpath.ts'

/** A scanpath at these places; a dot is outside. */
function at(letters: string, x: number[] = [], y: number[] = []): Scanpath {
  const place = Int32Array.from(letters, (letter) => (letter === '.' ? -1 : letter.charCodeAt(0) - 65))
  const n = letters.length
  const sized = (values: number[]) => Float64Array.from({ length: n }, (_, i) => values[i] ?? 0)
  return { n, place, x: sized(x), y: sized(y), durationMs: new Float64Array(n).fill(100) }
}
const on = (positions: number[]) => at('A'.repeat(positions.length), positions)

test('an AOI string has a letter for each fixation, a dot outside, and letters without end', () => {
  expect(aoiString(at('AAB.C'))).toBe('AAB.C')
  expect(aoiString({ ...at('AAA'), place: Int32Array.of(25, 26, 52) })).toBe('ZaĀ')
  expect(aoiString(at(''))).toBe('')
})

test('a scanpath that always goes on to the same place has no transition entropy', () => {
  expect(entropiesOf(at('AABBAB'), 2)).toEqual({
    transitions: 3,
    transition: 0,
    stationary: expect.closeTo(0.918296, 6),
  })
})

test('one that goes on from each of three places to both others equally often has an entropy of one bit', () => {
  // AB, BA, AC, CA, AB … : AB BC CA AC CB BA, each once.
  expect(entropiesOf(at('ABCACBA'), 3)).toEqual({
    transitions: 6,
    transition: expect.closeTo(1, 12),
    stationary: expect.closeTo(Math.log2(3), 12),
  })
})

test('without a transition there is no entropy', () => {
  for (const letters of ['', 'A', '..', 'BBB'])
    expect(entropiesOf(at(letters), 2)).toEqual({ transitions: 0, transition: Number.NaN, stationary: Number.NaN })
})

test('a scanpath that repeats itself recurs along a diagonal', () => {
  // 0 1 2 0 1 2: three recurrences, (0, 3), (1, 4), (2, 5), in one diagonal line; 2 · 3 / 30.
  expect(recurrenceOf(on([0, 1, 2, 0, 1, 2]), 0.1, 100)).toEqual({
    recurrence: 20,
    determinism: 100,
    laminarity: 0,
    center: 60,
  })
})

test('fixations that stay recur in lines across and down', () => {
  // 0 0 0 1: (0, 1), (0, 2), (1, 2): across (0, 1–2), down (0–1, 2), diagonal (0, 1), (1, 2).
  const { recurrence, determinism, laminarity, center } = recurrenceOf(on([0, 0, 0, 1]), 0.1, 100)
  expect([recurrence, laminarity]).toEqual([50, expect.closeTo((100 * 4) / 6, 12)])
  expect([determinism, center]).toEqual([expect.closeTo((100 * 2) / 3, 12), expect.closeTo((100 * 4) / 9, 12)])
})

test('without recurrences there is nothing to share, and a single fixation cannot recur', () => {
  const nothing = { determinism: Number.NaN, laminarity: Number.NaN, center: Number.NaN }
  expect(recurrenceOf(on([0, 1, 2]), 0.1, 100)).toEqual({ recurrence: 0, ...nothing })
  for (const few of [[], [0]]) expect(recurrenceOf(on(few), 0.1, 100)).toEqual({ recurrence: Number.NaN, ...nothing })
  expect(recurrenceOf(on([0, 0, 0]), 0.1, 2).recurrence).toBeNaN()
})

test('a distance of exactly the radius recurs', () => {
  expect(recurrenceOf(at('AA', [0, 3], [0, 4]), 5, 100).recurrence).toBe(100)
})
