import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const GAZEPOINT =
  'MEDIA_ID,MEDIA_NAME,CNT,TIME(2026/01/01 10:00:00.000),TIMETICK(f=10000000),FPOGX,FPOGY,FPOGS,FPOGD,FPOGID,FPOGV,BPOGX,BPOGY,BPOGV,'
/** Sixty samples a second, twelve to a fixation. */
const allGaze = [
  GAZEPOINT,
  ...Array.from(
    { length: 48 },
    (_, i) =>
      `${i < 24 ? 0 : 1},m,${i},${(i / 60).toFixed(5)},${i},0.5,0.5,0,0.1,${Math.floor(i / 12) + 1},1,0.5,0.5,1,`,
  ),
].join('\n')
/** A row at the end of each fixation; their numbers start again with each medium. */
const fixations = [
  GAZEPOINT,
  ...[0, 1].flatMap((medium) =>
    Array.from(
      { length: 6 },
      (_, i) => `${medium},m,${30 * (i + 1)},${(i + 1) / 2},9,0.5,0.5,0,0.4,${i + 1},1,0.5,0.5,1,`,
    ),
  ),
].join('\n')

test("Gazepoint's fixations are left out beside all its gaze, and said", async () => {
  const directory = writeFiles({ 'result/User 0_all_gaze.csv': allGaze, 'result/User 0_fixations.csv': fixations })
  const { conversion, looks } = await convertAndRead([directory])
  expect(looks.map(({ participant, samples }) => [participant, samples.length])).toEqual([
    ['User 0', 24],
    ['User 0', 24],
  ])
  expect(conversion.left.join()).toMatch(
    /1 lists of fixations, which are computed anew from samples: .*result\/User 0_fixations.csv/,
  )
})

const rows = (header: string, row: (i: number) => string) =>
  `${header}\n${Array.from({ length: 8 }, (_, i) => row(i + 1)).join('\n')}\n`

describe('a list of fixations alone is refused, and not read as samples with a mapping either', () => {
  const mapping = (x: string, y: string, t: string) => ({
    gazetteMapping: 1,
    participant: null,
    item: null,
    trial: null,
    time: { column: t, unit: 'ms', origin: 'first' },
    gaze: [{ x, y, unit: 'px' }],
    screen: { widthPx: 1000, heightPx: 1000 },
  })
  test.each([
    ['of Gazepoint', 'User 0_fixations.csv', fixations, ['BPOGX', 'BPOGY', 'CNT']],
    [
      'of Gazepoint, of one row',
      'User 1_fixations.csv',
      fixations.split('\n').slice(0, 2).join('\n'),
      ['BPOGX', 'BPOGY', 'CNT'],
    ],
    [
      'of EyeLink Data Viewer',
      'report.txt',
      rows(
        'RECORDING_SESSION_LABEL\tTRIAL_INDEX\tCURRENT_FIX_START\tCURRENT_FIX_DURATION\tCURRENT_FIX_X\tCURRENT_FIX_Y',
        (i) => `s1\t1\t${i * 250}\t200\t${i}\t5`,
      ),
      ['CURRENT_FIX_X', 'CURRENT_FIX_Y', 'CURRENT_FIX_START'],
    ],
    [
      'of Tobii Studio',
      'fixations.tsv',
      rows(
        'ParticipantName\tRecordingTimestamp\tMediaName\tFixationIndex\tGazeEventDuration\tGazePointX (ADCSpx)\tGazePointY (ADCSpx)',
        (i) => `P1\t${i * 300}\ta.jpg\t${i}\t280\t100\t200`,
      ),
      ['GazePointX (ADCSpx)', 'GazePointY (ADCSpx)', 'RecordingTimestamp'],
    ],
    [
      'of Tobii Pro Lab',
      'fixations.tsv',
      rows(
        'Recording timestamp [ms]\tParticipant name\tPresented Stimulus name\tEye movement type\tGaze event duration [ms]\tFixation point X [DACS px]\tFixation point Y [DACS px]',
        (i) => `${i * 300}\tP1\ta.jpg\tFixation\t280\t100\t200`,
      ),
      ['Fixation point X [DACS px]', 'Fixation point Y [DACS px]', 'Recording timestamp [ms]'],
    ],
    [
      'of Pupil Cloud',
      'fixations.csv',
      rows(
        'section id,recording id,fixation id,start timestamp [ns],end timestamp [ns],duration [ms],fixation x [px],fixation y [px]',
        (i) => `s,r,${i},${i * 300},${i * 300 + 200},200,10,20`,
      ),
      ['fixation x [px]', 'fixation y [px]', 'start timestamp [ns]'],
    ],
    [
      'of Pupil Player',
      'fixations.csv',
      rows(
        'id,start_timestamp,duration,start_frame_index,end_frame_index,norm_pos_x,norm_pos_y,dispersion,confidence,method',
        (i) => `${i},${i * 300},200,1,2,0.5,0.5,0.1,0.9,2d gaze`,
      ),
      ['norm_pos_x', 'norm_pos_y', 'start_timestamp'],
    ],
    [
      'of nobody in particular',
      'scanpath.csv',
      rows('fixation_index,start_time_ms,duration_ms,x_px,y_px', (i) => `${i},${i * 300},200,10,20`),
      ['x_px', 'y_px', 'start_time_ms'],
    ],
  ])('%s', async (_whose, name, content, [x, y, t]) => {
    const directory = writeFiles({ [name]: content })
    await expect(convertAndRead([directory])).rejects.toThrow(`${name} is one of the lists of fixations`)
    await expect(convertAndRead([directory], { mapping: mapping(x, y, t) })).rejects.toThrow('lists of fixations')
  })
})

test('a table of samples that numbers fixations is read', async () => {
  const header =
    'ParticipantName\tRecordingTimestamp\tRecordingResolution\tMediaName\tFixationIndex\tFixationPointX (MCSpx)\tGazePointX (ADCSpx)\tGazePointY (ADCSpx)'
  const content = rows(header, (i) => `P1\t${i * 16}\t100 x 100\ta.jpg\t${i < 5 ? 1 : 2}\t10\t10\t20`)
  const { conversion } = await convertAndRead([writeFiles({ 'all.tsv': content })])
  expect(conversion.counts.samples).toBe(8)
})

describe("the reference platform's processed gazes", () => {
  const header = 'participant_id,item_id,test_id,test_browser_width_px,test_browser_height_px,test_raw_data'
  const file = (tuples: string) => `${header}\nP1,I1,T1,1000,800,"${tuples}"\n`
  const [raw, denoised] = [file('[[1,2,0,0,null,null]]'), file('[[3,4,0,0,null,null]]')]

  test('never stand for the raw ones, whatever the order of their names', async () => {
    const directory = writeFiles({
      'study-raw-gazes-denoised.csv': denoised,
      'study-raw-gazes.csv': raw,
      'a-normalized-split.csv':
        'participant_id,item_id,test_id,gaze_x_percents,gaze_y_percents,gaze_timestamp_ms,gaze_is_interpolated\nP1,I1,T1,5,5,0,false\n',
    })
    const { looks, conversion } = await convertAndRead([directory])
    expect(looks.map(({ samples }) => samples)).toEqual([[[0, 1, 2]]])
    expect(conversion.left.join()).toMatch(
      /2 gazes that were denoised or normalised, .*a-normalized-split.csv, .*study-raw-gazes-denoised.csv/,
    )
  })

  test.each(['study-raw-gazes-denoised.csv', 'gazes-normalized.csv'])('are refused alone: %s', async (name) => {
    await expect(convertAndRead([writeFiles({ [name]: denoised })])).rejects.toThrow(
      `${name} is one of the gazes that were denoised or normalised`,
    )
  })

  test('are told apart by nobody where no name says which is which, and so refused', async () => {
    const directory = writeFiles({ 'one.csv': raw, 'two.csv': denoised })
    await expect(convertAndRead([directory])).rejects.toThrow(
      /test T1 has one recording in .*one.csv and another in .*two.csv/,
    )
  })

  test('twice the same raw gazes are one test, and a second exposure is a test of its own', async () => {
    const exposed = `${header},exposure_number\nP1,I1,T1,1000,800,"[[1,2,0]]",1\nP1,I1,T1,1000,800,"[[5,6,0]]",2\n`
    const { looks, tests } = await convertAndRead([writeFiles({ 'raw.csv': exposed })])
    expect(looks.map(({ samples }) => samples)).toEqual([[[0, 1, 2]], [[0, 5, 6]]])
    expect(tests.map(({ notes }) => notes)).toEqual(['', 'exposure 2'])
    const twice = writeFiles({ 'one.csv': raw, 'two.csv': raw })
    const { conversion } = await convertAndRead([twice])
    expect(conversion.counts.tests).toBe(1)
    expect(conversion.left.join()).toMatch(/1 test that was there already \(.*two.csv\)/)
  })
})
