import { expect, test } from 'vitest'
import {
  changedSettings,
  defaultsOf,
  isOfPupils,
  namesFor,
  queryChanges,
  queryString,
  readSettings,
  shortUnit,
} from '../../dashboard/core/view/chart-settings.ts'
import { chosenPreset, presetOf } from '../../dashboard/core/view/chosen-preset.ts'
import { hasEyesFor } from '../../dashboard/core/view/eyes-seen.ts'
import { unitsOf } from '../../dashboard/core/view/threshold-units.ts'
import type { ExportEntry } from '../../engine/exports/columns/export-entry.ts'
import { EXPORTS, listedParameters } from '../../engine/exports/registry.ts'
import { defaultParameters, NUMBER_PARAMETERS } from '../../engine/model/parameters.ts'
import { DETECTOR_NAMES, withDegrees } from '../../isomorphic/detector-settings.ts'
import { missingGeometry } from '../../isomorphic/screen-geometry.ts'

const PARAMETERS = Object.entries(NUMBER_PARAMETERS).map(([name, rest]) => ({ name, ...rest }))
const DEFAULTS = defaultsOf(PARAMETERS)
const read = (query: string) => readSettings(new URLSearchParams(query), PARAMETERS)

test('a link without settings has the defaults of the exports', () => {
  expect(read('')).toEqual({ settings: DEFAULTS, refused: [] })
  expect(DEFAULTS.gazeVelocityThreshold).toBe(NUMBER_PARAMETERS.gazeVelocityThreshold.default)
})

test('what a link carries comes back as it was', () => {
  const settings = {
    ...DEFAULTS,
    movingMedianRangeMs: 35,
    gazeVelocityThreshold: 12.5,
    participantQualityGradeItemMin: 4,
  }
  expect(read(queryString(settings, DEFAULTS))).toEqual({ settings, refused: [] })
  expect(queryString(DEFAULTS, DEFAULTS)).toBe('')
  expect(queryChanges(DEFAULTS, DEFAULTS).movingMedianRangeMs).toBeNull()
})

test('a link carries filter and detector; each detector has its own settings', () => {
  const settings = {
    ...DEFAULTS,
    detector: 'adaptive' as const,
    adaptiveLambda: 4.5,
    filter: "item_filename LIKE '%a&b=c'",
  }
  expect(read(queryString(settings, DEFAULTS))).toEqual({ settings, refused: [] })
  expect(read('detector=fast').refused).toEqual([
    { name: 'detector', value: 'fast', rule: 'must be velocity, dispersion, adaptive, i2mc' },
  ])
  const defaults = defaultParameters()
  for (const { name, listed } of EXPORTS)
    for (const detector of DETECTOR_NAMES) {
      const bearing = listedParameters({ listed } as ExportEntry, { ...defaults, detector, mergeGapMs: 30 })
      // Numbers alone, in any order; the rest has no slider.
      expect(namesFor(detector, listed).toSorted(), name).toEqual(
        bearing.filter((each) => each in NUMBER_PARAMETERS && each !== 'participantQualityGradeItemMin').toSorted(),
      )
    }
})

test('a link names a preset, whose settings become those of the address; its own settings count instead', () => {
  const { settings, refused } = read('preset=lab-60&mergeGapMs=40')
  expect(refused).toEqual([])
  expect(settings).toEqual({
    ...DEFAULTS,
    movingMedianRangeMs: 20,
    gazeVelocityThreshold: 80,
    minFixationDurationMs: 60,
    maxFixationDurationMs: 1000,
    mergeGapMs: 40,
    mergeDistancePercent: 1.5625,
  })
  // Else a slider moved back to its default would be that of the preset.
  expect(queryChanges(settings, DEFAULTS).preset).toBeNull()
  expect(read('preset=lab60')).toEqual({
    settings: DEFAULTS,
    refused: [{ name: 'preset', value: 'lab60', rule: 'must be none, webcam, lab-60, lab-500' }],
  })
})

test('degrees are offered where the distance of the eyes is known of the study or of samples', () => {
  const screen = { screenWidthPx: 1920, screenHeightPx: 1080, screenWidthCm: 50, screenHeightCm: 28 }
  expect(missingGeometry({ ...screen, viewingDistanceCm: 60 })).toEqual([])
  expect(missingGeometry(screen)).toEqual(['viewingDistanceCm'])
  expect(missingGeometry(screen, ['leftPupil'])).toEqual(['viewingDistanceCm'])
  expect(missingGeometry(screen, ['rightEyeDistanceMm'])).toEqual([])
  expect(missingGeometry({ ...screen, screenWidthCm: null }, ['rightEyeDistanceMm'])).toEqual(['screenWidthCm'])
})

test('a preset is chosen on top of an analysis, also one with a threshold in degrees', () => {
  const defaults = { ...DEFAULTS, gazeVelocityThresholdDegPerS: 30, i2mcGapMs: 50 }
  const here = { ...defaults, detector: 'dispersion' as const, filter: 'true', binMs: 20 }
  const chosen = chosenPreset(here, defaults, 'webcam')
  expect([chosen.detector, chosen.gazeVelocityThreshold, chosen.gazeVelocityThresholdDegPerS]).toEqual([
    'velocity',
    150,
    0,
  ])
  expect([chosen.filter, chosen.binMs, chosen.i2mcGapMs]).toEqual(['true', 20, 50])
  const named = [defaults, here, chosen, { ...chosen, mergeGapMs: 76 }].map((each) => presetOf(each, defaults))
  expect(named).toEqual(['none', null, 'webcam', null])
})

test('a threshold has a slider in its unit, and a choice of the other', () => {
  const { settings } = read('gazeVelocityThresholdDegPerS=30')
  expect(withDegrees(namesFor('velocity'), settings).slice(0, 2)).toEqual([
    'movingMedianRangeMs',
    'gazeVelocityThresholdDegPerS',
  ])
  expect(unitsOf('gazeVelocityThresholdDegPerS')).toEqual([
    { unit: '%/s', change: { gazeVelocityThresholdDegPerS: 0 } },
    { unit: '°/s', change: { gazeVelocityThresholdDegPerS: 30 } },
  ])
  expect(unitsOf('mergeDistancePercent')?.map(({ unit }) => unit)).toEqual(['%', '°'])
  expect(unitsOf('adaptiveLambda')).toBeNull()
  const { unit } = NUMBER_PARAMETERS.gazeVelocityThresholdDegPerS
  expect([shortUnit(unit), shortUnit('°'), shortUnit('% of the displayed item per second')]).toEqual([
    '°/s',
    '°',
    '%/s',
  ])
})

test('what a link has wrong is named and left at its default, never clamped', () => {
  const { settings, refused } = read('movingMedianRangeMs=5000&saccadeMaxDurationMs=20.5&gazeVelocityThreshold=fast')
  expect(settings).toEqual(DEFAULTS)
  expect(refused.map(({ name, value }) => `${name}=${value}`).sort()).toEqual([
    'gazeVelocityThreshold=fast',
    'movingMedianRangeMs=5000',
    'saccadeMaxDurationMs=20.5',
  ])
  expect(refused.find(({ name }) => name === 'movingMedianRangeMs')?.rule).toBe(
    'must be a whole number from 20 to 1000 ms',
  )
  const crossed = read('minFixationDurationMs=500&maxFixationDurationMs=300')
  expect(crossed.settings).toEqual(DEFAULTS)
  expect(crossed.refused).toMatchObject([{ name: 'minFixationDurationMs', value: '500' }])
})

test('settings of pupils are no change of fixations, nor the other way round', () => {
  const settings = { ...DEFAULTS, pupilBaselineToMs: 200, gazeVelocityThreshold: 100, eye: 'left' }
  expect(changedSettings(settings, DEFAULTS)).toEqual(expect.arrayContaining(['gazeVelocityThreshold', 'eye']))
  expect(changedSettings(settings, DEFAULTS)).toHaveLength(2)
  expect(changedSettings(settings, DEFAULTS, true).sort()).toEqual(['eye', 'pupilBaselineToMs'])
  expect([isOfPupils(['pupilPadMs']), isOfPupils(['gazeVelocityThreshold']), isOfPupils()]).toEqual([
    true,
    false,
    false,
  ])
})

test('a package has the settings of fixations and of pupils if it has tables of both', () => {
  const listed = [...new Set(EXPORTS.flatMap((each) => each.listed))]
  expect(namesFor('velocity', listed)).toEqual(
    expect.arrayContaining(['gazeVelocityThreshold', 'binMs', 'pupilPadMs', 'pupilBaselineToMs']),
  )
})

const FIXATIONS = ['gazeVelocityThreshold']
const PUPILS = ['pupilPadMs']

test.each([
  ['gaze', FIXATIONS, true],
  ['gaze', PUPILS, false],
  ['gaze', [...FIXATIONS, ...PUPILS], true],
  ['pupils', FIXATIONS, false],
  ['pupils', PUPILS, true],
  ['pupils', [...FIXATIONS, ...PUPILS], true],
] as const)('a study with %s of single eyes has a choice of the eye for settings %j: %s', (recorded, listed, has) => {
  const eyes: ('leftGazeXPx' | 'leftPupil')[] = [recorded === 'gaze' ? 'leftGazeXPx' : 'leftPupil']
  expect(hasEyesFor({ eyes }, listed)).toBe(has)
})
