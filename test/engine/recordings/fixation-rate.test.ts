import { expect, test } from 'vitest'
import { countFixations } from '../../../engine/recordings/any-table/evidence/fixation-rate.ts'

test('gaze that rests for 80 ms is a fixation, for a twentieth of a ms less it is none, and each stretch has its own', () => {
  const screen = { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 }
  const resting = (...stretchesMs: number[]) => {
    const all = <T>(of: (ms: number) => T[]) => stretchesMs.flatMap(of)
    const still = Float64Array.from({ length: 5 * stretchesMs.length }, () => 500)
    const tMs = Float64Array.from(all((ms) => [0, ms / 4, ms / 2, (3 * ms) / 4, ms]))
    const isStart = Uint8Array.from(all(() => [1, 0, 0, 0, 0]))
    return countFixations({ n: tMs.length, tMs, x: still, y: still, isStart }, screen)
  }
  expect(resting(80)).toBe(1)
  expect(resting(79.95)).toBe(0)
  expect(resting(100, 79.95, 120)).toBe(2)
})
