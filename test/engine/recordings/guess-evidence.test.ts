import { afterEach, describe, expect, test } from 'vitest'
import { type GuessedMapping, guessMapping } from '../../../engine/recordings/any-table/guess-mapping.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { PLANS } from './made/plans.ts'
import { makeRecording, type Plan, tableOf } from './made/recording-maker.ts'

afterEach(cleanUp)

type Cells = (string | number)[]
const table = (header: string, n: number, row: (i: number) => Cells) =>
  `${[header, ...Array.from({ length: n }, (_, i) => row(i).join(','))].join('\n')}\n`

async function guess(text: string, others: Record<string, string> = {}): Promise<GuessedMapping> {
  const files = await findSourceFiles([writeFiles({ 'a.csv': text, ...others })])
  return guessMapping(files[0], files)
}

/** Guesses a made recording of one person, whose columns have the names that are given for what they hold. */
async function guessMade(change: Partial<Plan>, names: Record<string, string>): Promise<GuessedMapping> {
  const plan = { ...PLANS[0], people: ['kim'], items: ['a.png', 'b.png'], ...change }
  const { columns } = makeRecording(plan, 3)
  return guess(tableOf(columns, ({ role }) => names[role] ?? role.replace(' ', '_')))
}

const gazeOf = ({ gaze }: GuessedMapping) => gaze.map(({ x, y }) => `${x} ${y}`)

describe('movements decide what is gaze, before names', () => {
  const EYES = { 'eye x': 'x', 'eye y': 'y' }
  test.each<[string, Partial<Plan>, Record<string, string>, RegExp]>([
    [
      'not a target with a better name',
      { beside: ['target'] },
      { 'target x': 'gaze_px_x', 'target y': 'gaze_px_y', ...EYES },
      /gaze_px_x, gaze_px_y keep still and jump, as a target does: not taken for gaze/,
    ],
    [
      'not a mouse',
      { beside: ['mouse'] },
      { 'mouse x': 'pos_px_x', 'mouse y': 'pos_px_y', ...EYES },
      /pos_px_x, pos_px_y keep still for long and move between, as a mouse does/,
    ],
    [
      'not a head',
      { beside: ['head'] },
      { 'head x': 'gaze_x', 'head y': 'gaze_y', ...EYES },
      /gaze_x, gaze_y move without saccades, as a head does/,
    ],
    [
      'not a pupil in the picture of a camera',
      { beside: ['raw'] },
      { 'raw x': 'gaze_x', 'raw y': 'gaze_y', ...EYES },
      /gaze_x, gaze_y lie on no screen/,
    ],
  ])('%s', async (_, change, names, said) => {
    const mapping = await guessMade(change, names)
    expect(gazeOf(mapping)).toEqual(['x y'])
    expect(mapping.notes.slice(0, 3).join('\n')).toMatch(said)
    expect(mapping.notes[0]).toMatch(/^x, y are gaze: [\d.]+ fixations a second$/)
  })

  test('how the eyes agree is said', async () => {
    const both = await guessMade({ eyes: 'both', unit: 'fraction' }, {})
    expect(both.notes[0]).toMatch(
      /^left_x, left_y and right_x, right_y are gaze: 100 % on the screen, [\d.]+ fixations a second, the eyes agree to [\d.]+ %$/,
    )
  })

  test('what moves as gaze does under the name of something else is named, and not taken', async () => {
    const mapping = await guessMade({}, { 'eye x': 'head_x', 'eye y': 'head_y' })
    expect(gazeOf(mapping)).toEqual(['? ?'])
    expect(mapping.notes).toContain('head_x, head_y move as gaze does: name them if they are gaze')
  })
})

describe('each eye has its columns, whatever their spelling', () => {
  test.each([
    ['xL,yL,xR,yR', ['xL yL left', 'xR yR right']],
    ['LPOGX,LPOGY,RPOGX,RPOGY', ['LPOGX LPOGY left', 'RPOGX RPOGY right']],
    [
      'LGazePos2dx,LGazePos2dy,RGazePos2dx,RGazePos2dy',
      ['LGazePos2dx LGazePos2dy left', 'RGazePos2dx RGazePos2dy right'],
    ],
    [
      'Blick X links,Blick Y links,Blick X rechts,Blick Y rechts',
      ['Blick X links Blick Y links left', 'Blick X rechts Blick Y rechts right'],
    ],
    ['左眼X,左眼Y,右眼X,右眼Y', ['左眼X 左眼Y left', '右眼X 右眼Y right']],
  ])('%s', async (header, expected) => {
    const { gaze } = await guess(table(`time,${header}`, 30, (i) => [i * 4, 500 + i, 300, 510 + i, 305]))
    expect(gaze.map(({ x, y, eye }) => `${x} ${y} ${eye}`)).toEqual(expected)
  })
  test('and its validity and pupil', async () => {
    const header = 'Time,LGazePos2dx,LGazePos2dy,L Diam [mm],LValidity,RGazePos2dx,RGazePos2dy,R Diam [mm],RValidity'
    const mapping = await guess(
      table(header, 60, (i) => [i * 4, ...(i < 30 ? [-1, -1, -1, 4] : [0.4, 0.5, 3.1, 0]), 0.5 + i / 999, 0.5, 3.2, 0]),
    )
    expect(mapping.gaze.map(({ valid }) => valid)).toEqual([{ column: 'LValidity', values: ['0', '1'] }, null])
    expect(mapping.pupils).toEqual({ left: 'L Diam [mm]', right: 'R Diam [mm]', unit: 'mm' })
  })
})

describe('names of other fields and languages break ties as English ones do', () => {
  test.each([
    ['of reading', 'reader,passage,trial,time,gaze x,gaze y'],
    ['German', 'Versuchsperson,Bild,Durchgang,Zeit,Blick X,Blick Y'],
    ['French', 'Sujet,Image,Essai,Temps,Regard X,Regard Y'],
    ['Spanish', 'Participante,Estímulo,Ensayo,Tiempo,Mirada X,Mirada Y'],
    ['Portuguese', 'Sujeito,Imagem,Tentativa,Tempo,Olhar X,Olhar Y'],
    ['Dutch', 'Proefpersoon,Afbeelding,Trial,Tijd,Blik X,Blik Y'],
    ['Chinese', '被试,图片,试次,时间,注视X,注视Y'],
    ['Japanese', '被験者,画像,試行,時間,視線X,視線Y'],
  ])('%s', async (_, header) => {
    const [participant, item, trial, time, x, y] = header.split(',')
    const mapping = await guess(table(header, 30, (i) => ['kim', 'a.png', 1, i * 4, 500 + i, 300]))
    expect(mapping).toMatchObject({ participant, item, trial, time: { column: time }, gaze: [{ x, y }] })
  })
})

describe('a time is told by its steps', () => {
  test.each([
    ['time_ms', (i: number) => (i / 60).toFixed(4), 's'],
    ['Zeit', (i: number) => (i / 250).toFixed(3), 's'],
    ['time_s', (i: number) => String(5000 + i * 4), 'ms'],
    ['t', (i: number) => String(16_667 * i), 'us'],
  ])('%s', async (name, time, unit) => {
    expect((await guess(table(`${name},x,y`, 40, (i) => [time(i), 500 + i, 300]))).time.unit).toBe(unit)
  })
  test('also where no name says that it is one, but not a number of rows', async () => {
    const mapping = await guess(table('a,b,x,y', 40, (i) => [i, 8000 + i * 4, 500 + i, 300]))
    expect(mapping.time).toEqual({ column: 'b', unit: 'ms', origin: 'first' })
    expect(mapping.notes).toContain('b advances as a clock does: it is taken to be the time')
    const counted = await guess(table('a,x,y', 40, (i) => [i, 500 + i, 300]))
    expect(counted.time.column).toBe('?')
  })
  test('that begins anew in each test counts from the onset', async () => {
    const row = (i: number): Cells => [i >> 5, 9000 + i * 16, (i % 32) * 16 - 192, 500 + i, 300]
    const mapping = await guess(table('trial,timestamp,trial_time,x,y', 128, row))
    expect(mapping.time).toEqual({ column: 'trial_time', unit: 'ms', origin: 'item' })
    expect(mapping.notes.join()).toMatch(/trial_time begins near 0 in each test: it counts from the onset/)
  })
  test.each([
    ['2024-03-01 10:00:00.', (i: number) => String(i * 4000).padStart(6, '0')],
    ['2024-03-01T10:00:00,', (i: number) => String(i * 4).padStart(3, '0')],
    ['10:00:00.', (i: number) => String(i * 4).padStart(3, '0')],
  ])('and may be a date with a time, or a time of day: %s', async (start, rest) => {
    const text = table('timestamp;x;y', 40, (i) => [`${start}${rest(i)};${500 + i};300`])
    const mapping = await guess(text)
    expect(mapping.time).toEqual({ column: 'timestamp', unit: 'iso', origin: 'first' })
    const { looks } = await convertAndRead([writeFiles({ 'a.csv': text })], {
      mapping,
      screen: { widthPx: 1000, heightPx: 500 },
      isImported: false,
    })
    expect(looks[0].samples.slice(0, 3).map(([t]) => t)).toEqual([0, 4, 8])
  })
})

describe('a column without values', () => {
  test('names nobody', async () => {
    const { participant } = await guess(table('participant,time,x,y', 60, (i) => ['NA', i * 4, 500 + i, 300]))
    expect(participant).toBeNull()
  })
  test.each(['', '0', 'nan'])('makes no space of x and y: z is %j', async (z) => {
    const mapping = await guess(table('time,gaze_x,gaze_y,gaze_z', 60, (i) => [i * 4, 500 + i, 300, z]))
    expect(gazeOf(mapping)).toEqual(['gaze_x gaze_y'])
  })
})

test('two numbers in a cell are named as what they are', async () => {
  const mapping = await guess(table('time;left_gaze;right_gaze', 30, (i) => [`${i * 4};(0.4, 0.5);(nan, nan)`]))
  expect(mapping.notes.join()).toMatch(/left_gaze, right_gaze hold two numbers in one cell: write x and y into columns/)
})

test('rows of several files are looked at', async () => {
  const of = (who: string) => table('participant,time,x,y', 60, (i) => [who, i * 4, 500 + i, 300])
  expect((await guess(of('NA'), { 'b.csv': of('kim') })).participant).toBe('participant')
})
