import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createFairSemaphore } from '../../server/http/waiting/fair-semaphore.ts'
import { shareWork } from '../../server/http/waiting/shared-work.ts'

/** Work that ends when it is told to, and says whether it was stopped. */
function work() {
  let end: (text: string) => void = () => {}
  const seen = { begun: 0, stopped: false }
  return {
    seen,
    end: (text: string) => end(text),
    run: (signal: AbortSignal) => {
      seen.begun++
      signal.addEventListener('abort', () => {
        seen.stopped = true
      })
      return new Promise<string>((resolve) => {
        end = resolve
      })
    },
  }
}

function open(places: number, waitingMax = 64) {
  const semaphore = createFairSemaphore({ slots: places, waitingMax })
  const shared = shareWork<string>({ semaphore, sizeOf: (text) => text.length, cachedEachMax: 10_000 })
  const ask = async (
    key: string,
    compute: (signal: AbortSignal) => Promise<string>,
    // Nobody leaves, unless a test says so.
    { signal = new AbortController().signal, owner = 'anna' } = {},
  ) => {
    const { value, release } = await shared.ask({ keys: [key], owner, signal, compute })
    release()
    return value
  }
  return { semaphore, shared, ask }
}

test('equal questions are computed once, together and later', async () => {
  const { ask } = open(2)
  const { run, end, seen } = work()
  const both = [ask('a', run), ask('a', run)]
  await turn()
  end('answer')
  expect(await Promise.all(both)).toEqual(['answer', 'answer'])
  expect(await ask('a', run)).toBe('answer')
  expect(seen.begun).toBe(1)
})

test('a result too large for the cache is computed again', async () => {
  const { ask } = open(1)
  for (const letter of ['x', 'y']) {
    const text = letter.repeat(10_000)
    expect(await ask('a', async () => text)).toBe(text)
  }
})

test('work stops when the last who waits for it leaves, and not before', async () => {
  const { ask } = open(1)
  const { run, end, seen } = work()
  const [first, second] = [new AbortController(), new AbortController()]
  const answers = [ask('a', run, first), ask('a', run, second)]
  await turn()
  first.abort()
  await expect(answers[0]).rejects.toMatchObject({ code: 'canceled' })
  expect(seen.stopped).toBe(false)
  second.abort()
  await expect(answers[1]).rejects.toMatchObject({ code: 'canceled' })
  expect(seen.stopped).toBe(true)
  end('late')
})

test('a new request during the cancellation of identical work is not cancelled with it', async () => {
  const { ask } = open(2)
  const [old, young] = [work(), work()]
  const client = new AbortController()
  const before = ask('a', old.run, client)
  await turn()
  client.abort()
  await expect(before).rejects.toMatchObject({ code: 'canceled' })
  const after = ask('a', young.run)
  await turn()
  young.end('whole')
  expect(await after).toBe('whole')
  old.end('half')
})

test('a few are computed at once, a short line waits, and the rest are refused', async () => {
  const { ask } = open(1)
  const jobs = Array.from({ length: 65 }, work)
  const answers = jobs.map((job, i) => ask(String(i), job.run))
  await turn()
  expect(jobs.map(({ seen }) => seen.begun).reduce((sum, n) => sum + n)).toBe(1)
  await expect(ask('one too many', work().run)).rejects.toMatchObject({ code: 'overloaded' })
  for (const [i, job] of jobs.entries()) {
    await turn()
    job.end(String(i))
    expect(await answers[i]).toBe(String(i))
  }
})

test('work that fails is tried again by the next who asks', async () => {
  const { ask } = open(1)
  await expect(ask('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await ask('a', () => Promise.resolve('yes'))).toBe('yes')
})

/** Fills a line of one place and eight with a greedy owner's requests. */
async function crowded() {
  const opened = open(1, 8)
  const order: string[] = []
  const jobs = Array.from({ length: 9 }, work)
  const asked = jobs.map((job, i) =>
    opened.ask(`greedy ${i}`, (signal) => {
      order.push(`greedy ${i}`)
      return job.run(signal)
    }),
  )
  await turn()
  return { ...opened, order, jobs, asked: asked.map((each) => each.catch((error) => error.code)) }
}

test('a full queue admits an owner with fewer entries, at the cost of the owner with most', async () => {
  const { ask, asked, semaphore } = await crowded()
  const others = Array.from({ length: 4 }, (_, i) => ask(`modest ${i}`, work().run, { owner: 'ben' }))
  await turn()
  expect(await Promise.all(asked.slice(5))).toEqual(['overloaded', 'overloaded', 'overloaded', 'overloaded'])
  expect([semaphore.waiting('anna'), semaphore.waiting('ben')]).toEqual([4, 4])
  await expect(ask('modest 5', work().run, { owner: 'ben' })).rejects.toMatchObject({ code: 'overloaded' })
  await expect(ask('greedy 10', work().run)).rejects.toMatchObject({ code: 'overloaded' })
  expect(others).toHaveLength(4)
})

test('owners are served in turn, however many of them one has in line', async () => {
  const { ask, jobs, order } = await crowded()
  const late = ask(
    'modest',
    async () => {
      order.push('modest')
      return ''
    },
    { owner: 'ben' },
  )
  jobs[0].end('')
  await late
  expect(order.slice(0, 2)).toEqual(['greedy 0', 'modest'])
})

test('who asks what a greedy owner has in line is not refused along with it', async () => {
  const { ask, jobs, asked } = await crowded()
  const same = ask('greedy 8', work().run, { owner: 'ben' })
  void ask('other', work().run, { owner: 'carl' })
  await turn()
  expect(await asked[7]).toBe('overloaded')
  jobs[0].end('')
  await turn()
  jobs[8].end('shared')
  expect(await same).toBe('shared')
})
