import { expect, test } from 'vitest'
import type { Snapshot } from '../../../../engine/model/study.ts'
import { countParts } from '../../../../engine/run/parts/run-part.ts'

const filed = (files: number) => ({ manifest: { sampleFiles: Array(files) } }) as Pick<Snapshot, 'manifest'>

test('a part has at most a fourth of what is split, and 4 million samples; a job at most 200, and one for each file', () => {
  expect(countParts(40, filed(90), 16)).toBe(10)
  expect(countParts(41, filed(90), 16)).toBe(11)
  expect(countParts(8_000_001, filed(90), 64_000_000)).toBe(3)
  expect(countParts(41, filed(5), 16)).toBe(5)
  expect(countParts(1e9, filed(900), 64_000_000)).toBe(200)
  expect([countParts(0, filed(90), 16), countParts(41, filed(0), 16)]).toEqual([1, 1])
})
