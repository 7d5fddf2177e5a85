import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TokenRecord } from '../../../engine/access/token-file.ts'
import { openTokens } from '../../../engine/access/tokens.ts'
import { UUID } from '../../../engine/model/parameters.ts'

const STUDY = '0a000000-0000-4000-8000-000000000001'
const now = new Date('2024-05-01T12:00:00Z')
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gazette-tokens-'))
})
// A use may still be noted when a test has ended.
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 9 }))

const reader = { role: 'read' as const, studies: 'all' as const, expiresAt: null, now }

/** Returns the next result of `find` that differs from the current one, at most a second later. */
async function within1s(find: () => Promise<TokenRecord | null>, wanted: (found: TokenRecord | null) => boolean) {
  const deadline = performance.now() + 5000
  for (;;) {
    const found = await find()
    if (wanted(found) || performance.now() > deadline) return found
    await sleep(50)
  }
}

test('a token is a UUID, of which only the SHA-256 reaches the disk, for the owner alone', async () => {
  const { id, token } = await openTokens(directory).create({ ...reader, name: 'lab' })
  expect(token).toMatch(UUID)
  const text = await readFile(join(directory, 'tokens.json'), 'utf8')
  expect(text).not.toContain(token)
  expect(text).toContain(createHash('sha256').update(token).digest('hex'))
  expect(text).toContain(id)
  expect((await stat(join(directory, 'tokens.json'))).mode & 0o777).toBe(0o600)
  expect(await readdir(directory)).toEqual(['tokens.json'])
})

test('find knows a token in any case, and no other text', async () => {
  const tokens = openTokens(directory)
  const { id, token } = await tokens.create({ ...reader, studies: [STUDY.toUpperCase(), STUDY] })
  expect(await tokens.find(token, now)).toMatchObject({ id, role: 'read', studies: [STUDY] })
  expect(await tokens.find(token.toUpperCase(), now)).toMatchObject({ id })
  for (const other of ['', 'x', `${token} `, `${token}, ${token}`, STUDY])
    expect(await tokens.find(other, now)).toBeNull()
})

test('find without any token made finds none', async () => {
  expect(await openTokens(join(directory, 'nowhere')).find(STUDY, now)).toBeNull()
})

test('tokens of an earlier version, whose file has no checksum, are good; a file with a turned bit is not', async () => {
  const { token } = await openTokens(directory).create(reader)
  const path = join(directory, 'tokens.json')
  const text = await readFile(path, 'utf8')
  const { sha256, ...former } = JSON.parse(text)
  expect(sha256).toMatch(/^[0-9a-f]{64}$/)
  await writeFile(path, `${JSON.stringify(former, null, 2)}\n`)
  expect(await openTokens(directory).find(token, now)).not.toBeNull()
  for (const damaged of [
    text.replace('"read"', '"ops"'),
    text.replace('"sha256": "', '"rha256": "'),
    text.slice(0, -1),
  ]) {
    await writeFile(path, damaged)
    await expect(openTokens(directory).find(token, now)).rejects.toMatchObject({ code: 'corrupt' })
  }
})

test('a token ends at its expiry', async () => {
  const tokens = openTokens(directory)
  const { token } = await tokens.create({ ...reader, expiresAt: '2024-05-01T14:00:01+02:00' })
  expect(await tokens.find(token, now)).not.toBeNull()
  expect(await tokens.find(token, new Date('2024-05-01T12:00:01Z'))).toBeNull()
})

test('a token that expired more than a day ago is forgotten when another is made', async () => {
  const tokens = openTokens(directory)
  const lasting = await tokens.create(reader)
  const brief = await tokens.create({ ...reader, expiresAt: '2024-05-01T14:00:00Z' })
  const ids = async () => (await tokens.list()).map(({ id }) => id)
  const second = await tokens.create({ ...reader, now: new Date('2024-05-02T13:59:59Z') })
  expect(await ids()).toEqual([lasting.id, brief.id, second.id])
  const third = await tokens.create({ ...reader, now: new Date('2024-05-02T14:00:01Z') })
  expect(await ids()).toEqual([lasting.id, second.id, third.id])
})

test('create refuses an expiry that is past or no time, and a study that is no UUID', async () => {
  const tokens = openTokens(directory)
  await expect(tokens.create({ ...reader, expiresAt: '2024-05-01T12:00:00Z' })).rejects.toMatchObject({ code: 'usage' })
  await expect(tokens.create({ ...reader, expiresAt: 'soon' })).rejects.toMatchObject({ code: 'usage' })
  await expect(tokens.create({ ...reader, studies: ['lab'] })).rejects.toMatchObject({ code: 'usage' })
  expect(await tokens.list()).toEqual([])
})

test('what another process creates or revokes counts here within a second', async () => {
  const here = openTokens(directory)
  const there = openTokens(directory)
  expect(await here.find(STUDY, now)).toBeNull()
  const { id, token } = await there.create(reader)
  expect(await within1s(() => here.find(token, now), Boolean)).toMatchObject({ id })
  expect(await there.revoke(id)).toBe(true)
  expect(
    await within1s(
      () => here.find(token, now),
      (found) => found === null,
    ),
  ).toBeNull()
  expect(await there.revoke(id)).toBe(false)
})

test('many changes at once all last', async () => {
  const writers = Array.from({ length: 6 }, () => openTokens(directory))
  const made = await Promise.all(writers.map((tokens) => tokens.create(reader)))
  await Promise.all(made.slice(3).map(({ id }, i) => writers[i].revoke(id)))
  const left = (await openTokens(directory).list()).map(({ id }) => id)
  expect(left.sort()).toEqual(
    made
      .slice(0, 3)
      .map(({ id }) => id)
      .sort(),
  )
  expect(await readdir(directory)).toEqual(['tokens.json'])
})

test('the lock of a process that died is taken over, by one at a time', async () => {
  // No process has this number: it is beyond what Linux and macOS give out.
  await writeFile(join(directory, 'tokens.json.lock'), '2147483646-dead')
  const writers = Array.from({ length: 8 }, () => openTokens(directory))
  await Promise.all(writers.map((tokens) => tokens.create(reader)))
  expect(await writers[0].list()).toHaveLength(8)
  expect(await readdir(directory)).toEqual(['tokens.json'])
})

test('a damaged token file refuses every token and is reported', async () => {
  await writeFile(join(directory, 'tokens.json'), '{"tokens": [{"id": 1}]}')
  await expect(openTokens(directory).find(STUDY, now)).rejects.toMatchObject({ code: 'corrupt' })
  await expect(openTokens(directory).create(reader)).rejects.toMatchObject({ code: 'corrupt' })
  expect(await readdir(directory)).toEqual(['tokens.json'])
})

test('a use is known to other processes, to the minute, and forgotten with its token', async () => {
  const here = openTokens(directory)
  const there = openTokens(directory)
  const { id, token } = await here.create(reader)
  expect(await there.lastUse(id)).toBeNull()
  const at = (ms: number) => new Date(now.getTime() + ms)
  await here.find(token, now)
  await expect.poll(() => there.lastUse(id)).toEqual(now)
  await here.find(token, at(59_000))
  await here.find(token, at(61_000))
  await expect.poll(() => there.lastUse(id)).toEqual(at(61_000))
  await here.revoke(id)
  expect(await readdir(join(directory, 'token-uses'))).toEqual([])
})
