import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { convertFiles } from '../../../engine/recordings/convert/convert-recordings.ts'
import { parseMapping } from '../../../engine/recordings/reader/mapping.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { mappingOf } from './mapping.ts'

afterEach(cleanUp)
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)
const read = (name: string, options = {}) => convertAndRead([fixture(name)], options)

describe("the reference platform's raw gazes", () => {
  test('keep ids, clicks, scroll positions and lost samples', async () => {
    const { study, tests, participants, samples } = await read('reference')
    expect(study.items[0].id).toBe('0b8f7a10-0000-4000-8000-00000000000a')
    expect(tests.map(({ test_id, duration_ms, created_at }) => [test_id.slice(-2), duration_ms, created_at])).toEqual([
      ['f1', '5000', '2019-03-01T10:00:00Z'],
      ['f2', '5000', '2019-03-01T10:05:00+01:00'],
    ])
    expect(
      participants.map(({ external_id, age, gender, quality_grade }) => [external_id, age, gender, quality_grade]),
    ).toEqual([
      ['S-17', '', '1', '5'],
      ['', '', '', ''],
    ])
    expect(samples.get(tests[0].test_id)).toEqual([
      { tMs: 0, x: 10, y: 20, scroll: 0, mouse: [5, 6], click: false },
      { tMs: 33.4, x: -3.5, y: 900, scroll: 120, mouse: [7, 8], click: true },
      { tMs: 66, x: null, y: null, scroll: 120, mouse: [7, 8], click: false },
    ])
    expect(samples.has(tests[1].test_id)).toBe(false)
  })

  test('take names and AOIs from the files beside them, and the size of an item from what an AOI covers', async () => {
    const { study, tests, conversion } = await read('reference')
    expect(study.items).toMatchObject([{ filename: 'shelf.png', widthPx: 800, heightPx: 1000 }])
    expect(study.aois).toMatchObject([
      {
        name: 'Logo',
        parts: [{ areaPoints: { topLeft: { xPx: 100, yPx: 50 }, bottomRight: { xPx: 300, yPx: 150 } } }],
      },
      { name: 'Corner', parts: [{ timeRange: { fromMs: 0, toMs: 1000 } }] },
    ])
    // It was scrolled: as wide as the window.
    expect(tests[0]).toMatchObject({
      item_display_left_px: '0',
      item_display_width_px: '1366',
      item_display_height_px: '1707.5',
    })
    expect(conversion.left).toEqual([])
  })

  test('that a spreadsheet cut keep their whole tuples, and say so', async () => {
    const tuples = Array.from({ length: 2000 }, (_, i) => `[${i % 1000},500,${i * 33},0,null,null]`)
    const cell = `[${tuples.join(',')}]`.slice(0, 32_767)
    const header = 'participant_id,item_id,test_id,test_browser_width_px,test_browser_height_px,test_raw_data'
    const directory = writeFiles({ 'raw.csv': `${header}\nP1,I1,T1,1000,800,"${cell}"\n` })
    const { conversion, looks } = await convertAndRead([directory])
    expect(looks[0].samples).toHaveLength(cell.split('],').length - 1)
    expect(looks[0].samples[0]).toEqual([0, 0, 500])
    expect(conversion.left.join()).toMatch(/^1 end of test_raw_data .* cut at 32,767 characters/)
  })

  test('with something else than tuples are refused, with the line', async () => {
    const header = 'participant_id,item_id,test_id,test_browser_width_px,test_browser_height_px,test_raw_data'
    const directory = writeFiles({ 'raw.csv': `${header}\nP1,I1,T1,1000,800,"{""a"":1}"\n` })
    await expect(convertAndRead([directory])).rejects.toThrow(
      'raw.csv, line 2: test_raw_data is no JSON array of tuples',
    )
  })
})

describe('Tobii', () => {
  test("Pro Lab's samples count from the stimulus' start event, clicks stand on the sample before, and a second look is a second test", async () => {
    const { study, tests, looks, samples, conversion } = await read('tobii/pro-lab.tsv')
    expect(study.items).toMatchObject([{ filename: 'Shelf', widthPx: 2000, heightPx: 1500 }])
    expect(tests.map(({ display_order }) => display_order)).toEqual(['1', '2'])
    expect(tests[0]).toMatchObject({
      item_display_left_px: '460',
      item_display_top_px: '165',
      item_display_width_px: '1000',
    })
    expect(looks.map((look) => look.samples)).toEqual([
      [
        [2.5, 960, 540],
        [10.5, null, null],
      ],
      [[0, 961, 541]],
    ])
    expect(samples.get(tests[0].test_id)!.map(({ mouse, click }) => [...mouse, click])).toEqual([
      [400, 300, true],
      [400, 300, false],
    ])
    expect(conversion.left).toContain('2 samples outside of any stimulus (pro-lab.tsv)')
  })

  test("Studio's older names, decimal commas and two eyes are read", async () => {
    const { looks, study, tests, conversion } = await read('tobii/studio.tsv')
    expect(study.items).toMatchObject([{ filename: 'page.jpg', widthPx: 800, heightPx: 600 }, { filename: 'next.jpg' }])
    expect(tests[0]).toMatchObject({ browser_width_px: '1280', browser_height_px: '1024' })
    expect(looks.map(({ samples }) => samples)).toEqual([
      [
        [0, 105.5, 205],
        [17, 100.5, 200],
        [34, null, null],
      ],
      [[0, 300, 401]],
    ])
    expect(conversion.assumed.join()).toMatch(/which have no unit, are ms/)
  })

  test('without a stimulus column is refused', async () => {
    const directory = writeFiles({
      'x.tsv': 'Recording timestamp [ms]\tGaze point X [DACS px]\tGaze point Y [DACS px]\n1\t2\t3\n',
    })
    await expect(convertAndRead([directory])).rejects.toThrow('has no column Presented Stimulus name')
  })
})

test("Pupil's events bound items, and gaze of a blink or of glasses not worn is lost", async () => {
  const { looks, participants, tests, conversion } = await read('pupil')
  expect(participants).toMatchObject([{ external_id: 'Kim', created_at: '2023-11-14T22:13:20.000Z' }])
  expect(looks).toEqual([
    {
      participant: 'Kim',
      item: 'door',
      samples: [
        [1, 801.5, 601.25],
        [6, null, null],
        [11, null, null],
      ],
    },
  ])
  expect(tests[0]).toMatchObject({ duration_ms: '15', browser_width_px: '1600', browser_height_px: '1200' })
  expect(conversion.left.join()).toMatch(/2 samples outside of any item's events \(pupil\/ride-1\/gaze.csv\)/)
})

test("EyeLink's recordings are items where no trial has a name, and blinks are lost", async () => {
  const { looks, tests, conversion } = await read('eyelink')
  expect(looks).toEqual([
    {
      participant: 'kim',
      item: 'recording 1',
      samples: [
        [0, 512, 384],
        [2, 512.5, 384.5],
        [4, null, null],
        [6, null, null],
        [8, 513, 385],
      ],
    },
    { participant: 'kim', item: 'recording 2', samples: [[0, 1, 2]] },
  ])
  expect(tests[0]).toMatchObject({ browser_width_px: '1024', browser_height_px: '768' })
  expect(conversion.left.join()).toMatch(/1 gaze point within a blink \(.*asc\)/)
})

test("EyeLink's HREF samples are refused, as they are no positions on the display", async () => {
  const directory = writeFiles({
    'a.asc': 'START\t1 \tLEFT\tSAMPLES\nSAMPLES\tHREF\tLEFT\tRATE\t500\n1\t2\t3\t4\t...\n',
  })
  await expect(convertAndRead([directory])).rejects.toThrow(/holds HREF samples.*edf2asc -sg/)
})

test("Gazepoint's fractions become px, invalid points are lost, and a press is one click", async () => {
  const { looks, tests, samples } = await read('gazepoint', { screen: { widthPx: 1000, heightPx: 500 } })
  expect(looks).toEqual([
    {
      participant: 'User 3',
      item: 'first.jpg',
      samples: [
        [0, 250, 375],
        [16.67, null, null],
        [33.33, 1500, 250],
      ],
    },
    { participant: 'User 3', item: 'second.jpg', samples: [[0, 500, 250]] },
  ])
  expect(samples.get(tests[0].test_id)!.map(({ click }) => click)).toEqual([false, true, false])
})

test("jsPsych's results of two people in one file are two participants, each with a window of their own", async () => {
  const { looks, tests, conversion } = await read('jspsych')
  expect(looks).toEqual([
    {
      participant: 'two-people',
      item: 'Where is Wally ?',
      samples: [
        [34, 720, 450],
        [68, null, null],
      ],
    },
    { participant: 'two-people (2)', item: 'Where is Wally ?', samples: [[30, 1, 2]] },
  ])
  expect(tests.map(({ browser_width_px }) => browser_width_px)).toEqual(['1440', '1024'])
  expect(conversion.left.join()).toMatch(/webgazer_targets/)
})

test('jsPsych without a window asks for --screen', async () => {
  const directory = writeFiles({ 'a.json': '[{"webgazer_data":[{"x":1,"y":2,"t":3}]}]' })
  await expect(convertAndRead([directory])).rejects.toThrow('add --screen WIDTHxHEIGHT')
})

test("Gorilla's y is turned round, and its zone screen is the window", async () => {
  const { looks, tests } = await read('gorilla')
  expect(looks).toEqual([
    {
      participant: '77',
      item: 'row 4, screen 2',
      samples: [
        [40.5, 640, 20],
        [80.5, -20, 710],
      ],
    },
  ])
  expect(tests[0]).toMatchObject({ browser_width_px: '1280', browser_height_px: '720' })
})

test("Labvanced's short rows are whole, and a lost gaze keeps its row's time", async () => {
  const { looks, tests, conversion } = await read('labvanced')
  expect(looks).toEqual([
    {
      participant: '276755',
      item: 'grid 5',
      samples: [
        [0, 697.927713, 402.992275],
        [35, 689.895392, 391.833508],
      ],
    },
    {
      participant: '276755',
      item: 'grid 8',
      samples: [
        [0, null, null],
        [13, 637.670207, 71.934123],
      ],
    },
  ])
  expect(tests[0]).toMatchObject({ browser_width_px: '800', browser_height_px: '450' })
  expect(conversion.assumed.join()).toMatch(/800 × 450/)
})

test("Labvanced's other series are no gaze", async () => {
  const header = 'exp_subject_id,session_nr,Block_Name,Task_Name,times,Trial_Nr,variable_name,x,y,t,c'
  const row = (name: string, ms: number, t: number | string) =>
    `1,1,b,pursuit,${1_630_399_792_000 + ms},1,${name},5,6,${t},0.8`
  const gaze = [row('XYTC', 0, 1_630_399_792_000), row('XYTC', 30, '')]
  const rows = [row('XYVA', 0, ''), ...gaze, row('XYVA', 30, 225)]
  const { looks, conversion } = await convertAndRead([
    writeFiles({ 'series.csv': `${[header, ...rows].join('\n')}\n` }),
  ])
  expect(looks).toMatchObject([
    {
      item: 'pursuit 1',
      samples: [
        [0, 5, 6],
        [30, 5, 6],
      ],
    },
  ])
  expect(conversion.left.join()).toMatch(
    /1 row before the first value of a variable.*1 row of variables that are not gaze/,
  )
  expect(conversion.doubts.join()).toMatch(/task and Trial_Nr, a running number/)
})

test("BIDS' rows are timed by their frequency, y counts from the corner that the events' sidecar names, gaze is the mean of the eyes", async () => {
  const { looks, conversion } = await read('bids')
  expect(looks).toEqual([
    {
      participant: 'sub-01',
      item: 'cross',
      samples: [
        [0, 6.5, 756],
        [2, 7, 755.5],
      ],
    },
  ])
  expect(conversion.assumed.join()).toMatch(/gaze of two eyes is their mean/)
})

describe('a conversion', () => {
  const mapping = mappingOf({
    participant: null,
    item: null,
    trial: 'trial',
    screen: { widthPx: 1000, heightPx: 1000 },
  })
  const n = 60_000
  /** Rows of two trials take turns, so that no batch is of one test. */
  const table = () =>
    writeFiles({
      'a.csv': `t,x,y,trial\n${Array.from({ length: n }, (_, i) => `${1000 + i},${i % 997}.5,${i % 991},${i % 2}`).join('\n')}\n`,
    })

  test('of many rows keeps each of them, in its test and in order', async () => {
    const { tests, samples } = await convertAndRead([table()], { mapping })
    expect(tests).toHaveLength(2)
    for (const [k, { test_id }] of tests.entries()) {
      const expected = Array.from({ length: n / 2 }, (_, j) => [2 * j, ((2 * j + k) % 997) + 0.5, (2 * j + k) % 991])
      expect(samples.get(test_id)!.map(({ tMs, x, y }) => [tMs, x, y])).toEqual(expected)
    }
  })

  test('that is stopped ends as canceled', async () => {
    const stop = new AbortController()
    const shares: number[] = []
    const running = convertFiles({
      paths: [table()],
      directory: join(writeFiles({}), 'bundle'),
      options: { mapping: parseMapping(JSON.stringify(mapping), 'mapping.json') },
      memoryMib: 128,
      signal: stop.signal,
      onProgress: (_samples, share) => {
        shares.push(share)
        stop.abort()
      },
    })
    await expect(running).rejects.toMatchObject({ code: 'canceled' })
    expect(shares).toHaveLength(1)
    expect(shares[0] > 0 && shares[0] <= 1).toBe(true)
  })
})

test('a conversion is stopped where no row is a sample, and says that nothing is left', async () => {
  const directory = writeFiles({ 'a.csv': `t,x,y\n${'no,1,2\n'.repeat(900_000)}` })
  const mapping = mappingOf({ participant: null, item: null, screen: { widthPx: 10, heightPx: 10 } })
  const stop = new AbortController()
  const running = convertFiles({
    paths: [directory],
    directory: join(writeFiles({}), 'bundle'),
    options: { mapping: parseMapping(JSON.stringify(mapping), 'mapping.json') },
    memoryMib: 128,
    signal: stop.signal,
    onProgress: () => stop.abort(),
  })
  await expect(running).rejects.toThrow('the conversion was canceled, and nothing is left of it')
})

describe('what is no recording', () => {
  test.each([
    ['an EDF file', 'SR_RESEARCH_COMBINED_EDF\u0000\u0001', 'edf2asc'],
    ['a spreadsheet', 'PK\u0003\u0004\u0000\u0000', 'save it as CSV'],
    ['an empty file', '', 'is empty'],
    ['a picture', '\u0089PNG\u0000\u0000\u0000', 'not a text file'],
    ['prose', 'Dear diary,\nno gaze today.\n', 'of no known format'],
    ['an unknown table', 'a,b,c\n1,2,3\n', 'gazette convert --guess'],
    [
      'a table of fixations',
      'fixation id,start timestamp [ns],fixation x [px]\n1,2,3\n',
      'one of the lists of fixations',
    ],
  ])('%s is refused in a sentence that helps', async (_what, content, sentence) => {
    const path = join(writeFiles({ 'data.bin': Buffer.from(content, 'latin1') }), 'data.bin')
    await expect(convertAndRead([path])).rejects.toThrow(sentence)
  })

  test('two formats at once are refused, and --format takes one', async () => {
    const paths = [fixture('gorilla'), fixture('labvanced')]
    await expect(convertAndRead(paths)).rejects.toThrow('of several formats')
    const { conversion } = await convertAndRead(paths, { format: 'gorilla' })
    expect(conversion.left.join()).toMatch(/1 file without recordings: labvanced\/timeseries_data.csv/)
  })

  test('a mapping whose columns are not there is refused, with their names', async () => {
    const mapping = mappingOf({
      item: null,
      time: { column: 'time', unit: 'ms', origin: 'first' },
      screen: { widthPx: 10, heightPx: 10 },
    })
    await expect(read('gorilla', { mapping })).rejects.toThrow(
      'does not have the columns of the mapping: who, time, x, y is missing',
    )
  })

  test('times of more than a day are taken to be a wrong unit', async () => {
    const mapping = mappingOf({
      participant: null,
      item: null,
      time: { column: 't', unit: 's', origin: 'first' },
      screen: { widthPx: 10, heightPx: 10 },
    })
    const directory = writeFiles({ 'a.csv': 't,x,y\n0,1,1\n100000,1,1\n' })
    await expect(convertAndRead([directory], { mapping })).rejects.toThrow(
      'is the unit or the origin of the times right?',
    )
  })
})
