import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, type Row, writeFiles } from './converted.ts'

afterEach(cleanUp)

const validationsOf = (directory: string) => {
  const path = join(directory, 'validations.csv')
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').slice(1) : []
}
const recordingOf = (directory: string) => JSON.parse(readFileSync(join(directory, 'study.json'), 'utf8')).recording

describe('validations', () => {
  const validation = {
    ...{ trial_type: 'webgazer-validate', trial_index: 1 },
    raw_gaze: [
      [
        { x: 110, y: 205, dx: 10, dy: 5, t: 20 },
        { x: 90, y: 195, dx: -10, dy: -5, t: 50 },
      ],
      [{ x: 512, y: 410, dx: 12, dy: 10, t: 20 }],
      [],
    ],
  }
  const look = (who: string, index: number) => ({
    ...{ subject_id: who, trial_index: index, stimulus: 'a.png', innerWidth: 800, innerHeight: 600 },
    webgazer_data: [{ x: 1, y: 2, t: 3 }],
  })

  test('of jsPsych are the mean gaze at each target, of whoever looked at it', async () => {
    const trials = [validation, look('Ada', 2), look('Ada', 3), look('Bo', 1)]
    const { directory, participants, conversion } = await convertAndRead([
      writeFiles({ 'data.json': JSON.stringify(trials) }),
    ])
    const [ada] = participants.map((row) => row.participant_id)
    const rows = [`${ada},,100,200,100,200`, `${ada},,500,400,512,410`]
    expect(validationsOf(directory)).toEqual(rows)
    expect(conversion.counts.validations).toBe(2)
    expect(recordingOf(directory)).toMatchObject({ model: 'WebGazer' })
  })

  test('of jsPsych without their gazes are left, and said', async () => {
    const trials = [{ ...validation, raw_gaze: undefined, percent_in_roi: [80] }, look('Ada', 2)]
    const { directory, conversion } = await convertAndRead([writeFiles({ 'data.json': JSON.stringify(trials) })])
    expect(validationsOf(directory)).toEqual([])
    expect(conversion.left.join()).toMatch(/1 validation without its gazes in px/)
  })

  test('of EyeLink are targets with their offsets, and its header says tracker, rate, screen and calibration', async () => {
    const head = [
      '** CONVERTED FROM kim.edf',
      '** VERSION: EYELINK II 1',
      '** EYELINK II CL v5.15 Jan 24 2018',
      'MSG\t1 DISPLAY_COORDS 0 0 1919 1079',
      'MSG\t2 !CAL CALIBRATION HV9 L LEFT    GOOD',
      'MSG\t3 VALIDATE L POINT 0  LEFT  at 960,540  OFFSET 0.35 deg.  -10.2,3.1 pix',
      'MSG\t4 VALIDATE L 4POINT 1  LEFT  at 960,91  OFFSET 0.20 deg.  1.0,2.0 pix',
    ]
    const samples = [
      'START\t10 \tLEFT\tSAMPLES',
      'SAMPLES\tGAZE\tLEFT\tRATE\t 500.00\tTRACKING\tCR',
      '12\t1.0\t2.0\t3.0\t...',
    ]
    const text = [...head, ...samples, 'END\t20 \tSAMPLES', ''].join('\n')
    const { directory, participants } = await convertAndRead([writeFiles({ 'kim.asc': text })])
    const id = participants[0].participant_id
    expect(validationsOf(directory)).toEqual([`${id},,960,540,949.8,543.1`, `${id},,960,91,961,93`])
    expect(recordingOf(directory)).toEqual({
      ...{ manufacturer: 'SR Research', model: 'EYELINK II CL v5.15', calibrationType: 'HV9', calibrationPoints: 9 },
      ...{ nominalSamplingRateHz: 500, screenWidthPx: 1920, screenHeightPx: 1080 },
    })
    expect(JSON.parse(readFileSync(join(directory, 'recordings.json'), 'utf8'))).toMatchObject({ eye: 'left' })
  })

  test('a fact that differs between recordings is none of the study, and said', async () => {
    const file = (rate: number, x: number) =>
      `** CONVERTED FROM\nMSG\t1 DISPLAY_COORDS 0 0 1919 1079\nSTART\t10 \tLEFT\tSAMPLES\nSAMPLES\tGAZE\tLEFT\tRATE\t${rate}\n12\t${x}\t2.0\t3.0\t...\nEND\t20\n`
    const { directory, conversion } = await convertAndRead([
      writeFiles({ 'a.asc': file(500, 1), 'b.asc': file(1000, 2) }),
    ])
    expect(recordingOf(directory)).not.toHaveProperty('nominalSamplingRateHz')
    expect(conversion.left).toContain(
      'nominalSamplingRateHz of the tracker and the screen, which differs between recordings',
    )
  })
})

describe('columns that say something of a person', () => {
  const table = [
    'who,what,t,x,y,condition,group,score',
    'Ada,a.png,0,1,2,control,1,7',
    'Ada,a.png,16,1,2,control,1,7',
    'Bo,a.png,0,1,2,"left, handed",2,3',
    'Bo,a.png,16,1,2,"left, handed",2,4',
    '',
  ].join('\n')
  const mapping = {
    ...{ gazetteMapping: 1, participant: 'who', item: 'what', trial: null, screen: { widthPx: 10, heightPx: 10 } },
    ...{ time: { column: 't', unit: 'ms', origin: 'item' }, gaze: [{ x: 'x', y: 'y', unit: 'px' }] },
  }
  const peopleOf = (directory: string) => readFileSync(join(directory, 'participants.csv'), 'utf8')
  const cells = (rows: Row[], ...names: string[]) => rows.map((row) => names.map((name) => row[name]))

  test('are kept as tags and external data where they are asked for, and only there', async () => {
    const path = writeFiles({ 'table.csv': table })
    const plain = await convertAndRead([path], { mapping })
    expect(peopleOf(plain.directory)).not.toMatch(/tags|external_data/)
    expect(plain.conversion.left.join()).toMatch(/columns that the mapping does not name: condition, group, score/)
    const kept = { tags: ['condition', 'group'], externalData: ['score'] }
    const { participants, conversion } = await convertAndRead([path], {
      mapping: { ...mapping, tags: ['group'] },
      kept,
    })
    expect(cells(participants, 'tags', 'external_data_score')).toEqual([
      ['group 1,control', '7'],
      ['group 2,left handed', ''],
    ])
    expect(conversion.left.join()).toMatch(
      /1 participant for whom score is not always the same, so that it is not kept of them; the first is Bo: "3" and "4"/,
    )
  })

  test("may be Tobii's averages of a validation, which are no targets, and said to be left where they are not asked for", async () => {
    const header = [
      ...['Recording timestamp', 'Participant name', 'Average validation accuracy (degrees)'],
      ...['Average validation precision SD (degrees)', 'Sensor', 'Gaze point X', 'Gaze point Y'],
      ...['Presented Stimulus name', 'Recording resolution width', 'Recording resolution height'],
    ]
    const row = (us: number) => [us, 'Ada', 0.42, 0.17, 'Eye Tracker', 640, 400, 'a.png', 1280, 800]
    const rows = [header, row(8000), row(16_000), row(24_000)].map((cells) => cells.join('\t'))
    const path = writeFiles({ 'export.tsv': `${rows.join('\n')}\n` })
    expect((await convertAndRead([path])).conversion.left.join('\n')).toMatch(
      /averages of a calibration, which name no targets .*--external-data "Average validation precision SD \(degrees\)" keeps/,
    )
    const kept = { tags: [], externalData: [header[2]] }
    const { participants, conversion } = await convertAndRead([path], { kept })
    expect(cells(participants, 'external_data_Average_validation_accuracy_degrees')).toEqual([['0.42']])
    expect(conversion.left.join()).not.toMatch(/averages/)
  })

  test('may be fields of jsPsych, and are refused where there is no such column, or no table', async () => {
    const trials = [
      { trial_index: 0, condition: 'B' },
      { subject_id: 'Ada', trial_index: 1, stimulus: 'a.png', webgazer_data: [{ x: 1, y: 2, t: 3 }] },
    ]
    const screen = { widthPx: 800, heightPx: 600 }
    const path = writeFiles({ 'data.json': JSON.stringify(trials) })
    const kept = { tags: ['condition'], externalData: [] }
    const { participants } = await convertAndRead([path], { screen, kept })
    expect(cells(participants, 'tags')).toEqual([['B']])
    const csv = writeFiles({ 'table.csv': table })
    const asking = (externalData: string[]) => convertAndRead([csv], { mapping, kept: { tags: [], externalData } })
    await expect(asking(['age'])).rejects.toThrow('table.csv has no column age to keep; it has who, what')
    await expect(asking(['score', 'Score'])).rejects.toThrow(
      'score and Score would both be kept as external_data_score',
    )
    const asc = writeFiles({ 'a.asc': 'START\t10 \tLEFT\nSAMPLES\tGAZE\tLEFT\n12\t1\t2\t3\nEND\t20\n' })
    await expect(convertAndRead([asc], { kept })).rejects.toThrow('--tags and --external-data are for tables')
  })
})
