import { createHash } from 'node:crypto'
import { link, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FileCache, openFileCache } from '../../../../engine/storage/objects/file-cache.ts'

const MAX_BYTES = 64_000
let directory: string
let cache: FileCache

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gazette-file-cache-'))
  cache = await openFileCache(directory, MAX_BYTES)
})
afterEach(async () => {
  await cache.close()
  await rm(directory, { recursive: true, force: true })
})

/** Reads the file with a number once. */
async function use(number: number, sizeBytes: number): Promise<void> {
  const bytes = Buffer.alloc(sizeBytes, `file ${number} `)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const release = await cache.pin(sha256, `${number}`, async () => Readable.from([bytes]))
  release()
}

async function keptBytes(): Promise<number> {
  const objects = join(directory, 'objects')
  const sizes = await Promise.all((await readdir(objects)).map(async (name) => (await stat(join(objects, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

// Below a thirty-second part of the bound, above it, and above it all at once.
test.each([
  [1000, 1],
  [5000, 1],
  [1000, 7],
  [5000, 7],
])('a cache stays within its bound with files of %i bytes, %i at once', async (sizeBytes, atOnce) => {
  for (let first = 0; first < 140; first += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, i) => use(first + i, sizeBytes)))
    expect(await keptBytes()).toBeLessThanOrEqual(MAX_BYTES * (1 + 1 / 32))
  }
  expect(await keptBytes()).toBeGreaterThan(MAX_BYTES / 2)
})

test('a file that a hold left in the view, and could not compare, is brought anew', async () => {
  await use(1, 1000)
  const bytes = Buffer.alloc(1000, 'file 1 ')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  // As after a hold whose disk failed between the link and the hash.
  await link(join(directory, 'objects', sha256), join(cache.directory, 'again'))
  const release = await cache.pin(sha256, 'again', async () => Readable.from([bytes]))
  expect(await readFile(join(cache.directory, 'again'))).toEqual(bytes)
  release()
})
