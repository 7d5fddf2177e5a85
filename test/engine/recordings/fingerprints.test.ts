import { expect, test } from 'vitest'
import { sharedOf } from '../../../engine/recordings/bundle/fingerprints.ts'

/** Sixteen hashes are a full sketch, which knows nothing beyond its largest. */
const FULL = Uint32Array.from({ length: 16 }, (_, i) => 10 * (i + 1))

test('the share of gazes counts hashes up to the largest that both sketches know, with it', () => {
  // Beyond 160, the first sketch tells nothing of the other's.
  expect(sharedOf(FULL, Uint32Array.of(10, 20, 160, 170, 180))).toBe(1)
  expect(sharedOf(FULL, Uint32Array.of(10, 20, 155, 160))).toBe(0.75)
})

test('two hashes in common tell nothing', () => {
  expect(sharedOf(FULL, Uint32Array.of(10, 20))).toBe(0)
})
