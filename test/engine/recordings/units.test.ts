import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const WINDOW = { widthPx: 1000, heightPx: 500 }
/** tan(atan(0.1)) is 0.1 of the distance. */
const TENTH = (Math.atan(0.1) * 180) / Math.PI

const table = `t,x,y\n0,0,0\n10,${TENTH},0\n20,0,${TENTH}\n`
const mapping = (unit: string, more: object = {}) => ({
  ...{ gazetteMapping: 1, participant: null, item: null, trial: null, screen: WINDOW, origin: 'center-y-up' },
  ...{ time: { column: 't', unit: 'ms', origin: 'item' }, gaze: [{ x: 'x', y: 'y', unit }] },
  ...more,
})
const read = async (text: string, of: object) =>
  (await convertAndRead([writeFiles({ 'kim.csv': text })], { mapping: of, isImported: false })).looks[0].samples

describe('gaze from the middle of the screen becomes px', () => {
  test('from degrees, by the size of the screen and the distance of the eyes', async () => {
    // 50 cm are 1,000 px, and 60 cm 1,200 px, of which a tenth is 120.
    const viewing = { screenWidthCm: 50, viewingDistanceCm: 60 }
    const samples = await read(table, mapping('deg', { viewing }))
    expect(samples.map(([, x, y]) => [Math.round(x!), Math.round(y!)])).toEqual([
      [500, 250],
      [620, 250],
      [500, 130],
    ])
  })

  test('with another distance in px for a height that says so', async () => {
    // 20 cm are 500 px of the height, and 60 cm 1,500 px.
    const viewing = { screenWidthCm: 50, screenHeightCm: 20, viewingDistanceCm: 60 }
    const samples = await read(table, mapping('deg', { viewing }))
    expect(samples.map(([, , y]) => Math.round(y!))).toEqual([250, 250, 100])
  })

  test.each([
    ['norm', [750, 125]],
    ['height', [750, 0]],
  ])("from PsychoPy's %s", async (unit, place) => {
    expect(await read('t,x,y\n0,0.5,0.5\n10,0,0\n', mapping(unit))).toEqual([
      [0, ...place],
      [10, 500, 250],
    ])
  })

  test.each([
    ['deg', {}, /viewing must be given/],
    ['norm', { origin: 'top-left' }, /origin must be center-y-up or center-y-down/],
  ])('but not from %s without what it needs', async (unit, more, said) => {
    await expect(read(table, mapping(unit, more))).rejects.toThrow(said)
  })
})

describe('BIDS in degrees', () => {
  const stem = 'sub-01_task-free'
  const sidecar = {
    ...{ PhysioType: 'eyetrack', Columns: ['timestamp', 'x_coordinate', 'y_coordinate'], SamplingFrequency: 500 },
    ...{
      StartTime: 0,
      timestamp: { Units: 'ms' },
      x_coordinate: { Units: 'degree' },
      y_coordinate: { Units: 'degree' },
    },
  }
  const files = (shown: object) => ({
    [`${stem}_physio.tsv.gz`]: gzipSync(`0\t0\t0\n2\t${TENTH}\t0\n`),
    [`${stem}_physio.json`]: JSON.stringify({ ...sidecar, RecordedEye: 'left' }),
    [`${stem}_events.json`]: JSON.stringify({ StimulusPresentation: { ScreenResolution: [1000, 500], ...shown } }),
    [`${stem}_events.tsv`]: 'onset\tduration\tstim_file\n0\t1\ta.png\n',
  })
  const centre = { ScreenOrigin: ['center', 'center'] }

  test('is read where the sidecar has the size and distance of the screen', async () => {
    const path = writeFiles(files({ ...centre, ScreenSize: [0.5, 0.25], ScreenDistance: 0.6 }))
    const { looks } = await convertAndRead([path], { isImported: false })
    expect(looks[0].samples.map(([, x, y]) => [Math.round(x!), Math.round(y!)])).toEqual([
      [500, 250],
      [620, 250],
    ])
  })

  test.each([
    [centre, /ScreenSize and ScreenDistance/],
    [{ ScreenSize: [0.5, 0.25], ScreenDistance: 0.6 }, /ScreenOrigin .* must be \["center", "center"\]/],
  ])('is refused otherwise: %j', async (shown, said) => {
    await expect(convertAndRead([writeFiles(files(shown))], { isImported: false })).rejects.toThrow(said)
  })
})
