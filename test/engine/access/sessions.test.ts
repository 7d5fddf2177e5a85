import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSessions, SESSIONS_PER_TOKEN } from '../../../engine/access/sessions.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gazette-sessions-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true, maxRetries: 9 }))

const later = (hours: number) => new Date(Date.now() + hours * 3_600_000)

test('stray files among the sessions prevent no sign-in', async () => {
  const sessions = openSessions(dataDir)
  const directory = join(dataDir, 'sessions')
  await mkdir(join(directory, 'anna', `session-00000000-${'0'.repeat(64)}`), { recursive: true })
  await mkdir(join(directory, 'session-1.json'))
  for (const text of ['', 'null', '{"tokenId', '{}'])
    await writeFile(join(directory, `session-${text.length}.txt`), text)
  await writeFile(join(directory, 'anna', 'session'), '')
  await rm(join(directory, 'anna', `session-00000000-${'0'.repeat(64)}`), { recursive: true })
  const { secret } = await sessions.begin('anna', new Date())
  expect(await sessions.find(secret, new Date())).toBe('anna')
})

test('a secret is good as it is, and not under another name, for longer, or as a code', async () => {
  const sessions = openSessions(dataDir)
  const { secret } = await sessions.begin('anna', new Date())
  const [, end, random] = secret.split('.')
  expect(await sessions.find(secret, later(11))).toBe('anna')
  expect(await sessions.find(secret, later(13))).toBeNull()
  const changed = [`ben.${end}.${random}`, `anna.zzzzzzzz.${random}`, `../anna.${end}.${random}`, random, '']
  for (const other of changed) expect(await sessions.find(other, new Date())).toBeNull()
  expect(await sessions.redeem(secret, new Date())).toBeNull()
  await sessions.end(secret)
  expect(await sessions.find(secret, new Date())).toBeNull()
})

test('a token has so many sessions at most: then its oldest ends, and no one else’s', async () => {
  const sessions = openSessions(dataDir)
  const { secret: bens } = await sessions.begin('ben', later(-1))
  const { secret: first } = await sessions.begin('anna', later(-1))
  const { secret: second } = await sessions.begin('anna', later(0))
  const folder = join(dataDir, 'sessions', 'anna')
  const end = later(12).getTime().toString(36)
  for (let i = 2; i < SESSIONS_PER_TOKEN; i++)
    await writeFile(join(folder, `session-${end}-${String(i).padStart(64, '0')}`), '')
  const { secret: last } = await sessions.begin('anna', new Date())
  expect(await readdir(folder)).toHaveLength(SESSIONS_PER_TOKEN)
  const found = await Promise.all([bens, first, second, last].map((each) => sessions.find(each, new Date())))
  expect(found).toEqual(['ben', null, 'anna', 'anna'])
})

test('expired sessions are deleted at the next sign-in', async () => {
  await openSessions(dataDir).begin('gone', later(-20))
  await openSessions(dataDir).createCode('anna', later(-20))
  await openSessions(dataDir).begin('anna', new Date())
  expect(await readdir(join(dataDir, 'sessions', 'anna'))).toHaveLength(1)
  await expect.poll(() => readdir(join(dataDir, 'sessions'))).toEqual(['anna'])
})
