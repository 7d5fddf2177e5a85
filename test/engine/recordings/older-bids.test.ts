import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

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
