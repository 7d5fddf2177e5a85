import { spawn } from 'node:child_process'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { takeLock } from '../../engine/storage/files/lock.ts'
import { startEmbeddedQueue } from '../../worker/queue/embedded.ts'
import { end, says, until } from './back-ends.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gazette-embedded-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const silent = () => undefined

describe('the embedded queue', () => {
  it('keeps its data, answers like pg, and passes notifications on', async () => {
    const first = await startEmbeddedQueue(directory, silent)
    await first.pool.query('CREATE TABLE kept (n bigint, list jsonb); INSERT INTO kept VALUES (1, NULL)')
    await first.pool.query('INSERT INTO kept VALUES ($1, $2)', [2 ** 40, JSON.stringify([1, 'a'])])
    await first.close()
    const second = await startEmbeddedQueue(directory, silent)
    const { rows } = await second.pool.query('SELECT n, list FROM kept WHERE n > $1', [1])
    expect(rows).toEqual([{ n: 2 ** 40, list: [1, 'a'] }])
    const client = await second.pool.connect()
    const heard: unknown[] = []
    client.on('notification', (message) => heard.push(message))
    await client.query('LISTEN news')
    await second.pool.query("SELECT pg_notify('news', 'hello')")
    await until(() => heard.length > 0)
    expect(heard).toEqual([{ channel: 'news', payload: 'hello' }])
    await expect(second.pool.query('SELECT * FROM nothing')).rejects.toMatchObject({ code: '42P01' })
    await second.close()
  })

  it('is held by one process', async () => {
    const queue = await startEmbeddedQueue(directory, silent)
    await expect(startEmbeddedQueue(directory, silent)).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringContaining(`the data directory ${dirname(directory)}: stop it`),
    })
    await queue.close()
    await (await startEmbeddedQueue(directory, silent)).close()
  })

  it('is made anew when its files are spoilt, or it breaks down', async () => {
    await (await startEmbeddedQueue(directory, silent)).close()
    await writeFile(join(directory, 'pg', 'global', 'pg_control'), 'spoilt')
    const told: Error[] = []
    const queue = await startEmbeddedQueue(directory, (error) => told.push(error))
    expect(told).toHaveLength(1)
    expect((await queue.pool.query('SELECT 1 AS one', [])).rows).toEqual([{ one: 1 }])
    await rm(join(directory, 'pg'), { recursive: true })
    await expect(queue.pool.query('CREATE TABLE lost ()')).rejects.toBeDefined()
    expect((await queue.pool.query('SELECT count(*)::int AS n FROM job', [])).rows).toEqual([{ n: 0 }])
    await queue.pool.query('CREATE TABLE kept ()')
    expect(told).toHaveLength(2)
    await queue.close()
  })
})

describe('a lock', () => {
  const HOLDER = fileURLToPath(new URL('../../dist/engine/storage/files/lock.js', import.meta.url))
  const hold = async (path: string) => {
    const program = `import { takeLock } from ${JSON.stringify(HOLDER)}
      console.log((await takeLock(${JSON.stringify(path)})) ? 'held' : 'refused'); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
    await says(child, 'held')
    return child
  }

  it('of a living process is respected, of a killed one taken over, by one only', async () => {
    const path = join(directory, 'lock')
    const holder = await hold(path)
    expect(await takeLock(path)).toBeNull()
    await end(holder, 'SIGKILL')
    const takers = await Promise.all(Array.from({ length: 10 }, () => takeLock(path)))
    const held = takers.filter((lock) => lock !== null)
    expect(held).toHaveLength(1)
    expect(await held[0].isHeld()).toBe(true)
    await held[0].release()
    expect(await takeLock(path).then((lock) => lock?.release().then(() => true))).toBe(true)
  })

  it('from another machine counts as dead when it was not touched for 30 s, and one cut short at once', async () => {
    const path = join(directory, 'lock')
    await writeFile(path, JSON.stringify({ place: 'elsewhere', pid: 1, startedAt: '1', nonce: 'a' }))
    expect(await takeLock(path)).toBeNull()
    const before = new Date(Date.now() - 31_000)
    await utimes(path, before, before)
    const lock = await takeLock(path)
    expect(lock).not.toBeNull()
    await lock?.release()
    await writeFile(path, '{"place":')
    await utimes(path, before, before)
    expect(await takeLock(path)).not.toBeNull()
  })
})
