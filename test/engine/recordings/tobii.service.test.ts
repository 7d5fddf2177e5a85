import { afterEach, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const table = (header: string[], rows: (string | number)[][]) =>
  `${[header, ...rows].map((cells) => cells.join('\t')).join('\n')}\n`

const STUDIO = [
  'ParticipantName',
  'RecordingName',
  'RecordingResolution',
  'RecordingTimestamp',
  'MediaName',
  'MediaPosX (ADCSpx)',
  'MediaPosY (ADCSpx)',
  'MediaWidth',
  'MediaHeight',
  'MouseEventIndex',
  'MouseEvent',
  'MouseEventX (ADCSpx)',
  'MouseEventY (ADCSpx)',
  'MouseEventX (MCSpx)',
  'MouseEventY (MCSpx)',
  'KeyPressEventIndex',
  'KeyPressEvent',
  'StudioEventIndex',
  'StudioEvent',
  'StudioEventData',
  'GazePointIndex',
  'GazePointX (ADCSpx)',
  'GazePointY (ADCSpx)',
]
const medium = ['small.png', 240, 112, 800, 600]
const studioRow = (ms: number, cells: { mouse?: unknown[]; key?: string; studio?: string[]; gaze?: unknown[] }) =>
  [
    ...['P1', 'Rec 1', '1280 x 1024', ms, ...medium],
    ...(cells.mouse ?? ['', '', '', '', '', '']),
    ...(cells.key ? [1, cells.key] : ['', '']),
    ...(cells.studio ? [1, ...cells.studio] : ['', '', '']),
    ...(cells.gaze ?? ['', '', '']),
  ] as (string | number)[]

test("Studio's media lie where it says, and rows of its mouse, keys and events are no samples", async () => {
  const directory = writeFiles({
    'studio.tsv': table(STUDIO, [
      studioRow(90, { studio: ['ImageStart', 'small.png'] }),
      studioRow(100, { gaze: [1, 640, 512] }),
      studioRow(103, { mouse: [1, 'Left', 300, 200, 60, 88] }),
      studioRow(108, { key: 'Space' }),
      studioRow(108, { gaze: [2, '', ''] }),
      studioRow(116, { gaze: [3, 642, 514] }),
      studioRow(118, { mouse: [2, 'Right', 310, 210, 70, 98] }),
      studioRow(120, { studio: ['ImageEnd', 'small.png'] }),
    ]),
  })
  const { study, tests, looks, samples } = await convertAndRead([directory])
  expect(tests).toHaveLength(1)
  expect(tests[0]).toMatchObject({
    item_display_left_px: '240',
    item_display_top_px: '112',
    item_display_width_px: '800',
    item_display_height_px: '600',
  })
  expect(study.items).toMatchObject([{ filename: 'small.png', widthPx: 800, heightPx: 600 }])
  expect(looks[0].samples).toEqual([
    [10, 640, 512],
    [18, null, null],
    [26, 642, 514],
  ])
  expect(samples.get(tests[0].test_id)!.map(({ mouse, click }) => [...mouse, click])).toEqual([
    [300, 200, true],
    [null, null, false],
    [310, 210, true],
  ])
})

test('without a sample counter, an event row without gaze is not a sample', async () => {
  const keep = (cells: (string | number)[]) => cells.filter((_, i) => STUDIO[i] !== 'GazePointIndex')
  const rows = [
    studioRow(100, { gaze: [1, 640, 512] }),
    studioRow(103, { mouse: [1, 'Left', 300, 200, 60, 88] }),
    studioRow(104, { key: 'Space' }),
    studioRow(108, { gaze: [2, '', ''] }),
  ]
  const directory = writeFiles({ 'studio.tsv': table(keep(STUDIO) as string[], rows.map(keep)) })
  const { looks } = await convertAndRead([directory])
  expect(looks[0].samples).toEqual([
    [0, 640, 512],
    [8, null, null],
  ])
})

const PRO_LAB = [
  'Recording timestamp [ms]',
  'Sensor',
  'Participant name',
  'Recording name',
  'Event',
  'Event value',
  'Gaze point X [DACS px]',
  'Gaze point Y [DACS px]',
  'Mouse position X [DACS px]',
  'Mouse position Y [DACS px]',
  'Presented Stimulus name',
  'Recording resolution width [px]',
  'Recording resolution height [px]',
]
const proLabRow = (
  ms: number,
  sensor: string,
  event: string[],
  gaze: unknown[],
  mouse: unknown[],
  stimulus = 'Shelf',
) => [ms, sensor, 'Ada', 'R1', ...event, ...gaze, ...mouse, stimulus, 1920, 1080] as (string | number)[]
const no = ['', '']

test("Pro Lab's mouse and key rows are no samples, and the mouse stays where it was between them", async () => {
  const rows = [
    proLabRow(0, 'Mouse', no, no, [10, 20]),
    proLabRow(1, '', ['MouseEvent', 'Down, Left'], no, no),
    proLabRow(8, 'Eye Tracker', no, [100, 200], no),
    proLabRow(9, 'Mouse', no, no, [30, 40]),
    proLabRow(10, '', ['KeyboardEvent', 'Space'], no, no),
    proLabRow(16, 'Eye Tracker', no, [101, 201], no),
    proLabRow(17, '', ['MouseEvent', 'Down, Left'], no, no),
    proLabRow(18, '', ['MouseEvent', 'Up, Left'], no, no),
    proLabRow(20, '', ['MouseEvent', 'Down, Left'], no, no, ''),
  ]
  const { conversion, tests, samples } = await convertAndRead([writeFiles({ 'export.tsv': table(PRO_LAB, rows) })])
  expect(conversion.counts).toMatchObject({ samples: 2, lostSamples: 0 })
  expect(samples.get(tests[0].test_id)!.map(({ mouse, click }) => [...mouse, click])).toEqual([
    [10, 20, true],
    [30, 40, true],
  ])
  expect(conversion.left.join()).toMatch(/1 mouse click outside of any stimulus \(.*export.tsv\)/)
})

test('a click at the end of a full batch stands on the sample before it', async () => {
  const n = 16_384
  const rows = Array.from({ length: n }, (_, i) => proLabRow(i * 8, 'Eye Tracker', no, [i % 1000, 1], no))
  rows.push(proLabRow(n * 8 - 4, '', ['MouseEvent', 'Down, Left'], no, no))
  rows.push(...Array.from({ length: 3 }, (_, i) => proLabRow((n + i) * 8, 'Eye Tracker', no, [1, 1], no)))
  const { tests, samples } = await convertAndRead([writeFiles({ 'export.tsv': table(PRO_LAB, rows) })])
  const clicks = samples.get(tests[0].test_id)!.flatMap(({ click }, i) => (click ? [i] : []))
  expect(samples.get(tests[0].test_id)).toHaveLength(n + 3)
  expect(clicks).toEqual([n - 1])
})

test('a stimulus that starts again is a second test, and AOI hits are left out by name', async () => {
  const header = ['Recording timestamp [ms]', 'Sensor', 'Participant name', 'Recording name', 'Event', 'Event value']
  const more = ['Gaze point X [DACS px]', 'Gaze point Y [DACS px]', 'Presented Stimulus name', 'AOI hit [a.png - face]']
  const gaze = (ms: number, name: string) => [ms, 'Eye Tracker', 'P1', 'R1', '', '', 600 + (ms % 7), 500, name, 1]
  const start = (ms: number, name: string) => [ms, '', 'P1', 'R1', 'ImageStimulusStart', name, '', '', name, '']
  const rows = [
    ...[start(0, 'a.png'), gaze(8, 'a.png'), gaze(16, 'a.png')],
    ...[start(20, 'a.png'), gaze(24, 'a.png'), gaze(32, 'a.png'), gaze(40, 'a.png')],
    // The start of b.png comes behind its first sample.
    ...[gaze(48, 'b.png'), start(50, 'b.png'), gaze(56, 'b.png')],
  ]
  const { looks, conversion } = await convertAndRead(
    [writeFiles({ 'p1.tsv': table([...header, ...more], rows as (string | number)[][]) })],
    { screen: { widthPx: 1920, heightPx: 1080 } },
  )
  expect(looks.map(({ item, samples }) => [item, samples.map(([t]) => t)])).toEqual([
    ['a.png', [8, 16]],
    ['a.png', [4, 12, 20]],
    ['b.png', [0, 8]],
  ])
  expect(conversion.left.join('\n')).toContain('1 column of AOI hits')
})

test('rows of gaze whose Sensor is another are counted, and those without a participant named after the file', async () => {
  const header = ['Recording timestamp [ms]', 'Sensor', 'Participant name', 'Presented Stimulus name']
  const gaze = [
    'Gaze point X [DACS px]',
    'Gaze point Y [DACS px]',
    'Recording resolution width',
    'Recording resolution height',
  ]
  const row = (ms: number, sensor: string) => [ms, sensor, '', 'a.png', 600, 500, 1920, 1080]
  const of = (...sensors: string[]) =>
    convertAndRead([
      writeFiles({
        'kim.tsv': table(
          [...header, ...gaze],
          sensors.map((sensor, i) => row(10 * i, sensor)),
        ),
      }),
    ])
  const { looks, conversion } = await of('Eye Tracker', '', 'Eye tracker')
  expect(looks).toEqual([
    {
      participant: 'kim',
      item: 'a.png',
      samples: [
        [0, 600, 500],
        [20, 600, 500],
      ],
    },
  ])
  expect(conversion.left.join('\n')).toMatch(/^1 row with gaze whose Sensor is not Eye Tracker/m)
  expect(conversion.assumed.join('\n')).toMatch(/rows that name no participant are of one, named after the file/)
  await expect(of('', '')).rejects.toThrow(/2 rows with gaze whose Sensor is not Eye Tracker/)
})
