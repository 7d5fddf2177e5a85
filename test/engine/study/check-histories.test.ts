import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkHistories, HISTORY_FILE } from '../../../engine/study/history.ts'

const [HELD, NEW] = ['55555555-0000-4000-8000-000000000001', '55555555-0000-4000-8000-000000000002']

test('a check counts the histories of studies that have one, and names their damaged lines', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gz-histories-'))
  try {
    for (const studyId of [HELD, NEW]) await mkdir(join(dataDir, 'studies', studyId), { recursive: true })
    // The beginning of the SHA-256 of {} stands before it, and then one that has a bit turned.
    await writeFile(join(dataDir, 'studies', HELD, HISTORY_FILE), '44136fa355b3678a {}\n44136fa355b3678b {}\n')
    const said: string[] = []
    expect(await checkHistories(dataDir, (sentence) => said.push(sentence))).toBe(1)
    expect(said).toEqual([`Study ${HELD}: history.ndjson is damaged in line 2.`])
  } finally {
    await rm(dataDir, { recursive: true })
  }
})
