import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createBlockFile } from '../../../../engine/storage/files/block-file.ts'

const MIB = 1 << 20
const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

async function newFile(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'block-file-'))
  folders.push(folder)
  return join(folder, 'file')
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece)
  return hash.digest('hex')
}

// On the disk and in memory, where writing past the cache may not be possible; short of, at and beyond the bytes that
// go through the cache.
const parents = [tmpdir(), '/dev/shm'].filter((folder) => existsSync(folder))
const sizes = [0, 1, 4 * MIB - 1, 4 * MIB, 64 * MIB, 64 * MIB + 1, 68 * MIB, 73 * MIB + 12_345]
test.each(parents.flatMap((parent) => sizes.map((size) => [size, parent] as const)))(
  'a file of %i bytes in %s holds what was written, whose memory was used again at once',
  async (size, parent) => {
    const path = await newFile(parent)
    const file = await createBlockFile(path, 'wx')
    const expected = createHash('sha256')
    const block = new Uint8Array(3 * MIB + 77)
    for (let done = 0, b = 1; done < size; b++) {
      const bytes = block.subarray(0, Math.min(block.length, size - done, b * 500_001))
      for (let i = 0; i < bytes.length; i += 61) bytes[i] = b * 7 + i
      expected.update(bytes)
      done += bytes.length
      await file.write(bytes)
      block.fill(b)
    }
    await file.finish()
    expect(await sha256(path)).toBe(expected.digest('hex'))
  },
)

test('files that are written at the same time do not mix', async () => {
  const paths = await Promise.all(Array.from({ length: 6 }, () => newFile(tmpdir())))
  for (let round = 0; round < 2; round++) {
    await Promise.all(
      paths.map(async (path, p) => {
        const file = await createBlockFile(path, 'w')
        for (let i = 0; i < 11; i++) await file.write(new Uint8Array(MIB).fill(65 + p))
        await file.finish()
      }),
    )
    for (const [p, path] of paths.entries())
      expect(Buffer.compare(await readFile(path), Buffer.alloc(11 * MIB, 65 + p))).toBe(0)
  }
})

test('a full disk is reported, and an abandoned file is closed', async () => {
  const file = await createBlockFile('/dev/full', 'w')
  await file.write(new Uint8Array(5 * MIB))
  await expect(file.finish()).rejects.toMatchObject({ code: 'ENOSPC' })
  await file.abandon()

  const other = await createBlockFile('/dev/full', 'w')
  const writing = async () => {
    for (let i = 0; i < 20; i++) await other.write(new Uint8Array(MIB))
  }
  await expect(writing()).rejects.toMatchObject({ code: 'ENOSPC' })
  await other.abandon()
})

test('a file that is there is not replaced unless that is wanted', async () => {
  const path = await newFile(tmpdir())
  const there = await open(path, 'wx')
  await there.close()
  await expect(createBlockFile(path, 'wx')).rejects.toMatchObject({ code: 'EEXIST' })
})
