import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSessions } from '../../../engine/access/sessions.ts'

test('a damaged session lets nobody in, is in the way of no other, and goes when somebody signs in', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gazette-sessions-'))
  try {
    const sessions = openSessions(dataDir)
    const { secret } = await sessions.begin('anna', new Date())
    const [file] = await readdir(join(dataDir, 'sessions'))
    await writeFile(join(dataDir, 'sessions', file), '{"tokenId')
    expect(await sessions.find(secret, new Date())).toBeNull()
    const next = await sessions.begin('ben', new Date())
    expect(await sessions.find(next.secret, new Date())).toBe('ben')
    expect(await readdir(join(dataDir, 'sessions'))).toHaveLength(1)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
