import { expect, test } from 'vitest'
import { eyeMeasures, nameOfEyeMeasure } from '../../../dashboard/pages/quality/eye-measures.ts'
import { eyeMeasureNames } from '../../../engine/exports/tables/quality-stats.ts'
import { EYE_COLUMN_NAMES } from '../../../engine/model/eye-columns.ts'

const measured = (columns: string[]) =>
  columns.map((column) => ({
    column,
    n: 0,
    mean: null,
    sd: null,
    min: null,
    q1: null,
    median: null,
    q3: null,
    max: null,
  }))
const SCREEN = { screenWidthPx: 10, screenHeightPx: 10, screenWidthCm: 10, screenHeightCm: 10, viewingDistanceCm: 10 }
const namesOf = (recording: object) => {
  const columns = eyeMeasureNames({ eyes: EYE_COLUMN_NAMES, recording } as Parameters<typeof eyeMeasureNames>[0])
  return eyeMeasures(measured(['data_loss_percents', ...columns]), 1)
}

test('every measure of eyes is shown, in degrees where they are known, with its place in the answer', () => {
  const found = namesOf(SCREEN)
  expect(found.map(nameOfEyeMeasure)).toEqual([
    'Left eye: samples without gaze, %',
    'Right eye: samples without gaze, %',
    'Left eye: precision (RMS-S2S), °',
    'Right eye: precision (RMS-S2S), °',
    'Distance between the gazes of both eyes, °',
    'Left eye: samples without a pupil, %',
    'Right eye: samples without a pupil, %',
    'Left eye: blinks, per minute',
    'Right eye: blinks, per minute',
  ])
  const columns = ['data_loss_percents', ...eyeMeasureNames({ eyes: EYE_COLUMN_NAMES, recording: SCREEN } as never)]
  expect(found.every(({ place, column }) => columns[place] === column)).toBe(true)
})

test('without the size of the screen, they are in percent; without eyes there are none', () => {
  expect(namesOf({}).map(nameOfEyeMeasure)).toEqual(
    expect.arrayContaining(['Left eye: precision (RMS-S2S), % of the item']),
  )
  expect(namesOf({})).toHaveLength(9)
  expect(eyeMeasures(measured(['data_loss_percents']), 1)).toEqual([])
})
