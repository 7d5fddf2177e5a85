import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkAccess } from '../../../engine/access/check-access.ts'
import type { FileFault } from '../../../engine/storage/files/file-fault.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gazette-access-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true, maxRetries: 9 }))

test('a session with content, and an empty file of another name, are told and removed; a session stays', async () => {
  const directory = join(dataDir, 'sessions', 'anna')
  const [sound, written] = ['a', 'b'].map((letter) => `session-00000000-${letter.repeat(64)}`)
  await mkdir(directory, { recursive: true })
  for (const [name, content] of Object.entries({ [sound]: '', [written]: '{}', stray: '' }))
    await writeFile(join(directory, name), content)
  const faults: FileFault[] = []
  expect(await checkAccess(dataDir, async (fault) => void faults.push(fault))).toBe(4)
  expect(faults.map(({ sentence }) => sentence).sort()).toEqual([
    `sessions/anna/${written} is not what was written.`,
    'sessions/anna/stray is not what was written.',
  ])
  for (const { mend } of faults) await mend?.()
  expect(await readdir(directory)).toEqual([sound])
})
