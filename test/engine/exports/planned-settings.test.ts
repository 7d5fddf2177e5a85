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
