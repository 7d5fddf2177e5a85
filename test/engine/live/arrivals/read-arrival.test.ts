import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readArrival } from '../../../../engine/live/arrivals/read-arrival.ts'
import { readAttributes } from '../../../../engine/live/arrivals/read-attributes.ts'
import type { ServiceError } from '../../../../engine/model/errors.ts'

function problemsOf(participant: object, tests: object[] = []) {
  try {
    readArrival(Buffer.from(JSON.stringify({ participant, tests })), 'json')
    return []
  } catch (error) {
    return (error as ServiceError).problems.map(({ column, rule }) => ({ column, rule }))
  }
}

const NAME_RULE = 'must be text of at most 1,000 characters, without U+0000'
const PROSE_RULE = 'must be text of at most 10,000 characters, without U+0000'
const PLAIN_RULE = 'must not contain U+0000 or half of a surrogate pair'

test('three texts of 15 MiB, which are 48 KB on their way, are refused', () => {
  const long = 'x'.repeat(15 << 20)
  const body = gzipSync(
    JSON.stringify({ participant: { external_id: long, display_name: long, notes: long }, tests: [] }),
  )
  expect(body.length).toBeLessThan(50_000)
  expect(problemsOf(JSON.parse(gunzipSync(body).toString()).participant)).toEqual([
    { column: 'participant.external_id', rule: NAME_RULE },
    { column: 'participant.display_name', rule: NAME_RULE },
    { column: 'participant.notes', rule: PROSE_RULE },
  ])
})

describe('each text has a bound, in characters', () => {
  test.each(['external_id', 'display_name', 'display_gender'])('%s', (name) => {
    expect(problemsOf({ [name]: '🙂'.repeat(1000) })).toEqual([])
    expect(problemsOf({ [name]: '🙂'.repeat(1001) })).toEqual([{ column: `participant.${name}`, rule: NAME_RULE }])
    expect(problemsOf({ [name]: 'a\u0000b' })).toEqual([{ column: `participant.${name}`, rule: PLAIN_RULE }])
  })

  test('notes and external data', () => {
    expect(problemsOf({ notes: 'x'.repeat(10_000), external_data: { g: 'x'.repeat(10_000) } })).toEqual([])
    expect(problemsOf({ notes: 'x'.repeat(10_001), external_data: { g: 'x'.repeat(10_001) } })).toEqual([
      { column: 'participant.notes', rule: PROSE_RULE },
      { column: 'participant.external_data_g', rule: PROSE_RULE },
    ])
    expect(problemsOf({ external_data: { g: '\ud800' } })).toEqual([
      { column: 'participant.external_data.g', rule: PLAIN_RULE },
    ])
  })

  test('all of a participant together', () => {
    const data = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`g${i}`, 'x'.repeat(10_000)]))
    expect(problemsOf({ external_data: data(10) })).toEqual([])
    expect(problemsOf({ external_data: data(10), notes: 'x' })).toEqual([
      { column: 'participant', rule: 'must have at most 100,000 characters of text together' },
    ])
  })

  test('those of a test, and times of day', () => {
    const own = { item_id: '1a000000-0000-4000-8000-000000000001' }
    const wrong = { ...own, finished_on_key: 'x'.repeat(1001), notes: 'x'.repeat(10_001) }
    expect(problemsOf({}, [wrong])).toEqual([
      { column: 'tests[0].finished_on_key', rule: NAME_RULE },
      { column: 'tests[0].notes', rule: PROSE_RULE },
    ])
    const time = (digits: number) => `2024-05-01T10:00:00.${'1'.repeat(digits)}Z`
    expect(problemsOf({ created_at: time(40) })).toEqual([])
    expect(problemsOf({ created_at: time(1000) })).toMatchObject([{ column: 'participant.created_at' }])
  })

  test('attributes that are changed', () => {
    const rulesOf = (attributes: object) => {
      try {
        readAttributes(Buffer.from(JSON.stringify(attributes)))
        return []
      } catch (error) {
        return (error as ServiceError).problems.map(({ rule }) => rule)
      }
    }
    expect(rulesOf({ external_id: 'x'.repeat(1000) })).toEqual([])
    expect(rulesOf({ external_id: 'x'.repeat(1001), notes: 'x'.repeat(10_001) })).toEqual([NAME_RULE, PROSE_RULE])
    expect(rulesOf({ notes: 'a\u0000' })).toEqual([PLAIN_RULE])
  })
})

test('a padded text is no number', () => {
  for (const age of ['  5', '5 ', ' 5 ', '\t5'])
    expect(problemsOf({ age })).toMatchObject([
      { column: 'participant.age', rule: expect.stringMatching(/whole number/) },
    ])
  for (const age of [5, '5', '5.0', null, '']) expect(problemsOf({ age })).toEqual([])
})
