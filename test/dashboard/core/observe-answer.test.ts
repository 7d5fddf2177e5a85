import { afterEach, expect, test, vi } from 'vitest'
import { away } from '../../../clients/js/src/request.ts'
import { clearAnswers } from '../../../dashboard/core/answer-cache.ts'
import { type ObservedAnswer, observeAnswer } from '../../../dashboard/core/observe-answer.ts'

afterEach(() => {
  clearAnswers()
  vi.useRealTimers()
})

/** Observes answers that arrive when they are told to. */
function openObserver() {
  const asked: { path: string; signal: AbortSignal; answer: (data: string) => void; fail: () => void }[] = []
  const told: ObservedAnswer<string>[] = []
  const observer = observeAnswer<string>(
    (path, signal) =>
      new Promise((answer, fail) => {
        asked.push({ path, signal, answer, fail: () => fail(away(new Error())) })
        signal.addEventListener('abort', () => fail(new Error()))
      }),
    (outcome) => told.push(outcome),
  )
  const want = (path: string | null, subject = '', everyMs = 0) => observer.want({ path, subject, everyMs })
  return { observer, want, asked, paths: () => asked.map(({ path }) => path), last: () => told.at(-1) }
}

const settled = () => new Promise<void>((done) => setImmediate(done))

test('an answer is asked once, and comes from the cache afterwards', async () => {
  const one = openObserver()
  one.want('/a')
  one.asked[0].answer('A')
  await settled()
  expect(one.last()).toMatchObject({ path: '/a', dataPath: '/a', data: 'A', problem: null })
  const other = openObserver()
  other.want('/a')
  expect([other.paths(), other.last()?.data]).toEqual([[], 'A'])
})

test('without a subject an outdated request is aborted; within one it ends, and then the latest is sent', async () => {
  const alone = openObserver()
  alone.want('/a')
  alone.want('/b')
  expect([alone.asked[0].signal.aborted, alone.paths()]).toEqual([true, ['/a', '/b']])
  const followed = openObserver()
  for (const path of ['/a', '/b', '/c']) followed.want(path, 'item')
  expect([followed.asked[0].signal.aborted, followed.paths()]).toEqual([false, ['/a']])
  followed.asked[0].answer('A')
  await settled()
  expect([followed.last()?.data, followed.paths()]).toEqual(['A', ['/a', '/c']])
  followed.want('/c', 'another item')
  expect(followed.asked[1].signal.aborted).toBe(true)
})

test('a problem keeps the data of its subject, and is tried again later and later until it passes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { want, asked, last } = openObserver()
  want('/a', 'item')
  asked[0].answer('A')
  await settled()
  want('/b', 'item')
  asked[1].fail()
  await settled()
  expect(last()).toMatchObject({ path: '/b', dataPath: '/a', data: 'A', problem: { status: 0 } })
  vi.advanceTimersByTime(1999)
  expect(asked.length).toBe(2)
  vi.advanceTimersByTime(1)
  expect(asked.length).toBe(3)
  asked[2].fail()
  await settled()
  vi.advanceTimersByTime(3999)
  expect(asked.length).toBe(3)
  vi.advanceTimersByTime(1)
  asked[3].answer('B')
  await settled()
  expect(last()).toMatchObject({ path: '/b', data: 'B', problem: null })
})

test('a polled path is asked again and again, uncached, until it is stopped', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { observer, want, asked } = openObserver()
  want('/a', '', 1000)
  asked[0].answer('1')
  await settled()
  vi.advanceTimersByTime(1000)
  expect(asked.length).toBe(2)
  asked[1].fail()
  await settled()
  vi.advanceTimersByTime(1000)
  expect(asked.length).toBe(3)
  asked[2].answer('3')
  await settled()
  observer.stop()
  vi.advanceTimersByTime(10_000)
  expect(asked.length).toBe(3)
})
