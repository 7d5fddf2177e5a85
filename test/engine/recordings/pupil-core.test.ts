import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, readEyes, writeFiles } from './converted.ts'

afterEach(cleanUp)

/** Eight gaze points every 10 ms from 100 s on. */
const GAZE = [
  'gaze_timestamp,world_index,confidence,norm_pos_x,norm_pos_y,base_data',
  ...Array.from({ length: 8 }, (_, i) => `${(100 + i / 100).toFixed(2)},${i},0.9,0.5,0.5,100.0-0`),
].join('\n')
const PUPIL_HEADER =
  'pupil_timestamp,world_index,eye_id,confidence,norm_pos_x,norm_pos_y,diameter,method,ellipse_center_x,diameter_3d,model_confidence'
type Pupil = [time: number, eye: number, confidence: number, px: number, mm?: number | '']
const in2d = ([time, eye, confidence, px]: Pupil) => `${time},0,${eye},${confidence},0.3,0.3,${px},2d c++,120,,`
const in3d = ([time, eye, confidence, px, mm]: Pupil) =>
  `${time},0,${eye},${confidence},0.3,0.3,${px},pye3d 0.3.0 post-hoc,120,${mm},1.0`
const mapping = {
  gazetteMapping: 1,
  participant: null,
  item: null,
  trial: null,
  time: { column: 'gaze_timestamp', unit: 's', origin: 'first' },
  gaze: [{ x: 'norm_pos_x', y: 'norm_pos_y', unit: 'fraction', valid: { column: 'confidence', least: 0.6 } }],
  origin: 'bottom-left',
  screen: { widthPx: 1000, heightPx: 500 },
}
const read = (files: Record<string, string>, events?: RegExp) =>
  readEyes(writeFiles({ 'P1/gaze_positions.csv': GAZE, ...files }), { mapping, events })

describe('pupil_positions.csv beside gaze of Pupil Core', () => {
  test('gives mm of the models of both eyes, nearest in time; eye 0 is the right', async () => {
    const pupils: Pupil[] = [
      [100.001, 0, 0.9, 34, 3.1],
      [99.998, 1, 0.9, 35, 3.5],
      [100.012, 0, 0.59, 34, 3.2],
      [100.009, 1, 0.6, 35, 3.6],
      [100.031, 1, 0.95, 36, 3.7],
      [100.04, 0, 0.95, 36, 0],
      [100.059, 0, 0.95, 36, 3.3],
    ]
    const text = [PUPIL_HEADER, ...pupils.flatMap((one) => [in2d(one), in3d(one)])].join('\n')
    const { eyes, pupilUnit, said } = await read({ 'P1/pupil_positions.csv': text })
    expect(pupilUnit).toBe('mm')
    // At 10 and 20 ms the nearest of the right eye is the doubtful one of 12 ms, and at 40 ms one without a size. At 20
    // ms those of the left eye are 11 ms away.
    expect(eyes.right_pupil).toEqual([3.1, null, null, null, null, 3.3, 3.3, null])
    expect(eyes.left_pupil).toEqual([3.5, 3.6, null, 3.7, 3.7, null, null, null])
    expect(said).toMatch(/nearest in time to each gaze, at most 10 ms away; eye 0 is the right/)
    expect(said).toMatch(/pupil sizes with a confidence below 0.6/)
    expect(said).toMatch(/pupil sizes in px, since there are some in mm/)
  })

  test('gives px of the picture of the eye, where no model was fitted', async () => {
    const pupils: Pupil[] = [
      [100.001, 0, 0.9, 34.5],
      [100.011, 0, 0.9, 34.25],
    ]
    const { eyes, pupilUnit } = await read({ 'P1/pupil_positions.csv': [PUPIL_HEADER, ...pupils.map(in2d)].join('\n') })
    expect(pupilUnit).toBe('px')
    expect(eyes.right_pupil.slice(0, 4)).toEqual([34.5, 34.25, 34.25, null])
    expect(eyes).not.toHaveProperty('left_pupil')
  })

  test('is that of the same folder, and of the folder above that of surfaces', async () => {
    const one = (px: number) => [PUPIL_HEADER, in2d([100.001, 0, 0.9, px])].join('\n')
    const { eyes } = await read({
      'P1/pupil_positions.csv': one(30),
      'P2/surfaces/gaze_positions.csv': GAZE,
      'P2/pupil_positions.csv': one(40),
    })
    expect([eyes.right_pupil[0], eyes.right_pupil[8]]).toEqual([30, 40])
  })
})

describe('annotations.csv beside gaze of Pupil Core', () => {
  const annotations = [
    'index,label,timestamp,duration,source',
    '3,sound,100.03,0.0,local',
    '1,"beep, low",100.015,0.25,local',
    '9,late,100.2,0.0,local',
  ].join('\n')

  test('become events, in time, with their duration as value', async () => {
    const { events, said } = await read({ 'P1/annotations.csv': annotations }, /^/)
    expect(events).toEqual(['15,"beep, low",0.25', '30,sound,'])
    expect(said).toMatch(/events outside of any test/)
  })

  test('are listed without a pattern, and kept if they match it', async () => {
    expect((await read({ 'P1/annotations.csv': annotations })).said).toMatch(/messages that may be events.*sound/s)
    expect((await read({ 'P1/annotations.csv': annotations }, /^so/)).events).toEqual(['30,sound,'])
  })
})
