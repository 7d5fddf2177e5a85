import { afterEach, describe, expect, test } from 'vitest'
import { guessMapping } from '../../../engine/recordings/any-table/guess-mapping.ts'
import { parseMapping } from '../../../engine/recordings/reader/mapping.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const SCREEN = { widthPx: 1000, heightPx: 500 }

/** Returns the guessed mapping of a file, and what it reads unchanged, by participants and items. */
async function guessed(name: string, lines: (string | (string | number)[])[], separator = '\t') {
  const text = lines.map((line) => (typeof line === 'string' ? line : line.join(separator))).join('\n')
  const directory = writeFiles({ [name]: `${text}\n` })
  const [file] = await findSourceFiles([directory])
  const mapping = await guessMapping(file)
  const { looks, conversion, participants } = await convertAndRead([directory], { mapping, screen: SCREEN })
  return {
    mapping,
    conversion,
    participants,
    looks: looks.map(({ participant, item, samples }) => [participant, item, ...samples]),
  }
}

describe("SMI's text", () => {
  const idf = [
    '## [BeGaze]',
    '## Converted from:\tD:\\data\\p1.idf',
    '## Calibration Area:\t1680\t1050',
    '## Sample Rate:\t250',
    '',
  ]
  test('of the IDF Converter: comments above, µs, and messages between the samples', async () => {
    const header = ['Time', 'Type', 'Trial', 'L Raw X [px]', 'L Raw Y [px]', 'L Dia X [px]', 'L Dia Y [px]']
    const { looks, mapping, conversion } = await guessed('p1.txt', [
      ...idf,
      [...header, 'L POR X [px]', 'L POR Y [px]', 'Timing'],
      [1000000, 'MSG', 1, '# Message: dog.jpg'],
      [1004000, 'SMP', 1, 1, 2, 3, 3, '100.50', '200.25', 0],
      [1008000, 'SMP', 1, 1, 2, 3, 3, '0.00', '0.00', 0],
      [1012000, 'SMP', 1, 1, 2, 3, 3, '0.00', '0.00', 0],
      [1016000, 'SMP', 2, 1, 2, 3, 3, '101.00', '201.00', 0],
    ])
    expect(mapping).toMatchObject({ rows: { column: 'Type', values: ['SMP'] }, item: 'Trial', missing: ['0'] })
    expect(mapping.time).toEqual({ column: 'Time', unit: 'us', origin: 'first' })
    expect(looks).toEqual([
      ['p1', '1', [0, 100.5, 200.25], [4, null, null], [8, null, null]],
      ['p1', '2', [0, 101, 201]],
    ])
    expect(conversion.left.join('\n')).toMatch(/^1 row that the mapping's `rows` excludes/m)
    expect(mapping.events).toBe('L Raw X [px]')
    expect(mapping.notes.join('\n')).toContain('"item": null and "itemMessage": "^# Message: (.+)$"')
    expect(conversion.left.join('\n')).toContain('"# Message: dog.jpg" (1 ×)')
  })
  test('of the IDF Converter, with items named by messages', async () => {
    const rows = [
      [996000, 'SMP', 1, 50, 50],
      [1000000, 'MSG', 1, '# Message: dog.jpg'],
      [1004000, 'SMP', 1, 100, 200],
      [1008000, 'MSG', 1, '# Message: key 3'],
      [1012000, 'SMP', 1, 110, 210],
      [1016000, 'MSG', 2, '# Message: C:\\stimuli\\cat.jpg'],
      [1020000, 'SMP', 2, 120, 220],
    ]
    const text = [['Time', 'Type', 'Trial', 'L POR X [px]', 'L POR Y [px]'], ...rows].map((row) => row.join('\t'))
    const mapping = {
      gazetteMapping: 1,
      rows: { column: 'Type', values: ['SMP'] },
      participant: null,
      item: null,
      trial: null,
      time: { column: 'Time', unit: 'us', origin: 'first' },
      gaze: [{ x: 'L POR X [px]', y: 'L POR Y [px]', unit: 'px' }],
      events: 'L POR X [px]',
      itemMessage: '([^\\\\ ]+\\.jpg)$',
      screen: { widthPx: 1000, heightPx: 500 },
    }
    const { looks, conversion } = await convertAndRead([writeFiles({ 'p1.txt': text.join('\n') })], { mapping })
    expect(looks.map(({ item, samples }) => [item, samples])).toEqual([
      [
        'dog.jpg',
        [
          [0, 100, 200],
          [8, 110, 210],
        ],
      ],
      ['cat.jpg', [[0, 120, 220]]],
    ])
    expect(conversion.left.join()).toMatch(/1 row without an item/)
    // Rows of two participants that take turns: each has the items of its own messages.
    const turns = [
      ['A', 0, 'MSG', '# Message: cat.jpg', ''],
      ['A', 4000, 'SMP', 1, 2],
      ['B', 8000, 'MSG', '# Message: dog.jpg', ''],
      ['B', 12000, 'SMP', 3, 4],
      ['A', 16000, 'SMP', 5, 6],
    ]
    const table = [['Who', 'Time', 'Type', 'L POR X [px]', 'L POR Y [px]'], ...turns].map((row) => row.join('\t'))
    const both = await convertAndRead([writeFiles({ 'both.txt': table.join('\n') })], {
      mapping: { ...mapping, participant: 'Who' },
    })
    expect(both.looks.map(({ item, samples }) => [item, samples.length])).toEqual([
      ['cat.jpg', 2],
      ['dog.jpg', 1],
    ])
    const wrong = (more: object) => () => parseMapping(JSON.stringify({ ...mapping, ...more }), 'm.json')
    expect(wrong({ item: 'Trial' })).toThrow(/itemMessage must come with events, and with item null/)
    expect(wrong({ itemMessage: '(' })).toThrow(/itemMessage must be a regular expression/)
  })
  test('of BeGaze: named stimuli, both eyes, and rows of separators and keys', async () => {
    const header = [
      'RecordingTime [ms]',
      'Time of Day [h:m:s:ms]',
      'Trial',
      'Stimulus',
      'Participant',
      'Category Group',
    ]
    const por = ['Right X', 'Right Y', 'Left X', 'Left Y'].map((name) => `Point of Regard ${name} [px]`)
    const row = (ms: string, stimulus: string, group: string, gaze: string[]) =>
      [ms, '10:00:00:000', 'Trial001', stimulus, 'P7', group, ...gaze] as string[]
    const { looks, mapping } = await guessed('begaze.txt', [
      [...header, ...por],
      row('100.5', '-', 'Information', ['-', '-', '-', '-']),
      row('101', 'dog.jpg', 'Eye', ['110', '210', '90', '190']),
      row('105', 'dog.jpg', 'Eye', ['-', '-', '90', '190']),
      row('107', 'dog.jpg', 'User', ['-', '-', '-', '-']),
      row('109', 'dog.jpg', 'Eye', ['-', '-', '-', '-']),
    ])
    expect(mapping).toMatchObject({ participant: 'Participant', item: 'Stimulus', trial: 'Trial' })
    expect(mapping.gaze.map(({ x }) => x)).toEqual(['Point of Regard Left X [px]', 'Point of Regard Right X [px]'])
    expect(looks).toEqual([['P7', 'dog.jpg', [0, 100, 200], [4, 90, 190], [8, null, null]]])
  })
})

test('iMotions: #INFO and #METADATA above #DATA, rows of other sensors, -1 for lost', async () => {
  const header = ['Row', 'Timestamp', 'EventSource', 'SourceStimuliName', 'ET_GazeLeftx', 'ET_GazeLefty']
  const { looks, mapping, participants, conversion } = await guessed(
    'resp_1.csv',
    [
      '#INFO,,,,,,,,',
      '#Respondent Name,Kim,,,,,,,',
      '#Respondent Age,31,,,,,,,',
      '#Respondent Gender,FEMALE,,,,,,,',
      '#Respondent Group,control,,,,,,,',
      '#METADATA,,,,,,,,',
      '#Category,,,,Eyetracker,Eyetracker,Eyetracker,Eyetracker,Eyetracker',
      '#DATA,,,,,,,,',
      [...header, 'ET_GazeRightx', 'ET_GazeRighty', 'ET_TimeSignal'],
      [1, '5010.5', 'ET', 'ad', 100, 200, 110, 210, '5.1'],
      [2, '5011.0', 'GSR', 'ad', '', '', '', '', ''],
      [3, '5027.2', 'ET', 'ad', -1, -1, -1, -1, '21.8'],
      [4, '5043.8', 'ET', 'ad', -1, -1, -1, -1, '38.4'],
      [5, '5060.5', 'ET', '', 1, 2, 1, 2, '55.1'],
    ],
    ',',
  )
  expect(mapping).toMatchObject({ item: 'SourceStimuliName', rows: { column: 'ET_TimeSignal', values: null } })
  expect(looks).toEqual([['Kim', 'ad', [0, 105, 205], [16.7, null, null], [33.3, null, null]]])
  expect(participants).toMatchObject([{ age: '31', gender: '0' }])
  expect(conversion.left.join()).toMatch(/1 group of respondents, .*; the first is control/)
})

test("OGAMA's raw data: comments above, mouse beside", async () => {
  const header = ['SubjectName', 'TrialSequence', 'TrialName', 'Time', 'PupilDiaX', 'GazePosX', 'GazePosY', 'MousePosX']
  const { looks, mapping } = await guessed('raw.txt', [
    '# Contents of the raw data table',
    '# exported with OGAMA',
    [...header, 'MousePosY'],
    ['S1', 3, 'dog', 20, 3.5, 100, 200, 5, 6],
    ['S1', 3, 'dog', 40, 3.5, 101, 201, 5, 6],
    ['S1', 3, 'dog', 60, 3.5, 102, 202, 5, 6],
  ])
  expect(mapping).toMatchObject({ participant: 'SubjectName', mouse: { x: 'MousePosX', y: 'MousePosY' } })
  expect(looks[0].slice(2)).toEqual([
    [20, 100, 200],
    [40, 101, 201],
    [60, 102, 202],
  ])
})

test('EyeTribe by PyGaze: the clock beside a time of day, messages, (0, 0) for lost', async () => {
  const header = 'timestamp\ttime\tfix\tstate\trawx\trawy\tavgx\tavgy\tpsize\tLrawx\tLrawy\tRrawx\tRrawy'
  const row = (ms: number, x: number, y: number) =>
    [`2014-06-30 10:11:12.${ms}`, 1404115872000 + ms, 'False', 7, x, y, x, y, 20, x, y, x, y] as (string | number)[]
  const { looks, mapping } = await guessed('subject-1.tsv', [
    header,
    row(100, 100.5, 200.5),
    ['MSG', '2014-06-30 10:11:12.110', 1404115872110, 'start_trial'],
    row(133, 0, 0),
    row(166, 0, 0),
  ])
  expect(mapping.time.column).toBe('time')
  expect(looks).toEqual([['subject-1', 'item', [0, 100.5, 200.5], [33, null, null], [66, null, null]]])
})

test('Tobii SDK and Titta: fractions of both eyes, µs, validity of the gaze point and not of the pupil', async () => {
  const columns = (side: string) =>
    ['gaze_point_on_display_area_x', 'gaze_point_on_display_area_y', 'pupil_validity', 'gaze_point_validity'].map(
      (name) => `${side}_${name}`,
    )
  const { looks, mapping } = await guessed('titta.tsv', [
    ['', 'device_time_stamp', 'system_time_stamp', ...columns('left'), ...columns('right')],
    [0, 500000, 9000000, 0.5, 0.5, 1, 1, 0.7, 0.5, 1, 1],
    [1, 503333, 9003333, 'nan', 'nan', 0, 0, 0.7, 0.5, 1, 1],
    [2, 506666, 9006666, 'nan', 'nan', 1, 0, 'nan', 'nan', 1, 0],
  ])
  expect(mapping.time).toMatchObject({ column: 'device_time_stamp', unit: 'us' })
  expect(mapping.gaze.map(({ valid }) => valid?.column)).toEqual([
    'left_gaze_point_validity',
    'right_gaze_point_validity',
  ])
  expect(looks[0].slice(2)).toEqual([
    [0, 600, 250],
    [3.333, 700, 250],
    [6.666, null, null],
  ])
})

describe('Pupil', () => {
  test("Core's gaze positions: from the lower left, with the least confidence of Pupil Player", async () => {
    const { looks, mapping } = await guessed(
      'gaze_positions.csv',
      [
        'gaze_timestamp,world_index,confidence,norm_pos_x,norm_pos_y,base_data,gaze_point_3d_x,gaze_point_3d_y',
        ...[0.95, 0.6, 0.59, 0.1, 0, 0.7, 0.8, 0.9, 1].map((c, i) => [
          ...[(5 + i / 100).toFixed(2), 0, c, 0.25, 0.75, '5.0-0', 1, 2],
        ]),
      ],
      ',',
    )
    expect(mapping.gaze[0].valid).toEqual({ column: 'confidence', least: 0.6 })
    expect(looks[0].slice(2, 6)).toEqual([
      [0, 250, 125],
      [10, 250, 125],
      [20, null, null],
      [30, null, null],
    ])
  })
  test("Core's surfaces: x_norm from the lower left", async () => {
    const { mapping } = await guessed(
      'gaze_positions_on_surface_Screen.csv',
      [
        'world_timestamp,world_index,gaze_timestamp,x_norm,y_norm,x_scaled,y_scaled,on_surf,confidence',
        ...Array.from({ length: 9 }, (_, i) => [5 + i / 50, i, 5 + i / 100, 0.5, 0.25, 50, 25, 'True', 0.9 + i / 100]),
      ],
      ',',
    )
    expect(mapping).toMatchObject({
      origin: 'bottom-left',
      gaze: [{ x: 'x_norm', unit: 'fraction', valid: { least: 0.6 } }],
    })
  })
  test("Cloud's gaze on a surface: from the upper left", async () => {
    const { looks, mapping } = await guessed(
      'gaze.csv',
      [
        'section id,recording id,timestamp [ns],gaze detected on surface,gaze position on surface x [normalized],gaze position on surface y [normalized],fixation id,blink id',
        ['s', 'r', '1700000000000000000', 'True', 0.25, 0.25, 1, ''],
        ['s', 'r', '1700000000005000000', 'True', 0.5, 0.25, 1, ''],
      ],
      ',',
    )
    expect(mapping).toMatchObject({ origin: 'top-left', participant: 'recording id' })
    expect(looks).toEqual([['r', 'item', [0, 250, 125], [5, 500, 125]]])
  })
})

test("EyeLink Data Viewer's sample report", async () => {
  const { looks, mapping } = await guessed('samples.txt', [
    'RECORDING_SESSION_LABEL\tTRIAL_INDEX\tTIMESTAMP\tLEFT_GAZE_X\tLEFT_GAZE_Y\timage',
    ['s1', 1, 5000, '100.5', '200.5', 'dog.png'],
    ['s1', 1, 5002, '.', '.', 'dog.png'],
  ])
  expect(mapping).toMatchObject({ participant: 'RECORDING_SESSION_LABEL', item: 'image', trial: 'TRIAL_INDEX' })
  expect(looks).toEqual([['s1', 'dog.png', [0, 100.5, 200.5], [2, null, null]]])
})

describe('names of columns that are found', () => {
  test.each([
    ['t_ms,x_pix,y_pix', 'x_pix'],
    ['t_ms,x_other,y_other,pixel_x,pixel_y', 'pixel_x'],
    ['t_ms,avgx,avgy', 'avgx'],
    ['t_ms,L Raw X [px],L Raw Y [px],L POR X [px],L POR Y [px]', 'L POR X [px]'],
  ])('of gaze: %s', async (header, x) => {
    const rows = Array.from({ length: 4 }, (_, i) => header.split(',').map((_, k) => 100 * k + i))
    const [file] = await findSourceFiles([writeFiles({ 'a.csv': `${header}\n${rows.join('\n')}\n` })])
    expect((await guessMapping(file)).gaze[0].x).toBe(x)
  })
  test.each(['pID', 'exp_subject_id', 'RECORDING_SESSION_LABEL', 'recording id'])('of people: %s', async (name) => {
    const [file] = await findSourceFiles([writeFiles({ 'a.csv': `${name},t,x,y\na,0,1,2\na,9,1,2\n` })])
    expect((await guessMapping(file)).participant).toBe(name)
  })
})

describe('tables', () => {
  test('without a header have columns called by their number', async () => {
    const { mapping } = await guessed('a.txt', [
      [0, 500, 300],
      [4, 501, 301],
      [8, 502, 302],
    ]).catch((error) => ({ mapping: error }))
    expect(String(mapping)).toMatch(/time|\?/)
    const directory = writeFiles({ 'b.txt': '0\t500\t300\n4\t501\t301\n8\t.\t.\n' })
    const own = {
      ...{ gazetteMapping: 1, participant: null, item: null, trial: null, screen: SCREEN },
      time: { column: '1', unit: 'ms', origin: 'first' },
      gaze: [{ x: '2', y: '3', unit: 'px' }],
    }
    const { looks } = await convertAndRead([directory], { mapping: own })
    expect(looks[0].samples).toEqual([
      [0, 500, 300],
      [4, 501, 301],
      [8, null, null],
    ])
  })
  test('of which a comment names the columns', async () => {
    const { looks } = await guessed('a.txt', [
      '# recorded today',
      '#t_ms\tx\ty',
      [0, 500, 300],
      [4, 501, 301],
      [8, 502, 302],
    ])
    expect(looks[0].slice(2)).toEqual([
      [0, 500, 300],
      [4, 501, 301],
      [8, 502, 302],
    ])
  })
  test('whose header is marked as a comment are read by it, also where not all cells are numbers', async () => {
    const { looks } = await guessed('a.csv', ['#subject,t_ms,x,y', 'a,0,500,300', 'a,4,501,301', 'b,0,502,302'], ',')
    expect(looks.map(([who]) => who)).toEqual(['a', 'b'])
  })
  test('of Tobii Studio with lines of its program above are read as they are', async () => {
    const lines = [
      'Export created by:\tTobii Studio',
      'Recording resolution:\t1000 x 500',
      '',
      'ParticipantName\tRecordingResolution\tRecordingTimestamp\tMediaName\tGazePointX (ADCSpx)\tGazePointY (ADCSpx)',
      ...[0, 8, 16].map((ms) => `P1\t1000 x 500\t${ms}\ta.png\t${ms}\t5`),
    ]
    const { looks } = await convertAndRead([writeFiles({ 'studio.tsv': `${lines.join('\n')}\n` })])
    expect(looks[0].samples).toEqual([
      [0, 0, 5],
      [8, 8, 5],
      [16, 16, 5],
    ])
  })
})
