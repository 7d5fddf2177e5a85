import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RunningJob } from '../../engine/jobs/record/state.ts'
import { isCode } from '../../engine/model/system-errors.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { openPostgres } from '../../worker/queue/postgres.ts'
import { openQueue } from '../../worker/queue/queue.ts'
import { freePort } from '../free-port.ts'
import { BACK_ENDS, type BackEnd, startPostgres, startRedis, until } from './back-ends.ts'

const JOB = `x${'a'.repeat(64)}`
const INTAKE = { concurrency: 2, lockDurationMs: 5000, stalledIntervalMs: 1000 }
const PROGRESS: RunningJob = {
  percent: 50,
  samplesDone: 5,
  samplesTotal: 10,
  rows: 5,
  bytes: 80,
  etaSeconds: 1,
  startedAt: '2026-01-01T00:00:00.000Z',
}

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gazette-queue-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const silent = () => undefined
const open = (queueUrl: string) => openQueue({ queueUrl, dataDir, onError: silent })

for (const { name, missing, start } of BACK_ENDS) {
  describe.skipIf(missing)(`a queue (${name})`, () => {
    let backEnd: BackEnd
    let queue: JobQueue
    beforeAll(async () => {
      backEnd = await start()
    })
    afterAll(() => backEnd.stop())
    beforeEach(async () => {
      queue = await open(backEnd.url)
      await until(() => queue.ping())
      await queue.bull.obliterate({ force: true })
    })
    afterEach(() => queue.close())

    it('runs an attempt once, however soon it has ended', async () => {
      let count = 0
      const worker = queue.takeJobs(async () => {
        count++
      }, INTAKE)
      for (let attempt = 1; attempt <= 50; attempt++) await queue.add(JOB, attempt)
      await until(async () => (await queue.counts()).completed === 50)
      await worker.close()
      expect(count).toBe(50)
    })

    it('runs an attempt once, however often it is added', async () => {
      const taken: unknown[] = []
      await Promise.all(Array.from({ length: 50 }, () => queue.add(JOB, 1)))
      await queue.add(JOB, 2)
      expect((await queue.counts()).waiting).toBe(2)
      const worker = queue.takeJobs(async (job) => {
        taken.push(job.data)
      }, INTAKE)
      await until(async () => (await queue.state(JOB, 2)) === 'ended' && (await queue.state(JOB, 1)) === 'ended')
      await worker.close()
      expect(taken).toEqual([
        { jobId: JOB, attempt: 1 },
        { jobId: JOB, attempt: 2 },
      ])
    })

    it('counts its workers, or says that it cannot', async () => {
      const counted = await queue.workers()
      expect(counted).toBe(counted === null ? null : 0)
      const worker = queue.takeJobs(async () => undefined, INTAKE)
      await worker.waitUntilReady()
      if (counted === null) expect(await queue.workers()).toBeNull()
      else await until(async () => (await queue.workers()) === 1)
      await worker.close()
    })

    it('tells how an attempt stands, and how far it is while a worker is at it', async () => {
      expect([await queue.state(JOB, 1), await queue.progress(JOB, 1)]).toEqual(['unknown', null])
      await queue.add(JOB, 1)
      expect([await queue.state(JOB, 1), await queue.progress(JOB, 1)]).toEqual(['waiting', null])
      let finish = silent
      const finished = new Promise<void>((resolve) => {
        finish = () => resolve() as undefined
      })
      const worker = queue.takeJobs(async (job) => {
        await job.updateProgress(PROGRESS)
        await finished
      }, INTAKE)
      await until(async () => (await queue.progress(JOB, 1)) !== null)
      expect([await queue.state(JOB, 1), await queue.progress(JOB, 1)]).toEqual(['active', PROGRESS])
      finish()
      await until(async () => (await queue.state(JOB, 1)) === 'ended')
      expect(await queue.progress(JOB, 1)).toBeNull()
      await worker.close()
    })

    it('takes an attempt again that it remembers as ended', async () => {
      let count = 0
      const worker = queue.takeJobs(async () => {
        count++
        if (count === 1) throw new Error('failed')
      }, INTAKE)
      await queue.add(JOB, 1)
      await until(async () => (await queue.state(JOB, 1)) === 'ended')
      await queue.add(JOB, 1)
      await until(() => count === 2)
      await worker.close()
    })

    it('serves tokens in turn: the first job of one overtakes the line of another, and no line waits for ever', async () => {
      const idOf = (n: number) => `x${n.toString(16).padStart(64, '0')}`
      const order: number[] = []
      let goOn = silent
      const worker = queue.takeJobs(
        async ({ data }) => {
          order.push(Number.parseInt(data.jobId.slice(1), 16))
          await new Promise<void>((resolve) => {
            goOn = () => resolve() as undefined
          })
        },
        { ...INTAKE, concurrency: 1 },
      )
      const next = async (n: number) => {
        goOn()
        await until(() => order.length === n)
      }
      // One token asks for twenty; a second comes late, for three, one after the other.
      for (let i = 0; i < 20; i++) await queue.add(idOf(100 + i), 1, i)
      await until(() => order.length === 1)
      for (let i = 0; i < 3; i++) {
        await queue.add(idOf(200 + i), 1, 0)
        await next(3 * i + 2)
        await next(3 * i + 3)
        await next(3 * i + 4)
      }
      expect(order.filter((n) => n >= 200)).toEqual([200, 201, 202])
      for (const n of [200, 201, 202]) expect(order.indexOf(n)).toBeLessThan(3 * (n - 200) + 4)
      for (let n = order.length; n < 23; n++) await next(n + 1)
      expect(order.filter((n) => n < 200)).toEqual(Array.from({ length: 20 }, (_, i) => 100 + i))
      goOn()
      await worker.close()
    })

    it('says of many at once which it has, and counts them', async () => {
      await queue.add(JOB, 1)
      await queue.add(JOB, 2, 7)
      const stateOf = await queue.lookUp()
      expect([stateOf(JOB, 1), stateOf(JOB, 2), stateOf(JOB, 3)]).toEqual(['waiting', 'waiting', null])
      expect(await queue.counts()).toEqual({ waiting: 2, active: 0, completed: 0, failed: 0 })
    })

    it('is paused for all, taking jobs meanwhile; and drained, forgets what waits', async () => {
      expect(await queue.isPaused()).toBe(false)
      await queue.pause(true)
      const taken: number[] = []
      const worker = queue.takeJobs(async ({ data }) => void taken.push(data.attempt), INTAKE)
      for (const attempt of [1, 2]) await queue.add(JOB, attempt)
      const stateOf = await queue.lookUp()
      expect([await queue.isPaused(), stateOf(JOB, 1), (await queue.counts()).waiting]).toEqual([true, 'waiting', 2])
      await queue.drain()
      expect([await queue.state(JOB, 1), (await queue.counts()).waiting]).toEqual(['unknown', 0])
      await queue.add(JOB, 3)
      expect(taken).toEqual([])
      await queue.pause(false)
      await until(() => taken.length === 1)
      expect([taken, await queue.isPaused()]).toEqual([[3], false])
      await worker.close()
    })

    it('serves producers, a worker and what a board reads at once', async () => {
      let count = 0
      const worker = queue.takeJobs(
        async (job) => {
          await job.updateProgress(PROGRESS)
          count++
        },
        { ...INTAKE, concurrency: 4 },
      )
      const board = async () => {
        await queue.bull.getJobCounts()
        await queue.bull.getJobs(['waiting', 'active', 'completed', 'failed'], 0, 20)
      }
      const ids = Array.from({ length: 60 }, (_, i) => `x${i.toString(16).padStart(64, '0')}`)
      await Promise.all(ids.flatMap((id) => [queue.add(id, 1), queue.state(id, 1), queue.progress(id, 1), board()]))
      await until(() => count === ids.length)
      await worker.close()
      const ended = await Promise.all(ids.map((id) => queue.state(id, 1)))
      expect(new Set(ended)).toEqual(new Set(['ended']))
    })
  })
}

describe.skipIf(BACK_ENDS[1].missing)('two data directories on one Redis', () => {
  it('see nothing of each other', async () => {
    const redis = await startRedis()
    const other = await mkdtemp(join(tmpdir(), 'gazette-other-'))
    const [mine, again, theirs] = await Promise.all([
      open(redis.url),
      open(redis.url),
      openQueue({ queueUrl: redis.url, dataDir: other, onError: silent }),
    ])
    await mine.add(JOB, 1)
    expect([await again.state(JOB, 1), await theirs.state(JOB, 1)]).toEqual(['waiting', 'unknown'])
    let taken = 0
    const worker = theirs.takeJobs(async () => {
      taken++
    }, INTAKE)
    await theirs.add(JOB, 2)
    await until(() => taken === 1)
    expect(await mine.counts()).toMatchObject({ waiting: 1, completed: 0 })
    await worker.close()
    await Promise.all([mine, again, theirs].map((queue) => queue.close()))
    await redis.stop()
    await rm(other, { recursive: true })
  })
})

describe.skipIf(BACK_ENDS[1].missing)('a Redis', () => {
  it('is warned of when it may evict or forget, by the name of the setting', async () => {
    const redis = await startRedis()
    const warnings: string[] = []
    const ask = () =>
      openQueue({ queueUrl: redis.url, dataDir, onError: silent, onWarning: (each) => warnings.push(each) })
    const queue = await ask()
    await until(() => warnings.length > 0)
    expect(warnings).toEqual([expect.stringContaining('set appendonly to yes')])
    const client = new Redis(redis.url)
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await client.config('SET', 'appendonly', 'yes')
    const again = await ask()
    await until(() => warnings.length > 1)
    expect(warnings.slice(1)).toEqual([expect.stringContaining('set maxmemory-policy to noeviction')])
    client.disconnect()
    await Promise.all([queue.close(), again.close()])
    // While it writes its first append-only file, Redis does not let itself be stopped.
    await redis.kill()
  })
})

describe('a queue that is away', () => {
  it('says queue_away to all who ask, is waited for, and gets nothing that was given up', async () => {
    const port = await freePort()
    const queue = await open(`redis://127.0.0.1:${port}`)
    const answers = await Promise.allSettled([queue.add(JOB, 1), queue.state(JOB, 1), queue.progress(JOB, 1)])
    for (const answer of answers) expect(answer).toMatchObject({ reason: { code: 'queue_away' } })
    expect(await queue.ping()).toBe(false)
    await expect(queue.add(JOB, 2)).rejects.toMatchObject({ code: 'queue_away' })
    const redis = await startRedis(port)
    await until(() => queue.ping())
    expect(await queue.state(JOB, 2)).toBe('unknown')
    await queue.add(JOB, 2)
    expect(await queue.state(JOB, 2)).toBe('waiting')
    await redis.stop()
    await expect(queue.add(JOB, 3)).rejects.toMatchObject({ code: 'queue_away' })
    await queue.close()
  })

  it('is one that hangs, too', async () => {
    const redis = await startRedis()
    const queue = await open(redis.url)
    await until(() => queue.ping())
    process.kill(redis.pid as number, 'SIGSTOP')
    await expect(queue.add(JOB, 1)).rejects.toMatchObject({ code: 'queue_away' })
    process.kill(redis.pid as number, 'SIGCONT')
    await until(() => queue.ping())
    await queue.close()
    await redis.stop()
  })

  it('is a Redis that answers and takes nothing, too, until it does', async () => {
    const redis = await startRedis()
    const queue = await open(redis.url)
    await until(() => queue.ping())
    const client = new Redis(redis.url)
    await client.replicaof('127.0.0.1', 1)
    expect(await queue.ping()).toBe(false)
    await expect(queue.add(JOB, 1)).rejects.toMatchObject({ code: 'queue_away' })
    await client.replicaof('NO', 'ONE')
    await until(() => queue.ping())
    await queue.add(JOB, 1)
    expect(await queue.state(JOB, 1)).toBe('waiting')
    client.disconnect()
    await queue.close()
    await redis.stop()
  })

  it.skipIf(BACK_ENDS[2].missing)('may be a PostgreSQL that comes late, goes, and comes back', async () => {
    const port = await freePort()
    const url = `postgres://gazette@127.0.0.1:${port}/postgres`
    const queue = await open(url)
    let count = 0
    const worker = queue.takeJobs(async () => {
      count++
    }, INTAKE)
    await expect(queue.add(JOB, 1)).rejects.toMatchObject({ code: 'queue_away' })
    for (const round of [1, 2]) {
      const postgres = await startPostgres(port)
      await until(() => queue.ping())
      await queue.add(JOB, round)
      await until(async () => (await queue.state(JOB, round)) === 'ended')
      // Each ran once: what was given up while it was away was not put in when it came.
      expect(count).toBe(round)
      const told: unknown[] = []
      const { pool, close } = openPostgres(url, (error) => told.push(error))
      const client = await pool.connect()
      await postgres.stop()
      // One that is held between two queries hears of it, and does not end the process.
      await until(() => told.some((error) => isCode(error, '57P01')))
      client.release(true)
      await close()
      await expect(queue.add(JOB, 9)).rejects.toMatchObject({ code: 'queue_away' })
    }
    // The worker waits for its queue for ever, and ends with it.
    const closed = worker.close()
    await queue.close()
    await closed
  })
})
