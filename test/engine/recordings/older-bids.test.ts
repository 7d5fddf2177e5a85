import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, readEyes, writeFiles } from './converted.ts'

afterEach(cleanUp)

const stem = 'ds/sub-01/func/sub-01_task-look'
const rows = ['1000\t100\t200\t5', '1002\tn/a\tn/a\tn/a', '1004\t102\t202\t5'].join('\n')
const columns = ['eye_timestamp', 'eye1_x_coordinate', 'eye1_y_coordinate', 'eye1_pupil_size']
const sidecar = {
  ...{ SamplingFrequency: 500, StartTime: 0, RecordedEye: 'right', SampleCoordinateUnit: 'pixel' },
  ...{ ScreenResolution: [1000, 800] },
}
const read = (files: Record<string, string | Buffer>) => convertAndRead([writeFiles(files)])
const SAMPLES = [
  [0, 100, 200],
  [2, null, null],
  [4, 102, 202],
]

describe("BIDS' older _eyetrack.tsv.gz", () => {
  test('is read by its sidecar, which also has the screen', async () => {
    const { looks, tests } = await read({
      [`${stem}_eyetrack.tsv.gz`]: gzipSync(`${rows}\n`),
      [`${stem}_eyetrack.json`]: JSON.stringify({ ...sidecar, Columns: columns }),
    })
    expect(looks).toEqual([{ participant: 'sub-01', item: 'look', samples: SAMPLES }])
    expect(tests[0]).toMatchObject({ browser_width_px: '1000', browser_height_px: '800' })
  })
  test('is read by its header, where it has one, with a sidecar further up', async () => {
    const { looks } = await read({
      [`${stem}_eyetrack.tsv.gz`]: gzipSync(`${columns.join('\t')}\n${rows}\n`),
      'ds/task-look_eyetrack.json': JSON.stringify(sidecar),
      [`${stem}_desc-pupil_eyetrack.tsv.gz`]: gzipSync('5\n5\n5\n'),
      [`${stem}_desc-pupil_eyetrack.json`]: JSON.stringify({ Columns: ['pupilSize'], SamplingFrequency: 500 }),
    })
    expect(looks.map(({ samples }) => samples)).toEqual([SAMPLES])
  })
  test('of degrees or without columns is refused', async () => {
    const data = { [`${stem}_eyetrack.tsv.gz`]: gzipSync(`${rows}\n`) }
    const degrees = { ...sidecar, Columns: columns, SampleCoordinateUnit: 'degrees' }
    await expect(read({ ...data, [`${stem}_eyetrack.json`]: JSON.stringify(degrees) })).rejects.toThrow(
      'gives positions in degrees',
    )
    await expect(read(data)).rejects.toThrow('no sidecar that gives its Columns')
  })
})

describe("BIDS' recordings of two eyes", () => {
  const stem = 'ds/sub-01/beh/sub-01_task-look'
  const columns = ['timestamp', 'x_coordinate', 'y_coordinate', 'pupil_size']
  const shared = {
    ...{ PhysioType: 'eyetrack', SamplingFrequency: 500, StartTime: 0, Columns: columns },
    ...{ timestamp: { Units: 'ms' }, x_coordinate: { Units: 'pixel' } },
    pupil_size: { Units: 'a.u.', Description: 'Pupil area in arbitrary units' },
  }
  const eye = (label: string, RecordedEye: string, rows: string[]) => ({
    [`${stem}_recording-${label}_physio.tsv.gz`]: gzipSync(`${rows.join('\n')}\n`),
    [`${stem}_recording-${label}_physio.json`]: JSON.stringify({ ...shared, RecordedEye }),
  })
  const files = {
    ...eye('eye1', 'left', ['5000\t100\t200\t900', '5002\tn/a\tn/a\t0', '5004\t104\t204\t902']),
    ...eye('eye2', 'right', ['5000\t110\t210\t800', '5001\t1\t1\t1', '5002\t112\t212\t801']),
    [`${stem}_events.json`]: JSON.stringify({ StimulusPresentation: { ScreenResolution: [1000, 800] } }),
  }
  const message = (onset: string, text: string) => `${onset}\t0\tn/a\t0\t${text}`
  const messages = (label: string) => ({
    [`${stem}_recording-${label}_physioevents.tsv.gz`]: gzipSync(
      `${[message('5001', 'TRIG 4'), '5002\t2\tfixation\t0\tn/a', message('5003', 'go')].join('\n')}\n`,
    ),
    [`${stem}_recording-${label}_physioevents.json`]: JSON.stringify({
      Columns: ['onset', 'duration', 'trial_type', 'blink', 'message'],
      OnsetSource: 'timestamp',
    }),
  })
  test('are joined by their times: gaze is their mean, or that of the one that is there', async () => {
    const { eyes, gaze, pupilUnit } = await readEyes(writeFiles(files))
    expect(gaze).toEqual([
      [105, 205],
      [112, 212],
      [104, 204],
    ])
    expect(eyes).toEqual({
      left_gaze_x_px: [100, null, 104],
      left_gaze_y_px: [200, null, 204],
      right_gaze_x_px: [110, 112, null],
      right_gaze_y_px: [210, 212, null],
      left_pupil: [900, null, 902],
      right_pupil: [800, 801, null],
    })
    expect(pupilUnit).toBe('area_au')
  })
  test('have messages, of both eyes once, in the time of their samples', async () => {
    const both = { ...files, ...messages('eye1'), ...messages('eye2') }
    const { events } = await readEyes(writeFiles(both), { events: /^(TRIG) (\d)/ })
    expect(events).toEqual(['1,TRIG,4'])
    expect((await readEyes(writeFiles(both))).said).toContain('\\"go\\" (1 ×)')
  })
  test('of which events show no item have these as messages', async () => {
    const events = 'onset\tduration\ttrial_type\tvalue\n0\t0.006\tpicture\tn/a\n0.002\t0\tresponse\tleft\n'
    const found = await readEyes(writeFiles({ ...files, [`${stem}_events.tsv`]: events }), { events: /response/ })
    expect(found.events).toEqual(['2,response,left'])
  })
})

describe('recordings of eyes whose sidecar has no PhysioType', () => {
  const stem = 'ds/sub-01/func/sub-01_task-movie_run-1'
  const data = {
    [`${stem}_recording-eyegaze_physio.tsv.gz`]: gzipSync('600\t400\t1000\t0\n602\t401\t1000\t0\n604\t402\t990\t1\n'),
    'ds/dataset_description.json': '{"Name": "x", "BIDSVersion": "1.8.0"}',
  }
  const sidecar = (more = {}) => ({
    [`${stem}_recording-eyegaze_physio.json`]: JSON.stringify({
      ...{ Columns: ['x', 'y', 'pupil', 'frame'], SamplingFrequency: 500, StartTime: 0 },
      ...more,
    }),
  })
  const options = { screen: { widthPx: 1280, heightPx: 1024 } }
  test('are read by their names, in px of the screen', async () => {
    const { looks, conversion } = await convertAndRead([writeFiles({ ...data, ...sidecar() })], options)
    expect(looks).toEqual([
      {
        participant: 'sub-01',
        item: 'movie',
        samples: [
          [0, 600, 400],
          [2, 602, 401],
          [4, 604, 402],
        ],
      },
    ])
    expect(conversion.doubts.join('\n')).toContain('positions without a unit in the sidecars are taken to be px')
    expect(conversion.assumed.join('\n')).toContain('no ScreenOrigin says otherwise')
  })
  test('that start at a time of the tracker count from the beginning of the run', async () => {
    const events = { [`${stem}_events.tsv`]: 'onset\tduration\tstim_file\n0.002\t1\ta.png\n' }
    const files = { ...data, ...sidecar({ StartTime: 4711.5 }), ...events }
    const { looks, conversion } = await convertAndRead([writeFiles(files)], options)
    expect(looks).toMatchObject([
      {
        item: 'a.png',
        samples: [
          [0, 602, 401],
          [2, 604, 402],
        ],
      },
    ])
    expect(conversion.doubts.join('\n')).toMatch(/StartTime is later than all events, such as 4711.5 s/)
  })
})
