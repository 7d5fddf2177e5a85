import type { EyeColumn } from '../../model/eye-columns.ts'
import { defaultParameters } from '../../model/parameters.ts'
import type { MeasuredQuality, MethodsFacts, NumberSummary } from './methods-facts.ts'
import { type Cite, countPhrase, joined, spread } from './phrases.ts'

const OF_ITEM = ' % of the width and height of the displayed item'

/** Describes what was measured of the samples. */
export function qualitySentences(measured: MeasuredQuality, cite: Cite): string[] {
  const { tests, testsWithGaze, rateHz, lossPercents, precision, precisionPercents, accuracy } = measured
  const without = tests - testsWithGaze
  return [
    ...(without > 0 ? [`Of the tests kept, ${without} ${without === 1 ? 'has' : 'have'} no sample with gaze.`] : []),
    ...(lossPercents ? [`The share of samples without gaze was ${spread(lossPercents, ' %')}.`] : []),
    ...(rateHz
      ? [`The sampling rate that was measured (from the median step between samples) was ${spread(rateHz, ' Hz')}.`]
      : []),
    ...(precision
      ? [
          `Precision (RMS-S2S in windows of 200 ms; ${cite('niehorster2020')}; ${cite('niehorster2026')}) was ` +
            `${spread(precision, precision.unit === 'deg' ? '°' : OF_ITEM)}` +
            `${precisionPercents ? `, or ${spread(precisionPercents, OF_ITEM)}` : ''}.`,
        ]
      : []),
    ...(accuracy
      ? [
          `Accuracy, the mean distance of gaze from ${countPhrase(accuracy.validations, 'validation target')}, was ` +
            `${spread(accuracy, accuracy.unit === 'deg' ? '°' : ' px', 'participant')}.`,
        ]
      : []),
  ]
}

/** Describes the quality of each eye that was recorded. */
export function eyeQualitySentences({ measured, parameters }: MethodsFacts, cite: Cite): string[] {
  const eyes = measured?.eyes ?? []
  const of = (column: string) => eyes.find((each) => each.column === column)
  const parts = (['left', 'right'] as const).flatMap((side) => {
    const [loss, pupil, blinks] = ['data_loss_percents', 'pupil_loss_percents', 'blinks_per_minute'].map((name) =>
      of(`${side}_${name}`),
    )
    const degrees = of(`${side}_precision_window_rms_s2s_deg`)
    const precision = degrees ?? of(`${side}_precision_window_rms_s2s_percents`)
    const told = [
      ...(loss ? [`the share of samples without gaze was ${spread(loss, ' %')}`] : []),
      ...(precision ? [`precision was ${spread(precision, degrees ? '°' : ' %')}`] : []),
      ...(pupil ? [`the share of samples without a pupil was ${spread(pupil, ' %')}`] : []),
      ...(blinks ? [`there were ${spread(blinks, ' blinks a minute')}`] : []),
    ]
    return told.length === 0 ? [] : [`For the ${side} eye, ${told.join('; ')}.`]
  })
  const degrees = of('eye_disparity_median_deg')
  const disparity = degrees ?? of('eye_disparity_median_percents')
  const unit = degrees ? '°' : OF_ITEM
  const { blinkMinMs, blinkMaxMs } = { ...defaultParameters(), ...parameters }
  return [
    ...parts,
    ...(eyes.some(({ column }) => column.endsWith('_blinks_per_minute'))
      ? [
          `Blinks are losses of a pupil of at least ${blinkMinMs} ms and two samples that last at most ${blinkMaxMs} ms with the movement of the eyelid (${cite('hershman2018')}).`,
        ]
      : []),
    ...(disparity ? [`The gazes of both eyes were ${spread(disparity, unit)} apart, as the median of a test.`] : []),
  ]
}

/** Returns what was measured of an eye over tests. @param column of `quality-stats` */
export function measureOfEye({ measured }: MethodsFacts, column: string): NumberSummary | undefined {
  return measured?.eyes?.find((each) => each.column === column)
}

/** Returns whether the study has a column of an eye, and it is not lost in all samples of these tests. */
export function isSeen(facts: MethodsFacts, column: EyeColumn): boolean {
  const side = column.startsWith('left') ? 'left' : 'right'
  const loss = { GazeXPx: 'data_loss_percents', Pupil: 'pupil_loss_percents' }[column.slice(side.length)]
  const isLost = loss !== undefined && measureOfEye(facts, `${side}_${loss}`)?.min === 100
  return (facts.eyes ?? []).includes(column) && !isLost
}

/** Names what was recorded of each eye; an eye that is lost in all samples of these tests is not named. */
export function recordedSentences(facts: MethodsFacts): string[] {
  const { recording } = facts
  const whose = (left: EyeColumn, right: EyeColumn, one: string, two: string) => {
    const sides = [...(isSeen(facts, left) ? ['left'] : []), ...(isSeen(facts, right) ? ['right'] : [])]
    return sides.length === 2 ? [`both ${two}`] : sides.map((side) => `the ${side} ${one}`)
  }
  const unit = {
    mm: 'diameter in mm',
    px: 'diameter in px of the camera',
    diameter_au: 'diameter in arbitrary units',
    area_au: 'area in arbitrary units',
  }
  const size = recording?.pupilUnit ? unit[recording.pupilUnit] : 'unit unknown'
  const parts = [
    ...whose('leftGazeXPx', 'rightGazeXPx', 'eye', 'eyes').map((eye) => `the gaze of ${eye}`),
    ...whose('leftPupil', 'rightPupil', 'pupil', 'pupils').map((pupil) => `the size of ${pupil} (${size})`),
    ...whose('leftEyeDistanceMm', 'rightEyeDistanceMm', 'eye', 'eyes').map((eye) => `the distance of ${eye}`),
  ]
  if (parts.length === 0) return []
  return [`Recorded of the eyes: ${joined(parts)}.`]
}
