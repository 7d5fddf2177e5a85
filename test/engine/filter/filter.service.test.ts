import { describe, expect, test } from 'vitest'
import { filterColumns } from '../../../engine/filter/columns.ts'
import { readFilter } from '../../../engine/filter/read-filter.ts'
import { trimFilter } from '../../../engine/model/parameters.ts'
import { readVectors } from '../compute/vectors.ts'
import { type Facts, literalRows } from './literal-rows.ts'

type Case = { name: string; filter: string; facts?: Facts[]; gives?: (boolean | null)[]; position?: number }

describe('vectors/measures.json', () => {
  for (const { name, filter, facts, gives, position } of readVectors<{ filter: Case[] }>('measures').filter)
    test(name, async () => {
      const text = trimFilter(filter)!
      const { fault } = readFilter(text, filterColumns(['g']))
      expect(fault?.position).toBe(position)
      if (fault)
        expect(fault).toMatchObject({ parameter: 'filter', value: text, rule: expect.stringMatching(/^must /) })
      if (!facts) return
      const rows = await literalRows(facts)
      try {
        expect(await rows.truths(text)).toEqual(gives)
      } finally {
        await rows.remove()
      }
    })
})

const faultOf = (text: string) => readFilter(text, filterColumns(['condition'])).fault

test('a fault names the column that was meant', () => {
  expect(faultOf('particpant_age > 5')?.nearest).toBe('participant_age')
  expect(faultOf('external_data_conditon = 1')?.nearest).toBe('external_data_condition')
  expect(faultOf('age < 30')?.nearest).toBe('participant_age')
  expect(faultOf('Data_loss_percents < 30')?.nearest).toBe('test_data_loss_percents')
  expect(faultOf("condition = 'a'")?.nearest).toBe('external_data_condition')
  expect(faultOf('zzzzzzz > 5')).not.toHaveProperty('nearest')
  expect(faultOf('foo = 1')).not.toHaveProperty('nearest')
  expect(faultOf('nto participant_age = 1')?.nearest).toBe('NOT')
})

test('a fault says which word is no column, unless the word is of the language', () => {
  const ruleOf = (text: string) => faultOf(text)?.rule
  expect(ruleOf('foo = 1')).toBe('must have a column of the study here; foo is not one')
  expect(ruleOf('participant_age > foo')).toBe('must have a column of the study here; foo is not one')
  expect(ruleOf('TRY_CAST(foo AS DOUBLE) > 1')).toBe('must have a column of the study here; foo is not one')
  expect(ruleOf(`${'a'.repeat(81)} = 1`)).toBe(`must have a column of the study here; ${'a'.repeat(80)}… is not one`)
  expect(ruleOf('participant_age = null')).toBe('must have a column or a literal here')
  expect(ruleOf('TRUE AND like')).toMatch(/^must have a condition: /)
  expect(ruleOf('TRUE AND')).toMatch(/^must have a condition: /)
})

test('every character counts, including exotic spaces', () => {
  expect(faultOf('TRUE\u00a0')?.position).toBe(5)
  expect(faultOf('\u3000TRUE')?.position).toBe(1)
  expect(faultOf("participant_external_id = 'a''")?.position).toBe(27)
  expect(faultOf("TRUE AND test_click_count = 5 -- '")?.position).toBe(31)
  expect(faultOf('participant_age IN (1, 2,)')?.position).toBe(26)
})

test('a filter is looked at in turn: length, control characters, tokens, grammar', () => {
  const long = ' '.repeat(1996)
  expect(faultOf(`TRUE${long}\t!`)?.position).toBe(2001)
  expect(faultOf('TRUE TRUE ! \t')?.position).toBe(13)
  expect(faultOf('TRUE TRUE !')?.position).toBe(11)
  expect(faultOf('TRUE TRUE')?.position).toBe(6)
  expect(faultOf(`TRUE${' '.repeat(1991)}OR TRUE`)?.position).toBe(2001)
  expect(faultOf(`TRUE${' '.repeat(1989)}OR TRUE`)).toBeNull()
})

test('values are those of the CSV, and missing values are NULL', async () => {
  const rows = await literalRows([
    { test_duration_ms: 100.5, test_browser_width_px: 1000.1234565, item_filename: 'a.png' },
    { participant_display_name: 'Anonymous', participant_age: 0, participant_gender: 0, item_filename: "it's" },
  ])
  const both = async (text: string) => rows.truths(text)
  expect(await both('test_duration_ms = 101')).toEqual([true, null])
  expect(await both('test_browser_width_px BETWEEN 1000.123457 AND 1000.123457')).toEqual([true, null])
  expect(await both("participant_display_name = 'Anonymous'")).toEqual([null, true])
  expect(await both('participant_age = 0 AND participant_gender = 0')).toEqual([null, true])
  expect(await both("item_filename LIKE 'it''_' OR item_filename = 'a.png'")).toEqual([true, true])
  expect(
    await both('participant_display_gender IS NULL AND external_data_constructor IS NULL AND external_data_g IS NULL'),
  ).toEqual([true, true])
  expect(
    await both('test_click_count = 0 AND participant_quality_grade_item = 6 AND NOT participant_is_completed'),
  ).toEqual([true, true])
  await rows.remove()
})

test('instants compare at full precision, in every year and offset', async () => {
  const times = [
    '0000-01-01T00:00:00+23:59',
    '1969-12-31T23:59:60Z',
    '2024-02-29t10:00:00.000000000000000001-00:30',
    '9999-12-31T23:59:60.5-23:59',
  ]
  const rows = await literalRows(times.map((time) => ({ test_created_at: time })))
  for (const [i, time] of times.entries()) {
    const expected = (is: (j: number) => boolean) => times.map((_, j) => is(j))
    expect(await rows.truths(`test_created_at = '${time}'`)).toEqual(expected((j) => j === i))
    expect(await rows.truths(`test_created_at < TIMESTAMP '${time}'`)).toEqual(expected((j) => j < i))
  }
  expect(await rows.truths("test_created_at = '1970-01-01T00:00:00.000Z'")).toEqual([false, true, false, false])
  expect(
    await rows.truths(
      "test_created_at > '2024-02-29T10:30:00Z' AND test_created_at < '2024-02-29T10:30:00.000000000000000002Z'",
    ),
  ).toEqual([false, false, true, false])
  await rows.remove()
})

test('the longest ones are asked, too', async () => {
  const rows = await literalRows([{ participant_age: 7 }, { participant_age: 8 }, {}])
  const list = `participant_age IN (${'9,'.repeat(900)}8)`
  expect(await rows.truths(list)).toEqual([false, true, null])
  expect(await rows.truths(`${'TRUE AND '.repeat(200)}participant_age=8`)).toEqual([false, true, null])
  expect(await rows.truths(`${'FALSE OR '.repeat(200)}participant_age=8`)).toEqual([false, true, null])
  expect(await rows.truths(`${'NOT '.repeat(64)}participant_age=8`)).toEqual([false, true, null])
  expect(await rows.truths(`${'('.repeat(64)}participant_age=8${')'.repeat(64)}`)).toEqual([false, true, null])
  expect(await rows.truths(`participant_age LIKE '8'`.replace('participant_age', "'8'"))).toEqual([true, true, true])
  await rows.remove()
})

test('LIKE counts code points, and nothing escapes', async () => {
  const rows = await literalRows(['🙂b', 'e\u0301', '\\a', '%', 'a\\', 'ÄB'].map((g) => ({ external_data_g: g })))
  const matching = async (pattern: string) =>
    (await rows.truths(`external_data_g LIKE '${pattern}'`)).map((truth) => (truth ? 1 : 0)).join('')
  expect(await matching('_b')).toBe('100000')
  expect(await matching('__')).toBe('111011')
  expect(await matching('_')).toBe('000100')
  expect(await matching('\\%')).toBe('001000')
  expect(await matching('%\\')).toBe('000010')
  expect(await matching('äb')).toBe('000000')
  await rows.remove()
})

test('each comparison of BETWEEN and IN has its own type', async () => {
  const rows = await literalRows([{ participant_age: 4, participant_external_id: 'ABC', participant_id: 'abc' }, {}])
  const is = async (text: string) => (await rows.truths(text))[0]
  expect(await is("'2024-05-01T10:00:00+02:00' IN ('2024', TIMESTAMP '2024-05-01T08:00:00Z')")).toBe(true)
  expect(await is("'2024-05-01T10:00:00+02:00' NOT IN ('2024', TIMESTAMP '2024-05-01T08:00:01Z')")).toBe(true)
  expect(await is('5 BETWEEN participant_age AND 6.5 AND TRUE IN (FALSE, TRUE)')).toBe(true)
  expect(
    await is("participant_external_id = participant_id AND 'aBc' = participant_id AND participant_id LIKE 'A_C'"),
  ).toBe(true)
  expect(await is("participant_external_id IN ('abc') OR 'abc' = participant_external_id")).toBe(false)
  expect(await is("'x' BETWEEN participant_id AND participant_external_id")).toBe(false)
  await rows.remove()
})
