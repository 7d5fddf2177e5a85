import { afterEach, describe, expect, test } from 'vitest'
import { guessMapping } from '../../../engine/recordings/any-table/guess-mapping.ts'
import { parseMapping } from '../../../engine/recordings/reader/mapping.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

type Cells = (string | number)[]

/** A table with a header and `n` rows. */
const table = (header: string, n: number, row: (i: number) => Cells) =>
  `${[header, ...Array.from({ length: n }, (_, i) => row(i).join(','))].join('\n')}\n`

async function guess(text: string) {
  const [file] = await findSourceFiles([writeFiles({ 'a.csv': text })])
  return guessMapping(file)
}

/** Reads a table with its guessed mapping, for a screen of 1000 × 500 px. */
async function readGuessed(text: string) {
  const directory = writeFiles({ 'a.csv': text })
  const mapping = await guess(text)
  const { tests, samples, conversion } = await convertAndRead([directory], {
    mapping,
    screen: { widthPx: 1000, heightPx: 500 },
  })
  return { mapping, conversion, tests: tests.map(({ test_id }) => samples.get(test_id) ?? []) }
}

describe('the clock is the column that tells rows apart', () => {
  const clocks: Record<string, (i: number) => Cells> = {
    'timestamp_s,TETTime,x,y': (i) => [1000 + Math.floor((i * 16) / 1000), 1e12 + i * 16, 500, 300],
    'time,rt_time,x,y': (i) => [Math.floor((i * 16) / 1000), i * 16, 500, 300],
    'TimestampSec,TimestampMicrosec,sample_time,x,y': (i) => [
      Math.floor((i * 16) / 1000),
      (i * 16_000) % 1e6,
      i * 16,
      500,
      300,
    ],
    'time_s,time_ms,x,y': (i) => [5 + Math.floor((i * 16) / 1000), 5000 + i * 16, 500, 300],
    'timestamp,time_ms,x,y': (i) => [`10:00:${String(i % 60).padStart(2, '0')}`, i * 16, 500, 300],
  }
  test.each([
    ['not whole seconds', 'timestamp_s,TETTime,x,y', 'TETTime'],
    ['not whole seconds of the likeliest name', 'time,rt_time,x,y', 'rt_time'],
    ['nor the rest of a second', 'TimestampSec,TimestampMicrosec,sample_time,x,y', 'sample_time'],
    ['but ms of the same clock, since they go beyond a second', 'time_s,time_ms,x,y', 'time_ms'],
    ['nor a time of day', 'timestamp,time_ms,x,y', 'time_ms'],
  ])('%s', async (_, header, column) => {
    expect((await guess(table(header, 200, clocks[header]))).time).toMatchObject({ column, unit: 'ms' })
  })
  test('or the likeliest of those that tell as many apart', async () => {
    const text = table('recording_time,time,x,y', 100, (i) => [5000 + i * 4, i * 4, 500, 300])
    expect((await guess(text)).time.column).toBe('time')
  })
  test('or, where no name tells, the one whose steps are even', async () => {
    const late = (i: number) => (i % 8 === 1 ? 14 : 0)
    const text = table('a,b,x,y', 200, (i) => [1000 + i * 16 + late(i), i * 16, 500, 300])
    expect((await guess(text)).time.column).toBe('b')
  })
  test('where all are whole seconds, that is said', async () => {
    const { notes } = await guess(
      table('TimestampSec,TimestampMicrosec,x,y', 100, (i) => [i >> 6, (i * 16000) % 1e6, 1, 2]),
    )
    expect(notes.join()).toMatch(/TimestampSec is the same in most rows as in the row before/)
  })
})

describe('other values than gaze on a screen', () => {
  test.each([
    'time,helmet_pos_x,helmet_pos_y',
    'time,gaze_x,gaze_y,gaze_z',
    'time,GazeDirX,GazeDirY,GazeDirZ',
    'time,hit_point_x,hit_point_y',
    'time,x,y,z',
    'time,head_rot_x,head_rot_y,camera_x,camera_y',
  ])('is not proposed: %s', async (header) => {
    const width = header.split(',').length
    const mapping = await guess(table(header, 50, (i) => Array.from({ length: width }, (_, k) => i + k / 10)))
    expect(mapping.gaze).toEqual([{ x: '?', y: '?', unit: 'px', valid: null }])
    expect(mapping.notes.join()).toMatch(
      /no columns look like x and y of gaze,.* and their y (are taken to be|have a z)/,
    )
    expect(() => parseMapping(JSON.stringify(mapping), 'm.json')).not.toThrow()
  })
  test('goes behind what is one, and is named where there is none', async () => {
    const both = await guess(
      table('time,gaze_x,gaze_y,gaze_z,screen_gaze_x,screen_gaze_y', 50, (i) => [i, 1, 2, 3, i, 5]),
    )
    expect(both.gaze[0].x).toBe('screen_gaze_x')
    const none = await guess(table('time,gaze_x,gaze_y,gaze_z', 50, (i) => [i, 1, 2, 3]))
    expect(none.notes.join()).toMatch(/gaze_x and their y have a z beside them: .* no gaze on a screen/)
  })
  test('a surface is one', async () => {
    const text = table('time,gaze position on surface x,gaze position on surface y', 50, (i) => [i, 0.5, 0.25])
    expect((await guess(text)).gaze[0]).toMatchObject({ x: 'gaze position on surface x', unit: 'fraction' })
  })
})

describe('codes for lost gaze', () => {
  const HEADER = 'time,left_x,left_y,right_x,right_y'
  test.each<[string, Cells, Cells]>([
    ['(0, 0) of the second eye alone', [800, 400], [0, 0]],
    ['(0, 0) of the first eye alone', [0, 0], [800, 400]],
    ['(-1280, -1024) of one eye', [800, 400], [-1280, -1024]],
    ['(-9999, -9999) of one eye', [-9999, -9999], [800, 400]],
    ['(65535, 65535) of one eye', [800, 400], [65535, 65535]],
  ])('are found: %s', async (_, left, right) => {
    const { tests } = await readGuessed(
      table(HEADER, 60, (i) => [i * 4, ...(i % 3 ? [800, 400, 800, 400] : [...left, ...right])]),
    )
    expect(tests[0].map(({ x, y }) => [x, y])).toEqual(Array(60).fill([800, 400]))
  })
  test('a code may stand in one axis alone', async () => {
    const at = (cell: (i: number) => Cells) => table('time,x,y', 100, (i) => [i * 16, ...cell(i)])
    const { mapping, tests } = await readGuessed(at((i) => (i % 10 ? [400 + i, 300] : [-1, 300])))
    expect(mapping.missing).toEqual(['-1'])
    expect(mapping.notes).toContain('-1 (10 of 100 rows) in x alone is taken to be lost gaze')
    expect(tests[0].filter(({ x }) => x === null)).toHaveLength(10)
    expect((await guess(at((i) => [400 + i, i % 50 ? 300 : -9999]))).missing).toEqual(['-9999'])
  })
  test('but -1 is no code where gaze passes the edge of the screen', async () => {
    const { missing } = await guess(table('time,x,y', 100, (i) => [i * 16, i < 30 ? 400 + i : 3 - (i % 8), 300]))
    expect(missing).toEqual([])
  })
  test('ClearView writes (-width, -height), for both', async () => {
    const { tests, mapping } = await readGuessed(
      table('time,x,y', 60, (i) => [i * 16, ...(i % 10 ? [400 + i, 300] : [-1280, -1024])]),
    )
    expect(mapping.missing).toEqual(['-1280', '-1024'])
    expect(tests[0].filter(({ x }) => x === null)).toHaveLength(6)
  })
  test('are not where gaze only leaves the screen at the upper left', async () => {
    const text = table('time,x,y', 200, (i) => [i * 16, ...(i % 10 ? [400, 300] : [-(i % 7) - 3, -(i % 11) - 2])])
    expect((await guess(text)).missing).toEqual([])
  })
  test('too far away for any screen are lost without a mapping that says so, and are said', async () => {
    const text = table('time,x,y', 50, (i) => [i * 16, ...(i < 20 ? [1e8, 1e8] : [400, 300])])
    const mapping = { ...(await guess(text)), missing: [], mouse: null }
    const screen = { widthPx: 1000, heightPx: 500 }
    const { conversion, looks } = await convertAndRead([writeFiles({ 'a.csv': text })], { mapping, screen })
    expect(looks[0].samples.filter(([, x]) => x === null)).toHaveLength(20)
    expect(conversion.doubts.join()).toMatch(
      /40 coordinates lie more than 10,000,000 px away, the first at 100000000 px/,
    )
  })
})

describe('the mouse', () => {
  const HEADER = 'time,gaze_x,gaze_y,mouse_x,mouse_y'
  test.each<[string, Cells, Cells, (number | null)[]]>([
    ['in px beside gaze in fractions', [0.5, 0.25], [800, 400], [800, 400]],
    ['in fractions beside gaze in px', [500, 125], [0.8, 0.5], [800, 250]],
    ['in fractions beside gaze in fractions', [0.5, 0.25], [0.75, 0.5], [750, 250]],
  ])('has a unit of its own: %s', async (_, gaze, mouse, expected) => {
    const { tests } = await readGuessed(
      table(HEADER, 40, (i) => [i * 16, ...gaze.map((v) => Number(v) + (i % 2) / 1000), ...mouse]),
    )
    expect(tests[0][0].mouse).toEqual(expected)
  })
  test('is nowhere where both of its numbers are a code', async () => {
    const { tests } = await readGuessed(
      table(HEADER, 40, (i) => [i * 16, ...(i < 5 ? [-1, -1, -1, -1] : [500, 300, i === 7 ? -1 : 10, 20])]),
    )
    expect(tests[0].slice(0, 8).map(({ mouse }) => mouse)).toEqual([
      ...Array(5).fill([null, null]),
      [10, 20],
      [10, 20],
      [-1, 20],
    ])
  })
  test('is nowhere by a code of its own', async () => {
    const { tests, mapping } = await readGuessed(
      table(HEADER, 40, (i) => [i * 16, 0.5, 0.25, ...(i % 10 ? [800, 400] : [-1, -1])]),
    )
    expect(mapping.notes.join()).toMatch(/-1 in both x and y is taken to be a mouse that is nowhere/)
    expect(tests[0].slice(0, 2).map(({ mouse }) => mouse)).toEqual([
      [null, null],
      [800, 400],
    ])
  })
  test('is left, and said, where it counts from another place than gaze', async () => {
    const spread = (i: number) => (i * 7919) % 500
    const text = table(HEADER, 200, (i) => [i * 16, spread(i) - 250, spread(i * 31) - 250, spread(i), spread(i * 7)])
    const { mouse, notes } = await guess(text)
    expect(mouse).toBeNull()
    expect(notes.join()).toMatch(/mouse positions, such as mouse_x, are not taken, since they count from another/)
  })
})

describe('percent of the screen', () => {
  test.each(['x_percent,y_percent', 'x [%],y [%]', 'GazeXPct,GazeYPct'])('are told by the name: %s', async (names) => {
    const { tests, mapping } = await readGuessed(table(`time,${names}`, 40, (i) => [i * 16, 50.5, 40 + i / 100]))
    expect(mapping.gaze[0].unit).toBe('percent')
    expect(tests[0][0]).toMatchObject({ x: 505, y: 200 })
  })
  test('that look like fractions are asked for', async () => {
    const mapping = await guess(table('time,x_percent,y_percent', 40, (i) => [i * 16, 0.505, 0.4]))
    expect(mapping.gaze[0].unit).toBe('?')
    expect(mapping.notes.join()).toMatch(/x_percent is called percent and looks like fractions/)
  })
})

describe("Tobii's validity", () => {
  test.each([
    [
      [0, 1, 2, 3, 4],
      ['0', '1'],
    ],
    [
      [0, 4],
      ['0', '1'],
    ],
    [
      [0, 2],
      ['0', '1'],
    ],
  ])('of %j takes 0 and 1 alone', async (codes, values) => {
    const text = table('time,left_x,left_y,ValidityLeft', 100, (i) => {
      const code = i % 10 < codes.length ? codes[i % 10] : 0
      return [i * 16, ...(code === 4 ? ['', ''] : [500, 300]), code]
    })
    expect((await guess(text)).gaze[0].valid).toEqual({ column: 'ValidityLeft', values })
  })
  test('of 0 and 1 is what comes with gaze', async () => {
    const text = table('time,x,y,validity', 100, (i) => [i * 16, ...(i % 5 ? [500, 300, 1] : ['', '', 0])])
    expect((await guess(text)).gaze[0].valid).toEqual({ column: 'validity', values: ['1'] })
  })
})

describe('a participant', () => {
  test.each(['USER', 'participant', 'Subject ID'])(
    'is not named by a column that is mostly empty: %s',
    async (name) => {
      const text = table(`${name},time,x,y`, 60, (i) => [i % 20 ? '' : `marker ${i}`, i * 16, 500, 300])
      expect((await guess(text)).participant).toBeNull()
    },
  )
  test('is named where most rows are of nobody, in one run after the other', async () => {
    const text = table('subject,time,x,y', 90, (i) => [i < 60 ? '' : 'kim', i * 16, 500, 300])
    expect((await guess(text)).participant).toBe('subject')
  })
  test('is not named by the markers of the Open Gaze API, also where these last', async () => {
    const text = table('TIME_TICK,BPOGX,BPOGY,USER', 90, (i) => [i * 16, 0.5, 0.25, `trial ${i >> 5}`])
    expect((await guess(text)).participant).toBeNull()
  })
  test('is named by the next column that is filled', async () => {
    const text = table('user,time,x,y,subject', 60, (i) => [i ? 'NA' : 'start', i * 16, 500, 300, 'kim'])
    expect((await guess(text)).participant).toBe('subject')
  })
})

test.each<[string, string, string]>([
  ['best', 'TIME_TICK,FPOGX,FPOGY,FPOGV,BPOGX,BPOGY,BPOGV', 'BPOG'],
  ['left', 'TIME_TICK,FPOGX,FPOGY,FPOGV,LPOGX,LPOGY,LPOGV', 'LPOG'],
  ['only', 'TIME_TICK,FPOGX,FPOGY,FPOGV', 'FPOG'],
])("of the Open Gaze API, the %s gaze goes before the fixation's, where it is valid", async (_, header, name) => {
  const points = (header.split(',').length - 1) / 3
  const text = table(header, 60, (i) => [
    i * 16,
    ...Array(points)
      .fill([0.5, 0.25, i % 6 ? 1 : 0])
      .flat(),
  ])
  const { tests, mapping } = await readGuessed(text)
  expect(mapping.gaze).toMatchObject([{ x: `${name}X`, valid: { column: `${name}V`, values: ['1'] } }])
  expect(tests[0].filter(({ x }) => x === null)).toHaveLength(10)
})

describe('rows of each eye', () => {
  const HEADER = 'subject,eye,time,x,y'
  test.each<[string, (i: number) => Cells]>([
    ['that alternate', (i) => ['kim', i % 2 ? 'R' : 'L', (i >> 1) * 4, i % 2 ? 510 : 500, 300]],
    ['one eye after the other', (i) => ['kim', i < 50 ? 'L' : 'R', (i % 50) * 4, i < 50 ? 500 : 510, 300]],
    ['of several people', (i) => [i < 50 ? 'kim' : 'ann', i % 2 ? 'R' : 'L', (i >> 1) * 4, i % 2 ? 510 : 500, 300]],
  ])('are taken of one eye, which is said: %s', async (_, row) => {
    const { tests, mapping } = await readGuessed(table(HEADER, 100, row))
    expect(mapping.rows).toEqual({ column: 'eye', values: ['L'] })
    expect(mapping.notes.join()).toMatch(/each eye has rows of its own, as eye says \(L, R\)/)
    expect(tests.flat().map(({ x }) => x)).toEqual(Array(50).fill(500))
  })
  test('are all taken where each person has one', async () => {
    const text = table(HEADER, 100, (i) => [i < 50 ? 'kim' : 'ann', i < 50 ? 'L' : 'R', (i % 50) * 4, 500, 300])
    expect((await guess(text)).rows).toBeNull()
  })
  test('are all taken where only two of five people have both', async () => {
    const eye = (i: number) => (i < 40 && i % 2 ? 'R' : 'L')
    const text = table(HEADER, 100, (i) => [
      `p${Math.floor(i / 20)}`,
      eye(i),
      ((i % 20) >> (i < 40 ? 1 : 0)) * 4,
      500,
      300,
    ])
    expect((await guess(text)).rows).toBeNull()
  })
})

test('a column called valid tells which gaze is if it holds 1 and 0, and not with 1 and 2', async () => {
  const validOf = async (other: number) =>
    (await guess(table('time,x,y,valid', 90, (i) => [i * 16, 500, 300, i % 3 ? 1 : other]))).gaze[0].valid
  expect(await validOf(0)).toEqual({ column: 'valid', values: ['1'] })
  expect(await validOf(2)).toBeNull()
})

describe('a column that is true where gaze is lost', () => {
  const table40 = (name: string, yes: string, no: string) =>
    table(`time,x,y,${name}`, 120, (i) => [
      i * 16,
      ...(i % 10 < 3 ? [400, 300] : [400 + i, 300]),
      i % 10 < 3 ? yes : no,
    ])
  test.each([
    ['is_blink', 'True', 'False'],
    ['blink', '1', '0'],
    ['invalid', 'yes', 'no'],
    ['missing', '1.0', '0.0'],
  ])('%s is valid where it is not %s', async (name, yes, no) => {
    expect((await guess(table40(name, yes, no))).gaze[0].valid).toEqual({ column: name, values: [no] })
  })
  test('but where it is called valid, yes is', async () => {
    expect((await guess(table40('valid', 'False', 'True'))).gaze[0].valid).toEqual({
      column: 'valid',
      values: ['True'],
    })
  })
})

describe('names that say a unit that values do not have', () => {
  const at = (header: string, scale: number, below: string[] = []) =>
    table(header, 200, (i) => [
      i * 16,
      (100 + (((i >> 4) * 370) % 1500)) * scale,
      (100 + (((i >> 4) * 230) % 800)) * scale,
    ]).replace('\n', below.length > 0 ? `\n${below.join()}\n` : '\n')
  test('shares of the screen that reach hundreds', async () => {
    const { gaze, notes } = await guess(at('time,gaze_x_norm,gaze_y_norm', 0.5))
    expect(gaze[0].unit).toBe('?')
    expect(notes.join()).toMatch(/gaze_x_norm is called a share of the screen, and reaches \d+: say its unit/)
    expect((await guess(at('time,gaze_x_norm,gaze_y_norm', 0.0005))).gaze[0].unit).toBe('fraction')
  })
  test('a row of units below the header', async () => {
    expect((await guess(at('time,gaze_x,gaze_y', 0.25, ['[ms]', '[mm]', '[mm]']))).gaze[0].unit).toBe('?')
    expect((await guess(at('time,gaze_x,gaze_y', 1, ['ms', 'px', 'px']))).gaze[0].unit).toBe('px')
  })
})

test('recorded gaze is taken before smoothed gaze', async () => {
  const place = (i: number) => [100 + (((i >> 4) * 370) % 1500), 100 + (((i >> 4) * 230) % 800)]
  const text = table('time,smoothed_x,smoothed_y,raw_x,raw_y', 300, (i) => [i * 16, ...place(i), ...place(i)])
  expect((await guess(text)).gaze).toMatchObject([{ x: 'raw_x', y: 'raw_y' }])
})

test('positions hold numbers also where no column is a time', async () => {
  const { notes } = await guess(table('time,x,y', 100, (i) => [`10:00:00:${i}`, 400 + i, 300 + i]))
  expect(notes.join()).toMatch(/time holds "10:00:00:0", which is no number/)
  expect(notes.join()).not.toMatch(/hold no numbers/)
})

describe('the item is the column that holds names of pictures', () => {
  const rows = (header: string, ...names: ((trial: number) => string | number)[]) =>
    table(`time,x,y,${header}`, 120, (i) => [(i % 40) * 16, 400 + i, 300, ...names.map((name) => name((i / 40) | 0))])
  const picture = (trial: number) => `img/${3 - trial}.png`
  test('rather than one that is only called so', async () => {
    expect((await guess(rows('item,image', (trial) => trial, picture))).item).toBe('image')
    expect(
      (
        await guess(
          rows(
            'item,note',
            (trial) => trial,
            () => 'a',
          ),
        )
      ).item,
    ).toBe('item')
  })
  test('whatever it is called', async () => {
    const mapping = await guess(rows('TrialSequence,TrialName', (trial) => trial, picture))
    expect(mapping).toMatchObject({ item: 'TrialName', trial: 'TrialSequence' })
    expect(mapping.notes).toContain('TrialName holds names of pictures: it is taken to name the item')
  })
  test('but where no name is known, values tell participants apart first', async () => {
    const text = table('osoba,obraz,czas,spojrzenie_x,spojrzenie_y', 480, (i) => [
      ...[`p${1 + ((i / 240) | 0)}`, `${((i / 80) | 0) % 3}.png`, (i % 80) * 16],
      ...[400 + (((i >> 4) * 370) % 900), 300 + (((i >> 4) * 230) % 500)],
    ])
    expect(await guess(text)).toMatchObject({ participant: 'osoba', item: 'obraz' })
  })
  test('but not one of two, or one with a name for each row', async () => {
    const two = rows(
      'trial,first,second',
      (trial) => trial,
      picture,
      (trial) => `${trial}.jpg`,
    )
    expect(await guess(two)).toMatchObject({ item: 'trial', trial: null })
    const frames = table('who,time,x,y,frame', 120, (i) => ['kim', i * 16, 400 + i, 300, `${i}.png`])
    expect((await guess(frames)).item).toBe(null)
  })
})

test('a table whose lines end with carriage returns alone is named', async () => {
  await expect(guess('time,x,y\r0,1,2\r16,1,2\r')).rejects.toThrow(
    /a.csv has carriage returns \(CR\) alone as line ends/,
  )
})
