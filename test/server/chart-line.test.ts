import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openChartLine } from '../../server/studies/chart-line.ts'

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

const nobodyLeaves = new AbortController().signal

test('equal questions are computed once, together and later', async () => {
  const line = openChartLine(2)
  const { run, end, seen } = work()
  const both = [line.answer('a', nobodyLeaves, run), line.answer('a', nobodyLeaves, run)]
  await turn()
  end('answer')
  expect(await Promise.all(both)).toEqual(['answer', 'answer'])
  expect(await line.answer('a', nobodyLeaves, run)).toBe('answer')
  expect(seen.begun).toBe(1)
})

test('work stops when the last who waits for it leaves, and not before', async () => {
  const line = openChartLine(1)
  const { run, end, seen } = work()
  const [first, second] = [new AbortController(), new AbortController()]
  const answers = [line.answer('a', first.signal, run), line.answer('a', second.signal, run)]
  await turn()
  first.abort()
  expect(seen.stopped).toBe(false)
  second.abort()
  expect(seen.stopped).toBe(true)
  end('late')
  await Promise.all(answers)
})

test('whoever asks anew while equal work is being stopped does not get its end', async () => {
  const line = openChartLine(2)
  const [old, young] = [work(), work()]
  const leaving = new AbortController()
  const before = line.answer('a', leaving.signal, old.run)
  await turn()
  leaving.abort()
  const after = line.answer('a', nobodyLeaves, young.run)
  await turn()
  young.end('whole')
  expect(await after).toBe('whole')
  old.end('half')
  await before
})

test('a few are computed at once, a short line waits, and the rest are refused', async () => {
  const line = openChartLine(1)
  const jobs = Array.from({ length: 65 }, work)
  const answers = jobs.map((job, i) => line.answer(String(i), nobodyLeaves, job.run))
  await turn()
  expect(jobs.map(({ seen }) => seen.begun).reduce((sum, n) => sum + n)).toBe(1)
  await expect(line.answer('one too many', nobodyLeaves, work().run)).rejects.toMatchObject({ code: 'overloaded' })
  for (const [i, job] of jobs.entries()) {
    await turn()
    job.end(String(i))
    expect(await answers[i]).toBe(String(i))
  }
})

test('work that fails is tried again by the next who asks', async () => {
  const line = openChartLine(1)
  await expect(line.answer('a', nobodyLeaves, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await line.answer('a', nobodyLeaves, () => Promise.resolve('yes'))).toBe('yes')
})
