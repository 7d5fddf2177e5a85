import { expect, test } from 'vitest'
import { appliedText, exclusionWords, whatApplies } from '../../../dashboard/core/analysis/applied.ts'
import type { ParameterInfo, StudyAnalysis } from '../../../dashboard/core/api.ts'
import { conditionWords } from '../../../dashboard/core/people/conditions.ts'
import { readSettings } from '../../../dashboard/core/view/chart-settings.ts'
import { NUMBER_PARAMETERS } from '../../../engine/model/parameters.ts'

const PLAIN = [
  { name: 'detector', default: 'velocity' },
  { name: 'eye', default: 'recorded' },
  { name: 'fromMs', default: null },
  { name: 'toMs', default: null },
  ...Object.entries(NUMBER_PARAMETERS).map(([name, rest]) => ({ name, ...rest })),
] as unknown as ParameterInfo[]
const KEPT = { tests: 101, testsTotal: 130, participants: 23, participantsTotal: 24 }

function applied(query: string, analysis: StudyAnalysis = {}, more = {}) {
  const { settings } = readSettings(new URLSearchParams(query), PLAIN)
  return whatApplies({
    settings,
    plain: PLAIN,
    isOfBothEyes: false,
    analysis,
    name: null,
    isChanged: query !== '',
    kept: KEPT,
    ...more,
  })
}

test('the excluded tests, the settings that differ and the time window are told, and that nothing holds them', () => {
  const told = applied('filter=test_data_loss_percents+<=+30&gazeVelocityThreshold=100&toMs=4000')
  expect(appliedText(told)).toBe(
    '29 of 130 tests excluded: more than 30 % of samples lost, or without samples · velocity threshold 100 %/s · 0 to 4 s',
  )
  expect(told.kept).toBe('not saved')
})

test('nothing is told of defaults, nor of settings that the detector does not use', () => {
  expect(appliedText(applied(''))).toBe('')
  expect(applied('').kept).toBe('')
  expect(appliedText(applied('detector=adaptive&gazeVelocityThreshold=100'))).toBe('Adaptive velocity threshold')
})

test('where both eyes were recorded, whose gaze it is is told once: as recorded, or the chosen eye', () => {
  const told = (query: string) => appliedText(applied(query, {}, { isOfBothEyes: true }))
  expect(told('')).toBe('gaze as recorded, no eye chosen')
  expect(told('eye=left')).toBe('left eye')
  expect(told('toMs=4000')).toBe('0 to 4 s · gaze as recorded, no eye chosen')
})

test('what an analysis excludes and moves is told beside the conditions of the address', () => {
  const analysis: StudyAnalysis = {
    ignored: [{ participantId: 'p1', reason: 'late' }],
    filter: "external_data_task = 'free'",
    offsets: [{ participantId: 'p2', dxPx: 1, dyPx: 2, source: 'hand' }],
  }
  const told = applied('participantQualityGradeItemMin=3&fromMs=1500', analysis, { name: 'main', isChanged: false })
  expect(told).toEqual({
    excluded: '29 of 130 tests excluded: 1 participant ignored; quality grade below 3; all but task is free',
    changed: ['gaze of 1 participant moved', 'from 1.5 s on'],
    gaze: '',
    kept: 'saved as “main”',
  })
})

test('reasons are told before their tests are counted', () => {
  expect(applied('filter=participant_age+>+20', {}, { kept: null }).excluded).toBe(
    'Excluded tests: all but age above 20',
  )
  expect(exclusionWords({ filters: ['a = 1 OR b = 2', null], gradeMin: 1, ignored: 2 })).toEqual([
    '2 participants ignored',
    'all but a = 1 OR b = 2',
  ])
})

test.each([
  ['participant_age >= 20', 'age at least 20'],
  ['test_data_loss_percents <= 30', 'samples without gaze at most 30 %'],
  ["external_data_task <> 'it''s'", "task is not it's"],
  ['NOT participant_is_completed', 'not completed'],
  ["NOT list_contains(participant_tags, 'a b')", 'tags do not include a b'],
  ["participant_external_id LIKE 'p%'", 'external id is like p%'],
  ['participant_age BETWEEN 20 AND 29', 'participant_age BETWEEN 20 AND 29'],
  ['item_filename', 'item_filename'],
])('the condition %s reads “%s”', (condition, words) => {
  expect(conditionWords(condition)).toBe(words)
})
