import { expect, test } from 'vitest'
import { conditionColumns, conditionOf, joinConditions } from '../../../dashboard/core/people/conditions.ts'
import { splitConditions } from '../../../isomorphic/conditions.ts'

test('a filter is cut at its outermost ANDs, not within parentheses, texts or BETWEEN', () => {
  expect(splitConditions("participant_age BETWEEN 20 AND 29 and item_filename = 'this AND that'")).toEqual([
    'participant_age BETWEEN 20 AND 29',
    "item_filename = 'this AND that'",
  ])
  expect(splitConditions("(a = 1 AND b = 2) AND NOT list_contains(participant_tags, 'it''s AND so')")).toEqual([
    '(a = 1 AND b = 2)',
    "NOT list_contains(participant_tags, 'it''s AND so')",
  ])
  expect(splitConditions('a = 1 AND b = 2 OR c = 3')).toEqual(['a = 1 AND b = 2 OR c = 3'])
  expect(splitConditions('  ')).toEqual([])
  expect(splitConditions('participant_brand = 1')).toEqual(['participant_brand = 1'])
})

test('parts are joined so that each keeps its meaning', () => {
  expect(joinConditions(['a = 1 OR b = 2', '', 'c = 3'])).toBe('(a = 1 OR b = 2) AND c = 3')
  expect(joinConditions(['a = 1 OR b = 2'])).toBe('a = 1 OR b = 2')
  expect(joinConditions([])).toBe('')
})

test('conditions are written in the language of filters', () => {
  const columns = conditionColumns({ hasTags: true, externalDataNames: ['group', 'odd name'] })
  const column = (name: string) => columns.find((each) => each.name === name)!
  expect(conditionOf(column('external_data_group'), '=', "it's")).toBe("external_data_group = 'it''s'")
  expect(conditionOf(column('participant_tags'), '<>', 'pilot')).toBe("NOT list_contains(participant_tags, 'pilot')")
  expect(conditionOf(column('participant_is_completed'), '<>', '')).toBe('NOT participant_is_completed')
  expect(conditionOf(column('participant_age'), '>=', ' 30 ')).toBe('participant_age >= 30')
  expect(conditionOf(column('participant_age'), '>=', '3e1')).toBeNull()
  expect(columns.map(({ name }) => name)).not.toContain('external_data_odd name')
})
