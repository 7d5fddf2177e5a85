import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { removeAside } from '../../../../engine/storage/files/optional-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'gazette-aside-'))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('temporary files that a killed process left are removed once they are old; no other file is', async () => {
  for (const name of ['old.tmp', 'new.tmp', 'old.json']) {
    writeFileSync(join(directory, name), '')
    const writtenS = name.startsWith('old') ? 1000 : 3000
    utimesSync(join(directory, name), writtenS, writtenS)
  }
  await removeAside(directory, new Date(2_000_000))
  expect(readdirSync(directory).sort()).toEqual(['new.tmp', 'old.json'])
})
