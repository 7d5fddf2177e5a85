import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { digestCsv } from '../../../engine/import/bundle/open-bundle-file.ts'

test('the digest of a CSV counts the records after the header, without empty lines, and all commas', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gz-digest-'))
  try {
    const path = join(directory, 'samples.csv')
    await writeFile(path, 'a,b,c\n1,2,3\n\r\n4,5,6')
    expect(await digestCsv(path, null, new AbortController().signal)).toMatchObject({ records: 2, commas: 6 })
  } finally {
    await rm(directory, { recursive: true })
  }
})
