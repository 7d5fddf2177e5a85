import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { guessMapping } from '../../../engine/recordings/any-table/guess-mapping.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const gaze = '{"type":"gaze","timestamp":0.02,"data":{"gaze2d":[0.5,0.4]}}\n'.repeat(5)

describe('a file of a tracker that is not read is named, with what to do', () => {
  test.each<[string, Record<string, string | Buffer>, RegExp]>([
    [
      'Glasses 3, unpacked',
      { gazedata: gaze.replaceAll(':', ': ') },
      /gazedata is of a recording folder of Tobii Pro Glasses 3.*data export/,
    ],
    [
      'Glasses 3, as a folder',
      { 'r/recording.g3': '{"uuid":"a"}', 'r/gazedata.gz': gzipSync(gaze) },
      /gazedata.gz is of .*Tobii Pro Glasses 3/,
    ],
    [
      'Glasses 3, its description alone',
      { 'r/recording.g3': '{"uuid":"a"}' },
      /recording.g3 is of .*Tobii Pro Glasses 3/,
    ],
    [
      'Glasses 2',
      { 'livedata.json': '{"ts":4003,"s":0,"gidx":1,"gp":[0.5,0.4]}\n' },
      /Tobii Pro Glasses 2 \(livedata.json\)/,
    ],
    [
      'ViewPoint',
      {
        'v.txt': [
          '3\tViewPoint EyeTracker 2.8.3\t',
          '3\tData collected: 2010',
          '6\tATT\tADT\tALX\tALY\tARI\tAPW\tAPH',
          ...['0.1', '0.2', '0.3'].map((t) => `10\t${t}\t33.1\t0.5\t0.4\t0\t0.2\t0.2`),
          '12\t0.31\tmarker',
        ].join('\n'),
      },
      /v.txt is a data file of ViewPoint, .*--guess; ALX and ALY are fractions/,
    ],
  ])('%s', async (_what, files, said) => {
    const directory = writeFiles(files)
    await expect(convertAndRead([directory])).rejects.toThrow(said)
    const [first] = await findSourceFiles([directory])
    await expect(guessMapping(first)).rejects.toThrow(said)
  })
})

describe('Pro Lab with a program of its own that showed the stimuli', () => {
  const HEADER =
    'Recording timestamp [μs]\tEvent\tParticipant name\tRecording resolution width [px]\tRecording resolution height [px]\tGaze point X [DACS px]\tGaze point Y [DACS px]\tSensor\tPresented Stimulus name'
  const sample = (t: number, stimulus = '') => `${t}\t\tP1\t1920\t1080\t600\t500\tEye Tracker\t${stimulus}`
  const event = (t: number, text: string) => `${t}\t${text}\tP1\t1920\t1080\t\t\t\t`
  const read = (...lines: string[]) => convertAndRead([writeFiles({ 'a.tsv': [HEADER, ...lines, ''].join('\n') })])

  test('is refused, since the column of stimuli is empty, with what to do', async () => {
    const reading = read(event(0, 'start a'), sample(8000), sample(16000), event(20000, 'start b'), sample(24000))
    await expect(reading).rejects.toThrow(
      /they have 3 samples of files whose column Presented Stimulus name is empty in every row.*in a mapping/,
    )
  })
  test('is no matter where a stimulus comes, however late', async () => {
    const { looks, conversion } = await read(sample(0), sample(8000), sample(16000, 'a.png'), sample(24000))
    expect(looks.map(({ item, samples }) => [item, samples.length])).toEqual([['a.png', 1]])
    const left = conversion.left.join('\n')
    expect(left).toMatch(/^3 samples outside of any stimulus/m)
    expect(left).not.toMatch(/is empty in every row/)
  })
})

describe('messages in rows of their own, as OpenSesame logs them', () => {
  const read = async (lines: string[]) => {
    const directory = writeFiles({ 'log.tsv': `${lines.join('\n')}\n` })
    const [file] = await findSourceFiles([directory])
    const mapping = await guessMapping(file)
    const screen = { widthPx: 1000, heightPx: 1000 }
    const { looks } = await convertAndRead([directory], { mapping, screen })
    return { mapping, looks: looks.map(({ samples }) => samples) }
  }
  const rows = (n: number, row: (i: number) => string) => Array.from({ length: n }, (_, i) => row(i))
  test.each<[string, string, (i: number) => string]>([
    [
      'behind the time',
      'TimeStamp\tEvent\tGazePointXLeft\tGazePointYLeft\tValidityLeft',
      (i) => (i % 10 === 0 ? `${i * 16}\tvar trial ${i}` : `${i * 16}\t\t500\t300\t1`),
    ],
    [
      'at the end',
      'TimeStamp\tGazePointX\tGazePointY\tPupil\tmessage',
      (i) => (i % 10 === 0 ? `${i * 16}\t\t\t\tstart ${i}` : `${i * 16}\t500\t300\t3.1\t`),
    ],
    [
      'beside samples with a trigger',
      'time,x,y,valid,marker',
      (i) => (i % 10 === 0 ? `${i * 16},,,,M${i}`.replaceAll(',', ',') : `${i * 16},500,300,1,`),
    ],
  ])('are no lost gaze: %s', async (_what, header, row) => {
    const { mapping, looks } = await read([header, ...rows(50, row)])
    expect(mapping.notes.join()).toMatch(
      /holds messages in rows of their own, such as ".*": those rows are not samples/,
    )
    expect(mapping.rows?.column).toMatch(/^(ValidityLeft|Pupil|valid)$/)
    expect(looks).toEqual([rows(50, String).flatMap((_, i) => (i % 10 === 0 ? [] : [[expect.any(Number), 500, 300]]))])
  })
  test('are no lost gaze where they only follow the time, under the name of another column', async () => {
    const header = 'TimeStamp\tGazePointXLeft\tGazePointYLeft\tValidityLeft\tGazePointX\tGazePointY\tEvent'
    const row = (i: number) => (i % 10 === 0 ? `${i * 16}\ttrial ${i}` : `${i * 16}\t500\t300\t1\t500\t300\t`)
    const { mapping, looks } = await read([header, ...rows(50, row)])
    expect(mapping.rows).toEqual({ column: 'ValidityLeft', values: null })
    expect(looks[0]).toHaveLength(45)
  })
  test('of blinks are lost gaze', async () => {
    const row = (i: number) => (i % 10 === 0 ? `${i * 16},,,Blink` : `${i * 16},500,300,`)
    const { mapping, looks } = await read(['time,x,y,event', ...rows(50, row)])
    expect(mapping.rows).toBeNull()
    expect(looks[0].filter(([, x]) => x === null)).toHaveLength(5)
  })
  test('which no column tells from lost gaze are said', async () => {
    const { mapping } = await read([
      'time,x,y,event',
      ...rows(50, (i) => (i % 10 === 0 ? `${i * 16},,,go` : `${i * 16},5,3,`)),
    ])
    expect(mapping.rows).toEqual({ column: 'x', values: null })
    const lost = await read(['time,x,y,event', ...rows(50, (i) => `${i * 16},${['5,3,', ',,', ',,go'][i % 3]}`)])
    expect(lost.mapping.rows).toBeNull()
    expect(lost.mapping.notes.join()).toMatch(/"go": no column tells them from samples/)
  })
  test('are samples where they have gaze', async () => {
    const { mapping, looks } = await read(['time,x,y,event', ...rows(50, (i) => `${i * 16},5,3,${i % 10 ? '' : 'go'}`)])
    expect(mapping.rows).toBeNull()
    expect(looks[0]).toHaveLength(50)
  })
})
