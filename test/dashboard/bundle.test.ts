import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const built = fileURLToPath(new URL('../../dist/server/dashboard', import.meta.url))
const files = (await readdir(built, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  .map((entry) => `${entry.parentPath}/${entry.name}`)

test('the dashboard takes at most 250 KB gzipped in all', async () => {
  const sizes = await Promise.all(files.map(async (file) => gzipSync(await readFile(file)).length))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  expect(total).toBeGreaterThan(10_000)
  expect(total).toBeLessThanOrEqual(250_000)
})

test('the dashboard names no other host', async () => {
  for (const file of files) {
    const named = (await readFile(file, 'utf8')).match(/https?:\/\/[^\s"'`)<>]+/g) ?? []
    // Names of XML vocabularies, which nobody asks for.
    expect(named.filter((address) => !address.startsWith('http://www.w3.org/'))).toEqual([])
  }
})
