import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openUsages } from '../../../engine/access/usage.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gazette-usage-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

test('concurrent reservations of two processes are counted one after the other, each once', async () => {
  const both = [openUsages(dataDir), openUsages(dataDir)]
  const reserved = await Promise.all(Array.from({ length: 8 }, (_, i) => both[i % 2].reserve('t', { studies: 1 })))
  expect(reserved.map(({ sum }) => sum.studies).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  await reserved[0].takeBack()
  for (const usages of both) expect(await usages.of('t')).toMatchObject({ studies: 7, participants: 0, bytes: 0 })
})
