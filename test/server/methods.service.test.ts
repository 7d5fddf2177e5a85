import { expect, test } from 'vitest'
import type { MethodsTexts } from '../../engine/products/methods/describe-methods.ts'
import { kept } from '../engine/kept.ts'
import { ITEM, STUDY, shareTestServer } from './test-server.ts'

// Seven samples are a small export here: sixteen times as many are less than the study's 120.
const service = kept(await shareTestServer({ SYNC_MAX_SAMPLES: '7' }))

const ask = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  service.get(`/api2/studies/${STUDY}/methods?${new URLSearchParams(parameters)}`, headers)
const facts = async (parameters: Record<string, string>) =>
  ((await (await ask(parameters)).json()) as MethodsTexts).facts

test('exclusions are counted one on top of the other, and what is kept is measured', async () => {
  const one = "participant_id LIKE '2a%1'"
  const { exclusions, measured, participants } = await facts({ itemId: ITEM, filter: one })
  expect(participants).toBe(2)
  expect(exclusions.map(({ because, tests, participants: left }) => [because, tests, left])).toEqual([
    ['item', 2, 2],
    ['filter', 1, 1],
  ])
  expect(exclusions[1].value).toBe(one)
  expect(measured).toMatchObject({ tests: 1, testsWithGaze: 1, accuracy: null })
  expect(measured!.rateHz!.median).toBeCloseTo(60, 0)
  expect(measured!.precision!.unit).toBe('percents')
})

test('describes bounds on data quality, with the number of tests that each excluded', async () => {
  const bounds = "test_sample_count >= 60 AND (test_data_loss_percents <= 30 AND participant_id LIKE '2a%1')"
  const { paragraph, facts: found } = (await (await ask({ filter: bounds })).json()) as MethodsTexts
  expect(found.exclusions.map(({ because, value, tests }) => [because, value, tests])).toEqual([
    ['quality', 'less than 60 samples', 2],
    ['quality', 'more than 30 % of samples lost, or without samples', 2],
    ['filter', "participant_id LIKE '2a%1'", 1],
  ])
  expect(paragraph).toContain(
    'Excluding tests with less than 60 samples (0 of 2) left 2 tests of 2 participants. Excluding tests with more than 30 %',
  )
})

test('names the time window, and reports the quality of whole tests', async () => {
  const one = { itemId: ITEM, filter: "participant_id LIKE '2a%1'" }
  const { paragraph, facts: found } = (await (await ask({ ...one, fromMs: '100', toMs: '300' })).json()) as MethodsTexts
  expect(paragraph).toContain('only fixations that began at least 100 ms and less than 300 ms after item onset')
  expect(found.parameters).toMatchObject({ fromMs: 100, toMs: 300 })
  expect(found.measured).toEqual((await facts(one)).measured)
})

test('what a filter leaves nothing of is not described', async () => {
  const { paragraph, facts: none } = (await (await ask({ filter: 'FALSE' })).json()) as MethodsTexts
  expect(paragraph).toContain('left 0 tests of 0 participants.')
  expect(paragraph).not.toMatch(/Precision|share of samples|NaN/)
  expect(none.measured).toMatchObject({ tests: 0, rateHz: null, lossPercents: null, fixations: null })
})

test('more samples than may be measured for an answer are not: the answer says so', async () => {
  const { paragraph, toAdd, facts: all } = (await (await ask({})).json()) as MethodsTexts
  expect(all).toMatchObject({ samples: 120, samplesMax: 112, measured: null })
  expect(paragraph).not.toContain('Precision')
  expect(toAdd.join()).toContain('gazette methods measures any number')
})

test('the format is negotiated, and every format has a tag of its own', async () => {
  const tags = new Set<string | null>()
  for (const [accept, type, start] of [
    ['*/*', 'application/json', '{"paragraph":"The study has'],
    ['text/plain', 'text/plain', 'The study has'],
    ['text/html, text/markdown;q=0.5', 'text/markdown', '## Methods\n\nThe study has'],
    ['application/x-bibtex', 'application/x-bibtex', '@'],
  ]) {
    const answer = await ask({}, { accept })
    expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    expect((await answer.text()).startsWith(start)).toBe(true)
    tags.add(answer.headers.get('etag'))
    expect((await ask({}, { accept, 'if-none-match': answer.headers.get('etag')! })).status).toBe(304)
  }
  expect(tags.size).toBe(4)
  expect((await ask({ format: 'bibtex' }, { accept: 'text/plain' })).headers.get('content-type')).toContain('bibtex')
})

test('reports all faults at once', async () => {
  const answer = await ask({ format: 'markdwn', filter: 'participant_agee > 1', binMs: '1', nonsense: '' })
  expect(answer.status).toBe(400)
  const { errors } = (await answer.json()) as { errors: { parameter: string; nearest?: string }[] }
  expect(errors.map(({ parameter }) => parameter).sort()).toEqual(['binMs', 'filter', 'format', 'nonsense'])
  expect(errors.find(({ parameter }) => parameter === 'format')?.nearest).toBe('markdown')
})
