import { expect, test } from 'vitest'
import { away } from '../../../clients/js/src/request.ts'
import type { Problem } from '../../../dashboard/core/api.ts'
import { inWords, isPassing, retryAfterMs } from '../../../dashboard/core/problem-words.ts'

const problem = (status: number, more: Partial<Problem> = {}): Problem => ({
  status,
  title: 'Study changed in the meantime',
  detail: 'The study is no longer at the version that If-Match names.',
  type: '/docs/problems/changed-meanwhile',
  ...more,
})

test('words of HTTP are not those of a page', () => {
  for (const status of [412, 428]) {
    const { title, detail, way } = inWords(problem(status))
    expect(title).toBe('This has changed in the meantime')
    expect(detail).not.toMatch(/If-Match|ETag/)
    expect(way).toBe('reload')
  }
  expect([false, true].map((isOutdated) => inWords(problem(409, { isOutdated })).way)).toEqual([null, 'reload'])
})

test('a study that is gone leads back to the studies, and no advice for operators stands on a page', () => {
  expect(inWords(problem(404, { isStudyGone: true }))).toMatchObject({
    title: 'This study is not there',
    way: 'studies',
  })
  expect(inWords(problem(404))).toMatchObject({
    title: 'Study changed in the meantime',
    way: null,
  })
  const errors = [{ parameter: 'participantId', rule: 'must be a participant of the study', value: 'x' }]
  expect(inWords(problem(400, { errors }))).toMatchObject({
    title: 'This participant is not in the study',
    way: 'everyone',
  })
  expect(inWords(away(new Error()), true).detail).toBe(
    'What you see was computed before. The page tries again by itself.',
  )
  expect(inWords(away(new Error())).detail).toBe('Try again when the network is back.')
  expect(inWords({ status: 0, title: 'This page could not be loaded', detail: 'Reload it.', type: null }).title).toBe(
    'This page could not be loaded',
  )
})

test('what passes by itself is tried again later and later, at most every 30 seconds', () => {
  expect([0, 503, 404, 412].map((status) => isPassing({ status }))).toEqual([true, true, false, false])
  expect([1, 2, 3, 4, 5, 6].map((failed) => retryAfterMs(failed))).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000])
  expect(retryAfterMs(1, 60)).toBe(60_000)
})
