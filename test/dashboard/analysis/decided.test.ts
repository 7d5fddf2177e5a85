import { expect, test } from 'vitest'
import { changesIn, decidedParameters, ignoring, withChanges } from '../../../dashboard/core/analysis/decided.ts'
import type { ParameterInfo } from '../../../dashboard/core/api.ts'
import { defaultsOf, queryString, readSettings } from '../../../dashboard/core/view/chart-settings.ts'
import { NUMBER_PARAMETERS } from '../../../engine/model/parameters.ts'

const CHOICES: Record<string, string> = {
  detector: 'velocity',
  eye: 'recorded',
  lines: 'as-recorded',
  readingFrom: 'first-fixation',
}
const OTHERS = ['detector', 'eye', 'lines', 'readingFrom', 'fromMs', 'toMs', 'analysis', 'filter'].map((name) => ({
  name,
  default: CHOICES[name] ?? null,
}))
const PLAIN = [
  ...OTHERS,
  ...Object.entries(NUMBER_PARAMETERS).map(([name, rest]) => ({ name, ...rest })),
] as unknown as ParameterInfo[]
const ANALYSIS = {
  settings: { gazeVelocityThreshold: 100, detector: 'adaptive' },
  participantQualityGradeItemMin: 3,
  fromMs: 500,
  filter: 'a = 1 OR b = 2',
  ignored: [{ participantId: 'p1', reason: 'late' }],
}
const STORED = { name: 'mine', version: '0123456789ab', reference: 'mine@0123456789ab', analysis: ANALYSIS }
const DECIDED = decidedParameters(PLAIN, STORED)
const read = (query: string) => readSettings(new URLSearchParams(query), DECIDED).settings

test('an analysis is what settings begin with, and is asked for by its version', () => {
  const settings = read('analysis=mine')
  expect(settings).toMatchObject({ gazeVelocityThreshold: 100, detector: 'adaptive', fromMs: '500', toMs: '' })
  expect(queryString(settings, defaultsOf(DECIDED))).toBe('?analysis=mine%400123456789ab')
  const other = read('analysis=mine&gazeVelocityThreshold=150&fromMs=0')
  expect(queryString(other, defaultsOf(DECIDED))).toBe(
    '?fromMs=0&gazeVelocityThreshold=150&analysis=mine%400123456789ab',
  )
  expect(queryString(readSettings(new URLSearchParams(), PLAIN).settings, defaultsOf(PLAIN))).toBe('')
})

test('other settings in an address are named and adopted', () => {
  const query = 'analysis=mine&gazeVelocityThreshold=120&toMs=2000&filter=c+%3D+3'
  expect(changesIn(new URLSearchParams(query), DECIDED)).toEqual([
    'window to 2000',
    'velocity threshold 120 %/s',
    'c = 3',
  ])
  expect(changesIn(new URLSearchParams('analysis=mine'), DECIDED)).toEqual([])
  expect(withChanges(ANALYSIS, new URLSearchParams(query), DECIDED, PLAIN)).toEqual({
    ...ANALYSIS,
    settings: { gazeVelocityThreshold: 120, detector: 'adaptive' },
    toMs: 2000,
    filter: '(a = 1 OR b = 2) AND (c = 3)',
  })
  expect(withChanges({}, new URLSearchParams('binMs=50'), PLAIN, PLAIN)).toEqual({ settings: { binMs: 50 } })
})

test('colours in an address are named, and adopted beside those of the analysis', () => {
  const query = new URLSearchParams({ paint: '{"Logo":"red","Text":"blue"}' })
  const decided = { ...ANALYSIS, aoiColors: { Logo: 'green', Face: 'mint' } as const }
  expect(changesIn(query, DECIDED)).toEqual(['colours of 2 AOIs'])
  const { aoiColors } = withChanges(decided, query, DECIDED, PLAIN)
  expect(aoiColors).toEqual({ Logo: 'red', Face: 'mint', Text: 'blue' })
})

test('an invalid window is omitted and reported', () => {
  const { settings, refused } = readSettings(new URLSearchParams('fromMs=900&toMs=800'), PLAIN)
  expect([settings.fromMs, settings.toMs]).toEqual(['', ''])
  expect(refused.map(({ name }) => name)).toEqual(['fromMs'])
  expect(readSettings(new URLSearchParams('toMs=-3'), PLAIN).refused.map(({ value }) => value)).toEqual(['-3'])
})

test('a participant is ignored once', () => {
  const twice = ignoring(ignoring(ANALYSIS, 'p2'), 'p2')
  expect(twice.ignored).toEqual([
    { participantId: 'p1', reason: 'late' },
    { participantId: 'p2', reason: '' },
  ])
})
