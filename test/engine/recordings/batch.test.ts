import { expect, test } from 'vitest'
import { BATCH_ROWS, eyeColumn, keepLastRow, makeBatch } from '../../../engine/recordings/draft/batch.ts'

test('a full batch keeps its last row as the first, and no eye of the rows behind it', () => {
  const batch = makeBatch()
  batch.n = BATCH_ROWS
  batch.tMs.fill(7)
  eyeColumn(batch, 'leftPupil').fill(3)
  keepLastRow(batch)
  expect([batch.n, batch.tMs[0], batch.eyes.leftPupil![0]]).toEqual([1, 7, 3])
  expect(batch.eyes.leftPupil!.subarray(1).every(Number.isNaN)).toBe(true)
})
