import { expect, test } from 'vitest'
import { settingsNotes } from '../../../engine/exports/columns/notes.ts'
import { exportOf, planParameters } from '../../../engine/exports/registry.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'

const DEFAULTS = defaultParameters()
const planned = (given: object, name = 'fixations') => planParameters(exportOf(name), { ...DEFAULTS, ...given })

test('a plan holds settings of merging where something is merged, so that plans from before stay the same', () => {
  const former = [
    'itemId',
    'movingMedianRangeMs',
    'gazeVelocityThreshold',
    'minFixationDurationMs',
    'maxFixationDurationMs',
    'saccadeMaxDurationMs',
    'participantQualityGradeItemMin',
  ]
  expect(Object.keys(planned({})).sort()).toEqual(former.sort())
  expect(planned({ mergeDistancePercent: 3 })).toEqual(planned({}))
  expect(planned({ mergeGapMs: 30 })).toEqual({ ...planned({}), mergeGapMs: 30, mergeDistancePercent: 1.5625 })
  expect(planned({ mergeGapMs: 30 }, 'gazes-raw')).toEqual(planned({}, 'gazes-raw'))
})

test('a plan of quality-stats holds settings of blinks that are not the default, if the study has pupils', () => {
  expect(planned({ blinkMinMs: 40, pupilPadMs: 0 }, 'quality-stats')).toEqual({
    ...planned({}, 'quality-stats'),
    blinkMinMs: 40,
  })
  expect(planParameters(exportOf('quality-stats'), { ...DEFAULTS, blinkMinMs: 40 }, false)).toEqual(
    planned({}, 'quality-stats'),
  )
})

test('a plan holds the chosen eye where rows depend on its gaze or its pupil', () => {
  const eyeOf = (name: string) => planned({ eye: 'left' }, name).eye
  expect(['fixations', 'blinks', 'pupils', 'pupil-stats'].map(eyeOf)).toEqual(['left', 'left', 'left', 'left'])
  expect(['events', 'mouse'].map(eyeOf)).toEqual([undefined, undefined])
})

test('a threshold in degrees stands in a plan and in notes instead of the one in percent', () => {
  const { gazeVelocityThreshold: _, ...others } = planned({})
  expect(planned({ gazeVelocityThresholdDegPerS: 30 })).toEqual({ ...others, gazeVelocityThresholdDegPerS: 30 })
  expect(planned({ dispersionThresholdDeg: 1, mergeDistanceDeg: 0.5 })).toEqual(planned({}))
  const dispersion = planned({
    detector: 'dispersion',
    dispersionThresholdDeg: 1,
    mergeGapMs: 75,
    mergeDistanceDeg: 0.5,
  })
  expect(dispersion).toMatchObject({ dispersionThresholdDeg: 1, mergeDistanceDeg: 0.5 })
  expect(Object.keys(dispersion).filter((name) => name.endsWith('Percent'))).toEqual([])
  expect(planned({ gazeVelocityThresholdDegPerS: 30 }, 'gazes-raw')).toEqual(planned({}, 'gazes-raw'))
})

test('I2MC merges as published, unless a request says otherwise', () => {
  const i2mc = planned({ detector: 'i2mc' })
  expect(i2mc).toMatchObject({ i2mcGapMs: 100, i2mcWindowMs: 200, i2mcStepMs: 20, i2mcCutoffSd: 2, i2mcSeed: 1 })
  expect(i2mc).toMatchObject({ mergeGapMs: 30, mergeDistancePercent: 1.5625 })
  expect(planned({ detector: 'i2mc', mergeGapMs: 1 })).toMatchObject({ mergeGapMs: 1 })
  expect(planned({ detector: 'i2mc' }, 'gazes-raw')).toEqual(planned({}, 'gazes-raw'))
})

test('notes tell the settings of merging where something is merged', () => {
  const notes = (given: object) =>
    settingsNotes({
      export: 'fixations',
      studyId: '',
      snapshotId: '',
      parameters: planned(given),
      version: '1',
      formulaGuard: false,
    })
  expect(notes({})).not.toContain('merge')
  expect(notes({ detector: 'dispersion', mergeGapMs: 30 })).toContain(
    'saccadeMaxDurationMs = 150; mergeGapMs = 30; mergeDistancePercent = 1.5625]',
  )
})

test('what an export lists besides settings of fixations stays with any detector', () => {
  for (const detector of ['velocity', 'dispersion', 'adaptive', 'i2mc'] as const)
    expect(planned({ detector, recurrenceRadiusPercent: 5 }, 'scanpaths')).toMatchObject({ recurrenceRadiusPercent: 5 })
})
