import { createHash } from 'node:crypto'
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
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

test('the view of a process that was killed is deleted by the next that opens the cache, and no view in use', async () => {
  const views = join(directory, 'views')
  const [inUse] = (await readdir(views)).filter((name) => !name.endsWith('.lock'))
  const dead = '0123456789abcdef01'
  await mkdir(join(views, dead))
  await writeFile(join(views, dead, 'left'), '')
  const next = await openFileCache(directory, MAX_BYTES)
  const there = await readdir(views)
  await next.close()
  expect(there).not.toContain(dead)
  expect(there).toContain(inUse)
})
