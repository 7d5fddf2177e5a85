import { describe, expect, test } from 'vitest'
import { checkParameters } from '../../../engine/model/check-parameters.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import type { StudyAnalysis } from '../../../engine/model/study-analysis.ts'
import { bothOf } from '../../../isomorphic/conditions.ts'
import { MERGING_SETTINGS, settingsOfDetector } from '../../../isomorphic/detector-settings.ts'
import { PRESET_NAMES, settingsOfPreset } from '../../../isomorphic/presets.ts'

const REFERENCE = 'mine@0123456789ab'
const PERSON = '2a000000-0000-4000-8000-000000000001'

/** Merges a request with an analysis. */
function checked(given: Record<string, string>, analysis: StudyAnalysis) {
  const query = new Map(Object.entries({ ...given, analysis: 'mine' }).map(([name, value]) => [name, [value]]))
  return checkParameters(query, [], { reference: REFERENCE, analysis })
}

describe('an analysis', () => {
  test('stands for what it holds', () => {
    const analysis = {
      title: 'Mine',
      settings: { gazeVelocityThreshold: 99.5, detector: 'adaptive' },
      filter: 'participant_age > 30',
      participantQualityGradeItemMin: 3,
      ignored: [{ participantId: PERSON, reason: 'asleep' }],
    }
    expect(checked({}, analysis)).toEqual({
      faults: [],
      parameters: {
        ...defaultParameters(),
        gazeVelocityThreshold: 99.5,
        detector: 'adaptive',
        filter: 'participant_age > 30',
        participantQualityGradeItemMin: 3,
        analysis: REFERENCE,
        ignored: [PERSON],
      },
    })
  })

  test('leaves a setting that the request gives, and is true beside its filter', () => {
    const analysis = { settings: { movingMedianRangeMs: 300 }, filter: 'a OR b', participantQualityGradeItemMin: 3 }
    const given = { movingMedianRangeMs: '200', participantQualityGradeItemMin: '1', filter: 'c OR d' }
    const { parameters } = checked(given, analysis)
    expect(parameters).toMatchObject({ movingMedianRangeMs: 200, participantQualityGradeItemMin: 1 })
    expect(parameters?.filter).toBe('(c OR d) AND (a OR b)')
  })

  test('does not put its threshold in degrees above one in percent that the request gives', () => {
    const analysis = { settings: { gazeVelocityThresholdDegPerS: 30, mergeDistanceDeg: 0.5 } }
    const { parameters } = checked({ gazeVelocityThreshold: '100' }, analysis)
    expect(parameters).toMatchObject({
      gazeVelocityThreshold: 100,
      gazeVelocityThresholdDegPerS: 0,
      mergeDistanceDeg: 0.5,
    })
    expect(checked({}, analysis).parameters).toMatchObject({ gazeVelocityThresholdDegPerS: 30 })
  })

  test('that holds nothing is named, and changes nothing else', () => {
    expect(checked({}, {}).parameters).toEqual({ ...defaultParameters(), analysis: REFERENCE })
  })

  test('of which there is none is refused, and no analysis is none', () => {
    const faultsOf = (value: string) => checkParameters(new Map([['analysis', [value]]])).faults
    expect(faultsOf('yours')).toEqual([
      { parameter: 'analysis', rule: 'must be an analysis of the study', value: 'yours' },
    ])
    expect(faultsOf('Not a name')).toEqual([
      { parameter: 'analysis', rule: 'must be a name or name@version', value: 'Not a name' },
    ])
    expect(checkParameters(new Map([['analysis', ['']]])).parameters).toEqual(defaultParameters())
  })

  test('does not hide a fault of the request, nor one that comes of both', () => {
    expect(checked({ gazeVelocityThreshold: '0' }, { settings: { gazeVelocityThreshold: 100 } }).faults).toEqual([
      { parameter: 'gazeVelocityThreshold', rule: 'must be a number from 1 to 400', value: '0' },
    ])
    const crossed = checked({ maxFixationDurationMs: '100' }, { settings: { minFixationDurationMs: 200 } }).faults
    expect(crossed.map(({ rule }) => rule)).toEqual(['must be at least minFixationDurationMs, which is 200'])
  })
})

describe('a preset', () => {
  test('stands for its settings, between those of the request and of its analysis', () => {
    const { parameters, faults } = checked(
      { preset: 'lab-60', maxFixationDurationMs: '500' },
      { settings: { gazeVelocityThreshold: 10, gazeVelocityThresholdDegPerS: 30, saccadeMaxDurationMs: 99 } },
    )
    expect(faults).toEqual([])
    expect(parameters).toEqual({
      ...defaultParameters(),
      analysis: REFERENCE,
      movingMedianRangeMs: 20,
      gazeVelocityThreshold: 80,
      minFixationDurationMs: 60,
      maxFixationDurationMs: 500,
      mergeGapMs: 75,
      saccadeMaxDurationMs: 99,
    })
  })

  test('of none changes nothing, and another name is refused', () => {
    expect(checkParameters(new Map([['preset', ['none']]])).parameters).toEqual(defaultParameters())
    expect(checkParameters(new Map([['preset', ['lab60']]])).faults).toEqual([
      { parameter: 'preset', rule: 'must be one of none, webcam, lab-60, lab-500', value: 'lab60', nearest: 'lab-60' },
    ])
  })

  test.each(PRESET_NAMES)('%s has settings that are in range and that its detector uses', (name) => {
    const settings = settingsOfPreset(name)
    const given = Object.entries(settings).map(([parameter, value]): [string, string[]] => [parameter, [String(value)]])
    expect(checkParameters(new Map(given)).faults).toEqual([])
    const used: string[] = ['detector', ...settingsOfDetector(settings.detector ?? 'velocity'), ...MERGING_SETTINGS]
    expect(Object.keys(settings).filter((parameter) => !used.includes(parameter))).toEqual([])
  })
})

test('conditions are joined with parentheses, and an empty one is none', () => {
  expect(bothOf('a', 'b')).toBe('(a) AND (b)')
  expect(bothOf(' ', 'b')).toBe('b')
  expect(bothOf('a', null)).toBe('a')
  expect(bothOf(null, '')).toBeNull()
})
