import { afterEach, describe, expect, test } from 'vitest'
import { type GuessedMapping, guessMapping } from '../../../engine/recordings/any-table/guess-mapping.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { PLANS } from './made/plans.ts'
import { type MadeColumn, makeRecording, type Plan, tableOf } from './made/recording-maker.ts'

afterEach(cleanUp)

const NAMES: Record<string, string> = { clock: 'timestamp', item: 'image', 'eye x': 'x', 'eye y': 'y' }
type Change = { role: string; name?: string; cell?: (cell: string, row: number) => string }

/** Writes a made recording of one person, with some of its columns changed, and guesses what they mean. */
async function guessMade(
  plan: Partial<Plan>,
  changes: Change[] = [],
  more: (made: MadeColumn[]) => MadeColumn[] = () => [],
) {
  const whole = { ...PLANS[0], hz: 60, people: ['kim'], items: ['a.png', 'b.png'], itemMs: 4000, ...plan }
  const { columns, tests } = makeRecording(whole, 3)
  const of = (role: string) => changes.find((change) => change.role === role)
  const changed = [...columns, ...more(columns)].map(({ role, cells }) => ({
    role: of(role)?.name ?? NAMES[role] ?? role.replace(' ', '_'),
    cells: cells.map(of(role)?.cell ?? ((cell) => cell)),
  }))
  const directory = writeFiles({ 'kim.csv': tableOf(changed, ({ role }) => role) })
  const [file] = await findSourceFiles([directory])
  return { mapping: await guessMapping(file), directory, tests, screen: whole.screen }
}

const notes = ({ notes: all }: GuessedMapping) => all.join('\n')
const gazeOf = ({ gaze }: GuessedMapping) => gaze.map(({ x, y }) => `${x} ${y}`)
const place = (cells: string[], at: number, ofEmpty: string) => (cells[at] === '' ? ofEmpty : cells[at])

test('times in minutes and seconds are read', async () => {
  const text = (ms: number) =>
    `${String(Math.floor(ms / 60_000)).padStart(2, '0')}:${((ms % 60_000) / 1000).toFixed(3).padStart(6, '0')}`
  const cell = (ms: string) => text(Math.round(Number(ms)) % 3_600_000)
  const { mapping, directory, screen } = await guessMade({}, [{ role: 'clock', cell }])
  expect(mapping.time).toMatchObject({ column: 'timestamp', unit: 'iso' })
  const { looks } = await convertAndRead([directory], { mapping, screen })
  expect(looks.map(({ samples }) => samples[60][0])).toEqual([1000, 1000])
})

test('dates with the day first are read, and texts that are no times are left open', async () => {
  const at = (ms: string) => new Date(Date.UTC(2024, 2, 1, 10) + Math.round(Number(ms) % 3_600_000)).toISOString()
  const german = (ms: string) => at(ms).replace(/^(\d+)-(\d+)-(\d+)T(.*)Z/, '$3.$2.$1 $4')
  const { mapping, directory, screen } = await guessMade({}, [{ role: 'clock', cell: german }])
  expect(mapping.time).toMatchObject({ column: 'timestamp', unit: 'iso' })
  const { looks } = await convertAndRead([directory], { mapping, screen })
  expect(looks.map(({ samples }) => samples[60][0])).toEqual([1000, 1000])
  const american = (ms: string) => at(ms).replace(/^(\d+)-(\d+)-(\d+)T(.*)Z/, '$2/$3/$1 $4')
  const { mapping: open } = await guessMade({}, [{ role: 'clock', cell: american }])
  expect(open.time.column).toBe('?')
  expect(notes(open)).toMatch(/^timestamp holds "03\/01\/2024 10.*", which is no number, nor a date and time/m)
})

test.each([
  [1080, 1920],
  [1440, 2560],
])('gaze on a portrait screen of %i × %i px is gaze, with x and y as they are called', async (widthPx, heightPx) => {
  const screen = { widthPx, heightPx }
  for (const unit of ['px', 'fraction', 'centred px'] as const) {
    const { mapping, directory, tests } = await guessMade({ screen, unit })
    expect([unit, ...gazeOf(mapping), ...mapping.gaze.map((eye) => eye.unit)]).toEqual([
      ...[unit, 'x y', unit === 'fraction' ? 'fraction' : 'px'],
    ])
    const { looks } = await convertAndRead([directory], { mapping, screen })
    expect(looks[0].samples[5][2]).toBeCloseTo(tests[0].samples[5][2]!, 0)
  }
})

describe('a time that no mapping can read is left open', () => {
  test.each<[string, string, (ms: number, row: number) => string, RegExp]>([
    [
      'ticks of .NET',
      'timestamp',
      (ms) =>
        `63840000${String(Math.round(ms * 10_000))
          .padStart(11, '0')
          .slice(-10)}`,
      /ticks of 100 ns/,
    ],
    ['ticks from the start', 'time', (ms) => String(Math.round(ms * 10_000)), /ticks of 100 ns/],
    ['a number of frames', 'time', (_, row) => String(row), /gaze moves faster than eyes do/],
    ['minutes', 'time_min', (ms) => (ms / 60_000).toFixed(7), /is in minutes/],
    [
      'a date in one number',
      'timestamp',
      (ms) => `202403011000${(ms % 60_000).toFixed(0).padStart(5, '0')}`,
      /a date and time in one number/,
    ],
    ['a step that stays the same', 'time', () => '16.667', /no column looks like a time/],
  ])('%s', async (_, name, text, said) => {
    const { mapping } = await guessMade({ itemMs: 9000 }, [
      { role: 'clock', name, cell: (cell, row) => text(Number(cell), row) },
    ])
    expect(mapping.time.column).toBe('?')
    expect(notes(mapping)).toMatch(said)
  })
})

test('a finer clock is the time, whatever its name, but no number of frames', async () => {
  const { mapping } = await guessMade(
    { hz: 120 },
    [{ role: 'clock', name: 'tracker_s', cell: (cell) => `${Number(cell) / 1000}` }],
    ([clock]) => [
      { role: 'time', cells: clock.cells.map((cell) => String(16 * Math.floor(Number(cell) / 16))) },
      { role: 'frame', cells: clock.cells.map((cell) => String(Math.round(Number(cell) / 8.3))) },
    ],
  )
  expect(mapping.time).toMatchObject({ column: 'tracker_s', unit: 's' })
})

describe('positions in no unit that a mapping knows are left open', () => {
  const scaled = (name: string, scale: number): Change[] =>
    ['x', 'y'].map((axis) => ({
      role: `eye ${axis}`,
      name: name.replace('@', axis),
      cell: (cell) => (cell === '' ? '' : (Number(cell) * scale).toFixed(4)),
    }))
  test.each<[string, number, RegExp]>([
    ['gaze_@_cm', 0.0277, /centimetres/],
    ['gaze_@_in', 0.0109, /centimetres/],
    ['gaze_@_m', 0.000277, /centimetres/],
    ['gaze_@', 0.0277, /no screen is as small/],
  ])('%s, px times %d', async (name, scale, said) => {
    const { mapping } = await guessMade({}, scaled(name, scale))
    expect(mapping.gaze[0].unit).toBe('?')
    expect(notes(mapping)).toMatch(said)
  })

  test('small ones that are often left of 0 or above it, as degrees of a fixation are, and no fractions', async () => {
    const degrees = (at: number) => (cell: string) => (cell === '' ? '' : (Number(cell) / 900 - at).toFixed(4))
    const { mapping } = await guessMade({}, [
      { role: 'eye x', cell: degrees(0.2) },
      { role: 'eye y', cell: degrees(0.55) },
    ])
    expect(mapping.gaze[0].unit).toBe('?')
    expect(notes(mapping)).toMatch(/positions around 0 look like PsychoPy's units norm or height, or like degrees/)
  })

  test('but x_norm counts from the lower left in tables of Pupil Core alone', async () => {
    const names: Change[] = ['x', 'y'].map((axis) => ({ role: `eye ${axis}`, name: `${axis}_norm` }))
    expect((await guessMade({ unit: 'fraction' }, names)).mapping.origin).toBe('top-left')
    const ofPupil = await guessMade({ unit: 'fraction' }, [...names, { role: 'clock', name: 'gaze_timestamp' }])
    expect(ofPupil.mapping.origin).toBe('bottom-left')
  })
})

describe('positions that come again for several rows are lost gaze', () => {
  test.each<[string, Partial<Plan>, [string, string], string[]]>([
    ['beyond the screen', {}, ['8191', '8191'], ['(8191, 8191)']],
    ['in a corner', {}, ['0', '1080'], ['(0, 1080)']],
    ['where gaze may be, too', {}, ['1200', '640'], ['(1200, 640)']],
    ['in the middle, from which positions count', { unit: 'centred px' }, ['0', '0'], ['0']],
    ['within the fractions of a screen', { unit: 'fraction' }, ['1', '1'], ['(1, 1)']],
  ])('%s', async (_, plan, [x, y], missing) => {
    const { mapping, directory, tests, screen } = await guessMade({ ...plan, itemMs: 9000 }, [
      { role: 'eye x', cell: (cell) => cell || x },
      { role: 'eye y', cell: (cell) => cell || y },
    ])
    expect(mapping.missing).toEqual(missing)
    const { looks } = await convertAndRead([directory], { mapping, screen, isImported: false })
    const lost = (samples: (number | null)[][]) => samples.filter(([, gaze]) => gaze === null).length
    expect(looks.map(({ samples }) => lost(samples))).toEqual(tests.map(({ samples }) => lost(samples)))
  })

  test('but not where gaze has whole px and rests', async () => {
    const rests = (cell: string) => (cell === '' ? '' : String(10 * Math.round(Number(cell) / 10)))
    const { mapping } = await guessMade({}, [
      { role: 'eye x', cell: rests },
      { role: 'eye y', cell: rests },
    ])
    expect(mapping.missing).toEqual([])
  })
})

describe('a column that calls gaze invalid where it keeps still is its validity', () => {
  const stale = { validity: 'stale', itemMs: 9000 } as const
  test.each<[string, (cell: string, row: number) => string, object]>([
    ['state', (cell) => (cell === '0' ? 'Blink' : 'Open'), { values: ['Open'] }],
    ['error', (cell) => (cell === '0' ? '7' : '0'), { values: ['0'] }],
    ['pupil', (cell, row) => (cell === '0' ? '0' : `3.${row % 97}`), { least: 0.5 }],
    ['size', (cell, row) => (cell === '0' ? 'NaN' : `0.${100 + (row % 97)}`), { least: 0.01 }],
  ])('%s', async (name, cell, valid) => {
    const { mapping } = await guessMade(stale, [{ role: 'eye validity', name, cell }])
    expect(mapping.gaze[0].valid).toEqual({ column: name, ...valid })
  })
})

describe('columns of two eyes are told', () => {
  test.each([
    ['x1', 'y1', 'x2', 'y2', undefined],
    ['gaze_x_0', 'gaze_y_0', 'gaze_x_1', 'gaze_y_1', undefined],
    ['mirada_izq_x', 'mirada_izq_y', 'mirada_der_x', 'mirada_der_y', 'left'],
    ['os_x', 'os_y', 'od_x', 'od_y', 'left'],
    ['sguardo_sx_x', 'sguardo_sx_y', 'sguardo_dx_x', 'sguardo_dx_y', 'left'],
  ])('%s, %s and %s, %s', async (leftX, leftY, rightX, rightY, eye) => {
    const names = { 'left x': leftX, 'left y': leftY, 'right x': rightX, 'right y': rightY }
    const { mapping } = await guessMade(
      { eyes: 'both' },
      Object.entries(names).map(([role, name]) => ({ role, name })),
    )
    expect(gazeOf(mapping)).toEqual([`${leftX} ${leftY}`, `${rightX} ${rightY}`])
    expect(mapping.gaze[0].eye).toBe(eye)
  })

  test('and are not those of one eye, once as it is and once in another place', async () => {
    const { mapping } = await guessMade({ beside: ['relative'] }, [
      { role: 'relative x', name: 'x1' },
      { role: 'relative y', name: 'y1' },
    ])
    expect(gazeOf(mapping)).toEqual(['x y'])
  })
})

test('of each eye, stale gaze is paired, and called invalid, by what is of that eye', async () => {
  const roles = ['clock', 'left x', 'right x', 'right y', 'left y', 'left validity', 'right validity']
  const { mapping } = await guessMade(
    { eyes: 'both', validity: 'stale', itemMs: 12_000, people: ['kim', 'lee'] },
    roles.map((role, i) => ({ role, name: `c${i + 1}` })),
  )
  expect(mapping.gaze.map(({ x, y, valid }) => [x, y, valid])).toEqual([
    ['c2', 'c5', { column: 'c6', values: ['1'] }],
    ['c3', 'c4', { column: 'c7', values: ['1'] }],
  ])
})

test('an id is that of a participant where each has one block of rows, and not in each row another', async () => {
  const ids = ([{ cells }]: MadeColumn[]) => [
    { role: 'id', cells: cells.map((_, i) => String(i < cells.length / 2 ? 7 : 9)) },
  ]
  const rows = ([{ cells }]: MadeColumn[]) => [{ role: 'id', cells: cells.map((_, i) => String(i)) }]
  expect((await guessMade({}, [], ids)).mapping.participant).toBe('id')
  expect((await guessMade({}, [], rows)).mapping.participant).toBe(null)
})

describe('gaze', () => {
  test('is not what stays at one place, such as that of a picture', async () => {
    const { mapping } = await guessMade({ eyes: 'both' }, [], ([{ cells }]) => [
      { role: 'img_x', cells: cells.map(() => '200') },
      { role: 'img_y', cells: cells.map(() => '100') },
    ])
    expect(gazeOf(mapping)).toEqual(['left_x left_y', 'right_x right_y'])
    expect(notes(mapping)).toMatch(/img_x, img_y stay at one place: not taken for gaze/)
  })

  test('nor is such a place where gaze is too noisy to be told by its movement', async () => {
    const noise = (at: number) => (_: string, row: number) => String(at + ((row * 7919) % 13))
    const { mapping } = await guessMade(
      {},
      [
        { role: 'eye x', name: 'x', cell: noise(400) },
        { role: 'eye y', name: 'y', cell: noise(500) },
      ],
      ([{ cells }]) => ['pos_x', 'pos_y'].map((role) => ({ role, cells: cells.map(() => '200') })),
    )
    expect(gazeOf(mapping)).toEqual(['x y'])
  })

  test('is in px rather than in shares of the screen, which may count from below', async () => {
    const { mapping } = await guessMade({ beside: ['other unit'] }, [
      { role: 'other unit x', name: 'norm_x' },
      { role: 'other unit y', name: 'norm_y' },
    ])
    expect([gazeOf(mapping), mapping.gaze[0].unit]).toEqual([['x y'], 'px'])
  })

  test('may jump where a column called valid is 0', async () => {
    const isInvalid = (row: number) => row % 40 > 30
    const elsewhere = (cell: string, row: number) => (isInvalid(row) ? String((row * 7919) % 1000) : cell)
    const { mapping } = await guessMade(
      {},
      [
        { role: 'eye x', cell: elsewhere },
        { role: 'eye y', cell: elsewhere },
      ],
      ([{ cells }]) => [{ role: 'valid', cells: cells.map((_, row) => (isInvalid(row) ? '0' : '1')) }],
    )
    expect(mapping.gaze[0].valid).toEqual({ column: 'valid', values: ['1'] })
    expect(mapping.time.column).toBe('timestamp')
  })

  test.each([
    [0, 'c1'],
    [-5_000_000, '?'],
  ])('tells ms at 1000 Hz, which count late, from a number of rows, which begins near 0: %d', async (by, column) => {
    let first = Number.NaN
    const count = (cell: string) => {
      if (Number.isNaN(first)) first = Number(cell)
      return String(Number(cell) - (by === 0 ? 0 : first - 1))
    }
    const { mapping } = await guessMade({ hz: 1000, items: ['a.png'], itemMs: 20_000 }, [
      { role: 'clock', name: 'c1', cell: count },
      { role: 'eye x', name: 'c2' },
      { role: 'eye y', name: 'c3' },
    ])
    expect(mapping.time).toMatchObject({ column, unit: 'ms' })
  })

  test('has its axes in the words for them, or in an order that places and columns agree on', async () => {
    const axes: Change[] = [
      { role: 'eye x', name: 'horz_gaze' },
      { role: 'eye y', name: 'vert_gaze' },
    ]
    expect(gazeOf((await guessMade({}, axes)).mapping)).toEqual(['horz_gaze vert_gaze'])
    const nameless = (x: string, y: string) =>
      guessMade({}, [
        { role: 'eye x', name: x },
        { role: 'eye y', name: y },
      ])
    expect(['a b', '? ?']).toContain(gazeOf((await nameless('a', 'b')).mapping)[0])
  })

  test('is left open where rows are wider than the header, as with decimal commas between commas', async () => {
    const comma = (cell: string) => cell.replace('.', ',')
    const { mapping } = await guessMade({}, [
      { role: 'eye x', cell: comma },
      { role: 'eye y', cell: comma },
    ])
    expect(gazeOf(mapping)).toEqual(['? ?'])
    expect(notes(mapping)).toMatch(/more cells than the header has names/)
  })

  test('is said to be read from the first of several columns of a name', async () => {
    const { mapping } = await guessMade({ eyes: 'both' }, [
      ...['left', 'right'].flatMap((side) => ['x', 'y'].map((axis) => ({ role: `${side} ${axis}`, name: axis }))),
    ])
    expect(notes(mapping)).toMatch(/several columns are called x, y: the first of each is read/)
  })

  test.each([
    ['a dictionary', (x: string, y: string) => `{'x': ${x} 'y': ${y}}`],
    ['words', (x: string, y: string) => `x=${x} y=${y}`],
    ['a bar', (x: string, y: string) => `${x}|${y}`],
  ])('in one cell is named: %s', async (_, cell) => {
    const { mapping } = await guessMade(
      {},
      [
        { role: 'eye x', name: 'one', cell: () => '1' },
        { role: 'eye y', name: 'two', cell: () => '2' },
      ],
      (made) => {
        const [x, y] = ['eye x', 'eye y'].map((role) => made.find((column) => column.role === role)!.cells)
        return [{ role: 'gaze', cells: x.map((_, i) => cell(place(x, i, 'nan'), place(y, i, 'nan'))) }]
      },
    )
    expect(gazeOf(mapping)).toEqual(['? ?'])
    expect(notes(mapping)).toMatch(/^gaze holds two numbers in one cell/m)
  })
})

describe('both eyes are found by their names in each language, with their validity and pupils', () => {
  test.each([
    ['German', 'Blick links #', 'Blick rechts #', 'gültig', 'Pupille'],
    ['French', 'Regard gauche #', 'Regard droit #', 'Validité', 'Pupille'],
    ['French, of the pupil', 'Œil gauche #', 'Œil droit #', 'validité', 'Diamètre pupille'],
    ['Spanish', 'Mirada izquierda #', 'Mirada derecha #', 'Validez', 'Pupila'],
    ['Portuguese', 'Olhar esquerdo #', 'Olhar direito #', 'Validade', 'Pupila'],
    ['Italian', 'Sguardo sinistro #', 'Sguardo destro #', 'Validità', 'Pupilla'],
    ['Dutch', 'Blik links #', 'Blik rechts #', 'Geldig', 'Pupil'],
    ['Chinese', '左眼注视#', '右眼注视#', '有效', '瞳孔'],
    ['Japanese', '左眼視線#', '右眼視線#', '有効', '瞳孔径'],
  ])('%s', async (_, left, right, valid, pupil) => {
    const sides = { left: left.replace('#', ''), right: right.replace('#', '') }
    const names = (['left', 'right'] as const).flatMap((side) => [
      { role: `${side} x`, name: `${sides[side]}X` },
      { role: `${side} y`, name: `${sides[side]}Y` },
      { role: `${side} validity`, name: `${sides[side]} ${valid}` },
      { role: `${side} pupil`, name: `${pupil} ${sides[side]}` },
    ])
    const { mapping } = await guessMade({ eyes: 'both', validity: 'tobii', beside: ['pupil'] }, names)
    const eye = (side: 'left' | 'right') => ({
      ...{ x: `${sides[side]}X`, y: `${sides[side]}Y`, eye: side },
      valid: { column: `${sides[side]} ${valid}`.trim(), values: ['0'] },
    })
    expect(mapping.gaze).toMatchObject([eye('left'), eye('right')])
    expect(mapping.pupils).toMatchObject({
      left: `${pupil} ${sides.left}`.trim(),
      right: `${pupil} ${sides.right}`.trim(),
    })
  })
})

test('the place of a pupil in the sensor of a headset is no gaze, however it moves', async () => {
  const names = (['left', 'right'] as const).flatMap((side) =>
    (['x', 'y'] as const).map((axis) => ({
      role: `${side} ${axis}`,
      name: `pos_sensor_${side === 'left' ? 'L' : 'R'}.${axis}`,
    })),
  )
  const { mapping } = await guessMade({ eyes: 'both', unit: 'fraction' }, names)
  expect(gazeOf(mapping)).toEqual(['? ?'])
  expect(notes(mapping)).toContain('pos_sensor_L.x, pos_sensor_L.y move as gaze does: name them if they are gaze')
})

test('one axis in px and in degrees is not taken to be x and y', async () => {
  const changes = [
    { role: 'clock', name: 'c1' },
    { role: 'eye y', name: 'c2' },
    { role: 'eye x', name: 'c3', cell: () => '' },
  ]
  const { mapping } = await guessMade({ hz: 250, lost: '' }, changes, (made) => {
    const { cells } = made.find(({ role }) => role === 'eye y')!
    return [{ role: 'c4', cells: cells.map((y) => (y === '' ? '' : String(Number(y) / 38))) }]
  })
  expect(gazeOf(mapping)).toEqual(['? ?'])
})

test('eyes that are numbered have the validity of the same number', async () => {
  const names = ['left', 'right'].flatMap((side, number) => [
    ...(['x', 'y'] as const).map((axis) => ({ role: `${side} ${axis}`, name: `gaze_${axis}_eye${number}` })),
    { role: `${side} validity`, name: `valid_eye${number}` },
  ])
  const { mapping } = await guessMade({ eyes: 'both', validity: 'flag' }, names)
  expect(mapping.gaze).toMatchObject([
    { x: 'gaze_x_eye0', valid: { column: 'valid_eye0', values: ['1'] } },
    { x: 'gaze_x_eye1', valid: { column: 'valid_eye1', values: ['1'] } },
  ])
})

test('the sizes of two pupils are no gaze, although they move alike', async () => {
  const pupil = (role: string, name: string) => ({ role, name })
  const { mapping } = await guessMade({}, [
    pupil('eye x', 'right_pupil_diameter'),
    pupil('eye y', 'left_pupil_diameter'),
  ])
  expect(gazeOf(mapping)).toEqual(['? ?'])
})
