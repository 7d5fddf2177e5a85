import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withScratch } from '../../../../engine/storage/files/scratch.ts'
import { keptDirectory } from '../../kept.ts'

const folder = await keptDirectory()

test('a data directory that was created for temporary files only does not remain', async () => {
  await withScratch(join(folder, 'new', 'data'), (scratch) => mkdir(scratch))
  await expect(withScratch(join(folder, 'new', 'data'), () => Promise.reject(new Error('refused')))).rejects.toThrow()
  expect(await readdir(folder)).toEqual([])
})

test('a data directory that was there, or has something else, remains', async () => {
  await mkdir(join(folder, 'there'))
  await withScratch(join(folder, 'there'), async () => {})
  await withScratch(join(folder, 'filled', 'data'), () => writeFile(join(folder, 'filled', 'data', 'x'), ''))
  expect(await readdir(folder)).toEqual(['filled', 'there'])
  expect(await readdir(join(folder, 'filled', 'data'))).toEqual(['x'])
})
