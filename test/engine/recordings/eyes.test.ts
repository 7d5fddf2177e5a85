import { afterEach, expect, test } from 'vitest'
import { asc, end, msg, recording, start } from './asc.ts'
import { cleanUp, convertAndRead, readEyes, writeFiles } from './converted.ts'

afterEach(cleanUp)

const read = (files: Record<string, string | Buffer>, options: Parameters<typeof readEyes>[1] = {}) =>
  readEyes(writeFiles(files), options)

/** Another reading of samples of two eyes: the six numbers behind the time, `.` for none. */
const numbersOf = (lines: string[]) =>
  lines.map((line) =>
    line
      .split(/\s+/)
      .slice(1, 7)
      .map((text) => (text === '.' ? null : Number(text))),
  )

const TWO_EYES = [
  '2000\t  511.9\t  383.4\t 1212.0\t  514.0\t  390.2\t 1300.0\t.....',
  '2002\t  512.1\t  383.9\t 1213.0\t   .\t   .\t    0.0\t...C.',
  '2004\t   .\t   .\t    0.0\t   .\t   .\t    0.0\t..C.C',
  '2006\t  512.3\t  384.0\t 1215.0\t  514.4\t  390.8\t 1303.0\t.....',
]

test('EyeLink: both eyes and pupils are those of the file, a pupil of 0 is missing', async () => {
  const samples = [...start(1990, 'LEFT\tRIGHT', 500), 'PUPIL\tDIAMETER', ...TWO_EYES, end(2008)]
  const { eyes, pupilUnit } = await read({ 'kim.asc': asc(samples) })
  const expected = numbersOf(TWO_EYES)
  for (const [c, name] of ['left_gaze_x_px', 'left_gaze_y_px', 'left_pupil'].entries())
    expect(eyes[name], name).toEqual(expected.map((row) => row[c] || null))
  for (const [c, name] of ['right_gaze_x_px', 'right_gaze_y_px', 'right_pupil'].entries())
    expect(eyes[name], name).toEqual(expected.map((row) => row[3 + c] || null))
  expect(Object.keys(eyes)).toHaveLength(6)
  expect(pupilUnit).toBe('diameter_au')
})

test('EyeLink: of one eye, only its columns are there; a blink loses its gaze, not its pupil', async () => {
  const lines = [
    ...start(1000, 'RIGHT'),
    'PUPIL\tAREA',
    '1000\t  100.0\t  200.0\t  900.0\t...',
    'SBLINK R 1010',
    '1010\t  101.0\t  700.0\t  300.0\t...',
    'EBLINK R 1010\t1010\t10',
    '1020\t  102.0\t  202.0\t  901.0\t...',
    end(1030),
  ]
  const { eyes, pupilUnit } = await read({ 'kim.asc': asc(lines) })
  expect(eyes).toEqual({
    right_gaze_x_px: [100, null, 102],
    right_gaze_y_px: [200, null, 202],
    right_pupil: [900, 300, 901],
  })
  expect(pupilUnit).toBe('area_au')
})

test('EyeLink: a blink is where its times say, wherever its lines stand', async () => {
  const line = (ms: number) => `${ms}\t  100.0\t  200.0\t  900.0\t  110.0\t  210.0\t  950.0\t.....`
  const samples = [2000, 2002, 2004, 2006, 2008].map(line)
  // The right eye's blink ends first; its line stands behind that of the left eye, as edf2asc writes it.
  const blinks = ['SBLINK L 2002', 'SBLINK R 2002', 'EBLINK L 2002\t2006\t6', 'EBLINK R 2002\t2004\t4']
  const setup = start(1990, 'LEFT\tRIGHT', 500)
  const expected = {
    left_gaze_x_px: [100, null, null, null, 100],
    right_gaze_x_px: [110, null, null, 110, 110],
  }
  const apart = { 'kim-events.asc': asc(setup, blinks, end(2010)), 'kim-samples.asc': `${samples.join('\n')}\n` }
  expect((await read(apart)).eyes).toMatchObject(expected)
  const late = asc(setup, samples.slice(0, 4), blinks.slice(0, 2), samples.slice(4), blinks.slice(2), end(2010))
  expect((await read({ 'kim.asc': late })).eyes).toMatchObject(expected)
})

test('EyeLink: a blink that no line ends lasts to the end of its recording, not into the next', async () => {
  const samples = (ms: number) => [ms, ms + 2, ms + 4].map((t) => `${t}\t  100.0\t  200.0\t  900.0\t...`)
  const file = asc(
    start(990, 'LEFT', 500),
    samples(1000),
    'SBLINK L 1002',
    end(1006),
    start(1990, 'LEFT', 500),
    samples(1000),
    'EBLINK L 1000\t1000\t2',
    end(2006),
  )
  const { eyes } = await read({ 'kim.asc': file })
  expect(eyes.left_gaze_x_px).toEqual([100, null, null, null, 100, 100])
})

test('EyeLink: messages that a pattern matches are events of their trial', async () => {
  const trial = (ms: number, inside: string[]) => [
    msg(ms, `TRIALID ${ms}`),
    ...recording(ms, 500, [msg(ms, 'SYNCTIME'), ...inside]),
    msg(ms + 40, 'TRIAL_RESULT 0'),
  ]
  const file = asc(
    trial(1000, [msg(1005, 'TRIGGER 12'), msg(1006, 'picture a.png')]),
    msg(1500, 'TRIGGER 99'),
    trial(2000, ['MSG\t2010.5 TRIGGER 13']),
  )
  const { events, said } = await read({ 'kim.asc': file }, { events: /^(TRIGGER) (\d+)/ })
  expect(events).toEqual(['5,TRIGGER,12', '10.5,TRIGGER,13'])
  expect(said).toContain('events outside of any test')
  const whole = await read({ 'kim.asc': file }, { events: /^TRIGGER|^picture/ })
  expect(whole.events).toEqual(['5,TRIGGER 12,', '6,picture a.png,', '10.5,TRIGGER 13,'])
  const none = await read({ 'kim.asc': file })
  expect(none.events).toEqual([])
  expect(none.said).toContain('messages that may be events')
  expect(none.said).toContain('TRIGGER 12')
})

const tsv = (header: string[], rows: (string | number)[][]) =>
  `${[header, ...rows].map((cells) => cells.join('\t')).join('\n')}\n`

const PRO_LAB = [
  ...['Recording timestamp [ms]', 'Sensor', 'Participant name', 'Recording name', 'Event', 'Event value'],
  ...['Recording resolution width', 'Recording resolution height', 'Presented Stimulus name'],
  ...['Gaze point X [DACS px]', 'Gaze point Y [DACS px]', 'Gaze point left X [DACS px]', 'Gaze point left Y [DACS px]'],
  ...['Gaze point right X [DACS px]', 'Gaze point right Y [DACS px]', 'Pupil diameter left [mm]'],
  ...['Pupil diameter right [mm]', 'Validity left', 'Validity right'],
]
const gazeRow = (ms: number, ...cells: (string | number)[]) => [
  ...[ms, 'Eye Tracker', 'P1', 'R1', '', '', 1920, 1080, 'a.png'],
  ...cells,
]
const eventRow = (ms: number, event: string, value = '', stimulus = 'a.png') => [
  ...[ms, '', 'P1', 'R1', event, value, 1920, 1080, stimulus],
  ...Array(10).fill(''),
]

test('Tobii: eyes and pupils in mm where they are valid, and events with their values', async () => {
  const file = tsv(PRO_LAB, [
    eventRow(90, 'ImageStimulusStart', 'a.png'),
    eventRow(95, 'marker', 'first'),
    gazeRow(100, 500, 400, 498, 401, 502, 399, 3.25, 3.5, 'Valid', 'Valid'),
    gazeRow(108, 501, 400, 499, 401, 503, 399, 3.26, 3.51, 'Valid', 'Invalid'),
    eventRow(110, 'KeyboardEvent', 'Space'),
    gazeRow(116, '', '', '', '', '', '', '', '', 'Invalid', 'Invalid'),
    eventRow(120, 'marker', 'late', ''),
    eventRow(121, 'ImageStimulusEnd', 'a.png'),
    eventRow(130, 'marker', 'outside', ''),
  ])
  const { eyes, events, pupilUnit, said } = await read({ 'export.tsv': file }, { events: /^(marker|KeyboardEvent)$/ })
  expect(eyes).toEqual({
    left_gaze_x_px: [498, 499, null],
    left_gaze_y_px: [401, 401, null],
    right_gaze_x_px: [502, null, null],
    right_gaze_y_px: [399, null, null],
    left_pupil: [3.25, 3.26, null],
    right_pupil: [3.5, null, null],
  })
  expect(pupilUnit).toBe('mm')
  expect(events).toEqual(['5,marker,first', '20,KeyboardEvent,Space', '30,marker,late'])
  expect(said).toContain('events outside of any test')
})

const GAZEPOINT = 'MEDIA_NAME,TIME,BPOGX,BPOGY,BPOGV,LPOGX,LPOGY,LPOGV,RPOGX,RPOGY,RPOGV'

test.each([
  ['LPMM,RPD', '3.5,18.5', { left_pupil: [3.5] }, 'mm', /pupil sizes of one eye in another unit.*: RPD/],
  ['LPMM,LPD,RPD', '3.5,17.5,18.5', { left_pupil: [17.5], right_pupil: [18.5] }, 'px', /^(?!.*another unit)/s],
  ['LPUPILD,RPMM', '0.0035,4', { left_pupil: [3.5], right_pupil: [4] }, 'mm', /^(?!.*another unit)/s],
])('Gazepoint: pupils of both eyes have one unit, with %s', async (names, sizes, pupils, unit, report) => {
  const text = `MEDIA_NAME,TIME,BPOGX,BPOGY,BPOGV,${names}\na.png,0,0.5,0.5,1,${sizes}\n`
  const { eyes, pupilUnit, said } = await read({ 'kim.csv': text }, { screen: { widthPx: 1000, heightPx: 500 } })
  expect([eyes, pupilUnit]).toEqual([pupils, unit])
  expect(said).toMatch(report)
})

test('Gazepoint: eyes in px of the screen, pupils by the best column there is, markers as events', async () => {
  const row = (s: number, more: string) => `a.png,${s},0.5,0.5,1,0.25,0.5,1,0.75,0.5,0,${more}`
  const millimetres = [
    `${GAZEPOINT},LPMM,LPMMV,RPMM,RPMMV,LPD,LPV,LEYEZ,LPUPILV,USER`,
    row(0, '3.5,1,3.75,0,20.5,1,0.625,1,'),
    row(0.02, '3.25,1,0,1,20.5,1,0.5,0,go'),
    row(0.04, '3.25,1,4,1,20.5,1,0.5,1,go'),
  ]
  const screen = { widthPx: 1000, heightPx: 800 }
  const { eyes, events, pupilUnit } = await read({ 'kim.csv': millimetres.join('\n') }, { screen, events: /./ })
  expect(eyes).toEqual({
    left_gaze_x_px: [250, 250, 250],
    left_gaze_y_px: [400, 400, 400],
    left_pupil: [3.5, 3.25, 3.25],
    right_pupil: [null, null, 4],
    left_eye_distance_mm: [625, null, 500],
  })
  expect([events, pupilUnit]).toEqual([['20,go,'], 'mm'])
  const pixels = [`${GAZEPOINT},LPD,LPV`, row(0, '20.5,1'), row(0.02, '21,0')]
  const inPx = await read({ 'kim.csv': pixels.join('\n') }, { screen })
  expect([inPx.eyes.left_pupil, inPx.pupilUnit]).toEqual([[20.5, null], 'px'])
})

test('columns of one file are not those of the next', async () => {
  const row = (s: number, more: string) => `a.png,${s},0.5,0.5,1,0.25,0.5,1,0.75,0.5,1${more}`
  const many = (more: string) => Array.from({ length: 20_000 }, (_, i) => row(i / 60, more))
  const screen = { widthPx: 1000, heightPx: 800 }
  const { eyes } = await read(
    {
      'a.csv': [`${GAZEPOINT},LPMM,LPMMV`, ...many(',3.5,1')].join('\n'),
      'b.csv': [GAZEPOINT, ...many('')].join('\n'),
    },
    { screen },
  )
  expect(eyes.left_pupil.filter((value) => value !== null)).toHaveLength(20_000)
  expect(eyes.left_pupil.slice(20_000).every((value) => value === null)).toBe(true)
})

test('Pupil: events that a pattern matches are of the item in which they lie', async () => {
  const s = 1_700_000_000
  const ns = (ms: number) => `${s}${String(ms).padStart(3, '0')}000000`
  const gaze = [
    'recording id,timestamp [ns],gaze x [px],gaze y [px]',
    ...[100, 105, 110].map((ms) => `r,${ns(ms)},5,6`),
  ]
  const events = [
    'recording id,timestamp [ns],name,type',
    ...[`r,${ns(100)},face.begin,recording`, `r,${ns(107)},beep 4,recording`, `r,${ns(120)},face.end,recording`],
  ]
  const files = { 'r/gaze.csv': gaze.join('\n'), 'r/events.csv': events.join('\n') }
  const found = await read(files, { events: /^(beep) (\d)/ })
  expect(found.events).toEqual(['7,beep,4'])
  expect((await read(files)).said).toContain('messages that may be events')
})

test('Pupil: pupil sizes in mm come from 3d_eye_states.csv, at the times of gaze', async () => {
  const ns = (ms: number) => `1700000000${String(ms).padStart(3, '0')}000001`
  const gaze = ['recording id,timestamp [ns],gaze x [px],gaze y [px],worn,blink id']
  gaze.push(`r,${ns(100)},5,6,True,`, `r,${ns(105)},5,6,True,1`, `r,${ns(110)},5,6,False,`, `r,${ns(115)},5,6,True,`)
  const header = 'recording id,timestamp [ns],pupil diameter left [mm],pupil diameter right [mm],optical axis left x'
  const states = [
    header,
    `r,${ns(98)},9,9,0`,
    `r,${ns(100)},3.25,3.5,0`,
    `r,${ns(105)},3.26,,0`,
    `r,${ns(110)},3.3,3.6,0`,
  ]
  const files = { 'r/gaze.csv': gaze.join('\n'), 'r/3d_eye_states.csv': states.join('\n') }
  const found = await read(files)
  expect(found.eyes).toEqual({ left_pupil: [3.25, 3.26, null, null], right_pupil: [3.5, null, null, null] })
  expect(found.pupilUnit).toBe('mm')
  expect(found.said).toContain('pupil sizes at times without gaze of an item')
  expect((await read({ 'r/gaze.csv': gaze.join('\n') })).eyes).toEqual({})
})

test('jsPsych: a response is an event of its trial', async () => {
  const trial = (rt: unknown, response: unknown, i: number) => ({
    ...{ trial_index: i, subject_id: 'k', stimulus: 'a.png', innerWidth: 1000, innerHeight: 800, rt, response },
    webgazer_data: [{ x: 1, y: 2, t: 3 }],
  })
  const trials = [trial(512.5, 'f', 0), trial(null, null, 1), trial(800, { q: 2 }, 2)]
  const files = { 'a.json': JSON.stringify(trials) }
  expect((await read(files, { events: /^response$/ })).events).toEqual(['512.5,response,f', '800,response,"{""q"":2}"'])
  expect((await read(files)).said).toContain('\\"response\\" (2 ×)')
})

test('a mapping names eyes, pupils and distances', async () => {
  const header = 'who,image,ms,lx,ly,rx,ry,lp,rp,ld'
  const rows = ['k,a,0,0.25,0.5,0.75,0.5,3.5,4,600', 'k,a,10,-1,-1,0.5,0.25,0,9999,610', 'k,a,20,0.5,0.5,-1,-1,3.25,3,']
  const mapping = {
    ...{ gazetteMapping: 1, participant: 'who', item: 'image', trial: null, missing: ['-1', '9999'] },
    time: { column: 'ms', unit: 'ms', origin: 'item' },
    gaze: [
      { x: 'lx', y: 'ly', unit: 'fraction', eye: 'left' },
      { x: 'rx', y: 'ry', unit: 'fraction', eye: 'right' },
    ],
    pupils: { left: 'lp', right: 'rp', unit: 'mm' },
    eyeDistanceMm: { left: 'ld', right: null },
    screen: { widthPx: 1000, heightPx: 800 },
  }
  const { eyes, pupilUnit } = await read({ 'table.csv': [header, ...rows].join('\n') }, { mapping })
  expect(eyes).toEqual({
    left_gaze_x_px: [250, null, 500],
    left_gaze_y_px: [400, null, 400],
    right_gaze_x_px: [750, 500, null],
    right_gaze_y_px: [400, 200, null],
    left_pupil: [3.5, null, 3.25],
    right_pupil: [4, null, 3],
    left_eye_distance_mm: [600, 610, null],
  })
  expect(pupilUnit).toBe('mm')
})

const BASE = { gazetteMapping: 1, participant: 'who', item: 'image', trial: null }
const SCREEN = { widthPx: 1000, heightPx: 800 }

test('a mapping names gaze of both eyes together and of each: the first is the recorded gaze', async () => {
  const gaze = [
    { x: 'x', y: 'y' },
    { x: 'lx', y: 'ly', eye: 'left' },
    { x: 'rx', y: 'ry', eye: 'right' },
  ]
  const mapping = {
    ...{ ...BASE, time: { column: 'ms', unit: 'ms', origin: 'item' }, screen: SCREEN },
    gaze: gaze.map((one) => ({ ...one, unit: 'px' })),
  }
  const rows = ['who,image,ms,x,y,lx,ly,rx,ry', 'k,a,0,11,21,10,20,14,24', 'k,a,10,,,10,20,,', 'k,a,20,12,22,,,,']
  const files = [writeFiles({ 'table.csv': rows.join('\n') })]
  const { looks } = await convertAndRead(files, { mapping })
  expect(looks[0].samples).toEqual([
    [0, 11, 21],
    [10, null, null],
    [20, 12, 22],
  ])
  const { eyes } = await read({ 'table.csv': rows.join('\n') }, { mapping })
  expect(eyes).toMatchObject({ left_gaze_x_px: [10, 10, null], right_gaze_y_px: [24, null, null] })
  const twice = { ...mapping, gaze: mapping.gaze.map((one) => ({ ...one, eye: 'left' })) }
  await expect(read({ 'table.csv': rows.join('\n') }, { mapping: twice })).rejects.toThrow('must name each eye once')
})

test('messages of a table are events: in rows that are no samples, of the test that they name or that goes on', async () => {
  const mapping = {
    ...{ ...BASE, events: 'text', rows: { column: 'type', values: ['S'] }, screen: SCREEN },
    ...{ time: { column: 'ms', unit: 'ms', origin: 'first' }, gaze: [{ x: 'x', y: 'y', unit: 'px' }] },
  }
  const rows = [
    'type,who,image,ms,x,y,text',
    'M,,,90,,,TRIG 0',
    'M,k,a,98,,,TRIG 1',
    'S,k,a,100,1,2,ignored here',
    'M,,,105,,,TRIG 2',
    'S,k,a,110,1,2,',
    'M,k,b,198,,,TRIG 3',
    'S,k,b,200,1,2,',
    'M,k,c,300,,,TRIG 4',
    'M,,,x,,,TRIG 5',
  ]
  const files = { 'table.csv': `${rows.join('\n')}\n` }
  const { events, said } = await read(files, { mapping, events: /^(TRIG) (\d)/ })
  expect(events).toEqual(['-2,TRIG,1', '5,TRIG,2', '-2,TRIG,3'])
  expect(JSON.parse(said).left).toContainEqual(
    expect.objectContaining({ what: 'events outside of any test; the first is TRIG', count: 2 }),
  )
  expect((await read(files, { mapping })).said).toContain('messages that may be events')
})

test('messages of a table whose rows are all samples are events where they change', async () => {
  const mapping = {
    ...{ ...BASE, events: 'code', screen: SCREEN },
    ...{ time: { column: 'ms', unit: 'ms', origin: 'first' }, gaze: [{ x: 'x', y: 'y', unit: 'px' }] },
  }
  const codes = ['', '7', '7', '', '7', '8', 'NA']
  const rows = codes.map((code, i) => `k,a,${i * 10},1,2,${code}`)
  const { events } = await read({ 't.csv': `who,image,ms,x,y,code\n${rows.join('\n')}\n` }, { mapping, events: /./ })
  expect(events).toEqual(['10,7,', '40,7,', '50,8,'])
})
