import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDuckDb } from '../../../engine/duckdb/duckdb.ts'
import type { BundleProblem, ServiceError } from '../../../engine/model/errors.ts'
import {
  type Bundle,
  gzip,
  makeStudyFixture,
  PARTICIPANT_COLUMNS,
  SAMPLE_COLUMNS,
  type StudyFixture,
  smallBundle,
  toCsv,
  uuid,
  writeBundle,
} from './bundles.ts'

let fixture: StudyFixture
beforeEach(async () => {
  fixture = await makeStudyFixture()
})
afterEach(() => fixture.remove())

async function refusalOf(work: Promise<unknown>): Promise<ServiceError> {
  const error = await work.then(
    () => new Error('it was imported'),
    (error: unknown) => error,
  )
  expect(error).toMatchObject({ code: 'invalid_bundle' })
  return error as ServiceError
}

async function problemsOf(change: (bundle: Bundle) => void): Promise<BundleProblem[]> {
  const bundle = smallBundle()
  change(bundle)
  return (await refusalOf(fixture.importing(bundle, { dryRun: true }))).problems
}

describe('one wrong cell is one problem, with file, line, column, value and rule', () => {
  const PX = 'must be a number from -10000000 to 10000000, or empty'
  const SIZE = 'must be a number from 1 to 100000, or empty'
  const GRADE = 'must be a whole number from 1 to 6, or empty'
  const COUNT = 'must be a whole number from 0 to 1000000000, or empty'
  const FLAG = 'must be true, false, 1 or 0, or empty'
  const TIME = 'must be a time as in RFC 3339, with offset, like 2024-05-31T12:30:00+02:00, or empty'
  const T = 'must be a number from -86400000 to 86400000'
  const DISPLAYED = {
    item_display_left_px: '0',
    item_display_top_px: '0',
    item_display_width_px: '10',
    item_display_height_px: '10',
  }
  const cases: [table: 'participants' | 'tests' | 'samples', column: string, value: string, rule: string][] = [
    ['participants', 'participant_id', '', 'must be a UUID'],
    ['participants', 'participant_id', 'P1', 'must be a UUID'],
    ['participants', 'participant_id', uuid('b', 1), 'must be unique, but line 2 has it'],
    ['participants', 'created_at', '2024-01-01', TIME],
    ['participants', 'created_at', '2024-01-01T10:00:00', TIME],
    ['participants', 'created_at', '2024-02-30T10:00:00Z', TIME],
    ['participants', 'age', '-1', 'must be a whole number from 0 to 150, or empty'],
    ['participants', 'age', '30.5', 'must be a whole number from 0 to 150, or empty'],
    ['participants', 'gender', '3', 'must be a whole number from 0 to 2, or empty'],
    ['participants', 'gender', 'male', 'must be a whole number from 0 to 2, or empty'],
    ['participants', 'quality_grade', '0', GRADE],
    ['participants', 'is_completed', 'yes', FLAG],
    ['tests', 'test_id', '', 'must be a UUID'],
    ['tests', 'test_id', uuid('c', 1), 'must be unique, but line 2 has it'],
    ['tests', 'participant_id', uuid('b', 9), 'must be the id of a participant'],
    ['tests', 'item_id', uuid('1', 9), 'must be the id of an item in study.json'],
    ['tests', 'created_at', 'yesterday', TIME],
    ['tests', 'display_order', '-1', COUNT],
    ['tests', 'duration_ms', '-0.001', 'must be a number from 0 to 86400000, or empty'],
    ['tests', 'duration_ms', 'Infinity', 'must be a number from 0 to 86400000, or empty'],
    ['tests', 'has_finished_on_click', 'TRUE', FLAG],
    ['tests', 'click_count', '1.5', COUNT],
    ['tests', 'quality_grade_item', '7', GRADE],
    ['tests', 'browser_width_px', '0', SIZE],
    ['tests', 'browser_height_px', '100001', SIZE],
    ['tests', 'item_display_left_px', '1e8', PX],
    ['tests', 'item_display_top_px', 'inf', PX],
    ['tests', 'item_display_width_px', '0x10', SIZE],
    ['tests', 'item_display_height_px', '-5', SIZE],
    ['samples', 'test_id', '', 'must be a UUID'],
    ['samples', 'test_id', uuid('c', 9), 'must be the id of a test in tests.csv'],
    ['samples', 't_ms', '', T],
    ['samples', 't_ms', 'NA', T],
    ['samples', 't_ms', '86400000.001', T],
    ['samples', 't_ms', '12,5', T],
    ['samples', 'gaze_x_px', 'inf', PX],
    ['samples', 'gaze_y_px', '-Infinity', PX],
    ['samples', 'scroll_y_px', '10000000.5', PX],
    ['samples', 'mouse_x_px', 'NAN', PX],
    ['samples', 'mouse_y_px', 'left', PX],
    ['samples', 'is_click', 'yes', FLAG],
  ]

  test.each(cases)('%s: %s %j', async (table, column, value, rule) => {
    // The second row stands in line 3. A participant that is not known is a problem of its test too.
    const problems = await problemsOf((bundle) => {
      if (column.startsWith('item_display_')) Object.assign(bundle.tests[1], DISPLAYED)
      bundle[table][1][column] = value
    })
    const [problem] = problems.filter(({ file }) => file === `${table}.csv`)
    expect(problem).toEqual({ file: `${table}.csv`, line: 3, column, value, rule })
    if (column !== 'participant_id' && column !== 'test_id') expect(problems).toHaveLength(1)
  })

  test('tests: display cells are all four or none', async () => {
    const rule = 'must be given, as the other item_display cells are: all four or none'
    expect(
      await problemsOf(({ tests }) =>
        Object.assign(tests[0], { item_display_left_px: '1', item_display_width_px: '2' }),
      ),
    ).toEqual([{ file: 'tests.csv', line: 2, column: 'item_display_top_px', value: '', rule }])
  })

  test('tests: with samples, they need a window or display cells', async () => {
    const rule = 'must be given, or the four item_display cells, since the test has samples'
    expect(
      await problemsOf(({ tests }) => {
        tests[1].browser_height_px = ''
      }),
    ).toEqual([{ file: 'tests.csv', line: 3, column: 'browser_height_px', value: '', rule }])
  })
})

describe('study.json', () => {
  const AOI = `aois[0]`
  const cases: [
    name: string,
    // biome-ignore lint/suspicious/noExplicitAny: puts wrong things into it on purpose
    change: (study: any) => void,
    column: string,
    value: string | null,
    rule: string,
  ][] = [
    ['id missing', (s) => delete s.id, 'id', null, 'is missing; must be a UUID'],
    ['name no text', (s) => (s.name = 3), 'name', '3', 'must be text'],
    [
      'name long',
      (s) => (s.name = 'x'.repeat(1001)),
      'name',
      `${'x'.repeat(200)}…`,
      'must have at most 1000 characters',
    ],
    [
      'survey no boolean',
      (s) => (s.isServiceBasicSurveyEnabled = 'no'),
      'isServiceBasicSurveyEnabled',
      'no',
      'must be true or false',
    ],
    ['an unknown field', (s) => (s.titel = 'x'), 'titel', 'x', 'is no field of it'],
    ['steps no list', (s) => (s.steps = {}), 'steps', '{}', 'must be a list of steps'],
    ['step without type', (s) => delete s.steps[0].type, 'steps[0].type', null, 'is missing; must be text'],
    [
      'step of an unknown item',
      (s) => (s.steps[1].stimuli.id = uuid('1', 9)),
      'steps[1].stimuli.id',
      uuid('1', 9),
      'must be the id of an item',
    ],
    [
      'question on an unknown item',
      (s) => s.steps.push({ type: 'question', question: { refItem: { id: uuid('1', 9) } } }),
      'steps[2].question.refItem.id',
      uuid('1', 9),
      'must be the id of an item',
    ],
    ['item doubled', (s) => s.items.push({ ...s.items[0] }), 'items[2].id', uuid('1', 1), 'must be unique'],
    ['item misspelt', (s) => (s.items[0].width = 5), 'items[0].width', '5', 'is no field of it'],
    [
      'item of half a size',
      (s) => (s.items[1].heightPx = null),
      'items[1].heightPx',
      null,
      'must be given, as the other size is: both or none',
    ],
    [
      'item too large',
      (s) => (s.items[1].heightPx = 100_001),
      'items[1].heightPx',
      '100001',
      'must be a number from 1 to 100000',
    ],
    [
      'cdnUrl of another kind',
      (s) => (s.items[0].cdnUrl = 'ftp://x/y'),
      'items[0].cdnUrl',
      'ftp://x/y',
      'must be an http or https URL, or empty',
    ],
    ['filename empty', (s) => (s.items[0].filename = ''), 'items[0].filename', '', 'must not be empty'],
    ['AOI doubled', (s) => (s.aois[1].id = s.aois[0].id.toUpperCase()), 'aois[1].id', uuid('a', 1), 'must be unique'],
    [
      'AOI on nothing',
      (s) => (s.aois[1].itemId = uuid('1', 9)),
      'aois[1].itemId',
      uuid('1', 9),
      'must be the id of an item',
    ],
    ['AOI without parts', (s) => (s.aois[0].parts = []), `${AOI}.parts`, '[]', 'must have at least one part'],
    [
      'AOI without area',
      (s) => delete s.aois[0].parts[0].areaPoints,
      `${AOI}.parts[0].areaPoints`,
      null,
      'is missing; must be an object',
    ],
    [
      'rectangle on an item without size',
      (s) => Object.assign(s.items[0], { widthPx: null, heightPx: null }),
      `${AOI}.parts[0].areaPoints`,
      '{"topLeft":{"xPx":0,"yPx":0},"bottomRight":{"xPx":100,"yPx":50}}',
      'must be a polygon, or its item must have widthPx and heightPx',
    ],
    [
      'rectangle turned around',
      (s) => (s.aois[0].parts[0].areaPoints.bottomRight.yPx = 0),
      `${AOI}.parts[0].areaPoints`,
      '{"topLeft":{"xPx":0,"yPx":0},"bottomRight":{"xPx":100,"yPx":0}}',
      'must have a bottomRight beyond its topLeft, in x and y',
    ],
    [
      'rectangle corner no number',
      (s) => (s.aois[0].parts[0].areaPoints.bottomRight.yPx = '9'),
      `${AOI}.parts[0].areaPoints.bottomRight.yPx`,
      '9',
      'must be a number from -10000000 to 10000000',
    ],
    [
      'polygon of two points',
      (s) => s.aois[1].parts[0].areaPoints.points.pop(),
      'aois[1].parts[0].areaPoints.points',
      '[{"x":0,"y":0},{"x":1,"y":0}]',
      'must have at least 3 points',
    ],
    [
      'polygon on one line',
      (s) => (s.aois[1].parts[0].areaPoints.points = [0.1, 0.2, 0.7].map((x) => ({ x, y: x }))),
      'aois[1].parts[0].areaPoints',
      '{"points":[{"x":0.1,"y":0.1},{"x":0.2,"y":0.2},{"x":0.7,"y":0.7}]}',
      'must have an area',
    ],
    [
      'time range of no time',
      (s) => (s.aois[1].parts[0].timeRange = { fromMs: 5, toMs: 5.0004 }),
      'aois[1].parts[0].timeRange',
      '{"fromMs":5,"toMs":5}',
      'must have fromMs before toMs, to the microsecond',
    ],
  ]

  test.each(cases)('%s', async (_name, change, column, value, rule) => {
    const problems = await problemsOf((bundle) => change(bundle.study))
    expect(problems.filter(({ file }) => file === 'study.json')).toEqual([
      { file: 'study.json', line: null, column, value, rule },
    ])
  })

  test('must be JSON, and the rest is checked all the same', async () => {
    const directory = await writeBundle(fixture.bundleDir(), smallBundle())
    await writeFile(join(directory, 'study.json'), '{\n "id": 1,\n}')
    await writeFile(join(directory, 'participants.csv'), 'nothing\n')
    const { problems } = await refusalOf(fixture.importDir(directory))
    expect(problems[0]).toEqual({ file: 'study.json', line: 3, column: null, value: null, rule: 'must be valid JSON' })
    expect(problems[1]).toMatchObject({ file: 'participants.csv', line: 1, column: 'nothing' })
  })
})

describe('a CSV file', () => {
  async function problemsOfText(name: string, text: string | Buffer): Promise<BundleProblem[]> {
    const directory = await writeBundle(fixture.bundleDir(), smallBundle())
    await rm(join(directory, name.replace('.gz', '')), { force: true })
    await writeFile(join(directory, name), text)
    const { problems } = await refusalOf(fixture.importDir(directory))
    return problems.filter(({ file }) => file === name)
  }
  const participants = () => toCsv(smallBundle().participants, PARTICIPANT_COLUMNS)
  const samples = () => toCsv(smallBundle().samples, SAMPLE_COLUMNS)
  const whole = { line: null, column: null, value: null }

  test('separated by semicolons is one clear problem', async () => {
    for (const name of ['participants.csv', 'samples.csv']) {
      const [problem, ...others] = await problemsOfText(name, samples().replaceAll(',', ';'))
      expect(problem).toMatchObject({ line: 1, rule: 'must separate its cells by commas, not by semicolons' })
      expect(others).toEqual([])
    }
  })

  test('must have each column once at most, and no other', async () => {
    const text = participants().replace('external_id', 'extrenal_id').replace('notes', 'age')
    expect(await problemsOfText('participants.csv', text)).toEqual([
      {
        file: 'participants.csv',
        line: 1,
        column: 'extrenal_id',
        value: 'extrenal_id',
        rule: 'is no column of participants.csv; external_id is',
      },
      { file: 'participants.csv', line: 1, column: 'age', value: 'age', rule: 'must stand in the header once' },
    ])
    expect(await problemsOfText('samples.csv', samples().replace('t_ms', 't'))).toMatchObject([
      { line: 1, column: 't' },
      { line: 1, column: 't_ms', rule: 'is missing in the header' },
    ])
  })

  test('must have a header', async () => {
    for (const name of ['participants.csv', 'tests.csv', 'samples.csv'])
      expect(await problemsOfText(name, '')).toEqual([{ file: name, ...whole, rule: 'must have a header' }])
  })

  test('must have as many cells in a row as in the header', async () => {
    const rule = 'must have 8 cells, as the header has, not 9'
    const text = `${samples()}${uuid('c', 1)},1,2,3,,,,,x\n`
    expect(await problemsOfText('samples.csv', text)).toEqual([
      { file: 'samples.csv', line: 32, column: null, value: `${uuid('c', 1)},1,2,3,,,,,x`, rule },
    ])
  })

  test('counts lines in quoted cells and empty lines too', async () => {
    const text = participants().replace('P1', '"P\n1"').replace('\n', '\r\n\r\n')
    const [problem] = await problemsOfText('participants.csv', `${text}\nx,,,,,,,,,\n`)
    expect(problem).toMatchObject({ line: 7, column: 'participant_id', value: 'x' })
  })

  test('must close its quotes, and quote whole cells', async () => {
    expect(await problemsOfText('participants.csv', `${participants()}"x,,,,,,,,,\n,\n`)).toEqual([
      {
        file: 'participants.csv',
        line: 4,
        column: null,
        value: '"x,,,,,,,,,\n,',
        rule: 'has a quote that is not closed',
      },
    ])
    for (const row of ['"x"y,,,,,,,,,', 'x"y",,,,,,,,,']) {
      const [problem] = await problemsOfText('participants.csv', `${participants()}${row}\n`)
      expect(problem).toMatchObject({
        line: 4,
        rule: 'has a quote inside a cell, where quotes must be doubled and the whole cell quoted',
      })
    }
  })

  test('must be UTF-8', async () => {
    for (const [name, text, line] of [
      ['participants.csv', participants(), 4],
      ['samples.csv', samples(), 32],
    ] as const) {
      const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0x4a, 0xfc, 0x0a])])
      expect(await problemsOfText(name, bytes)).toEqual([{ ...whole, file: name, line, rule: 'must be UTF-8' }])
    }
  })

  test('must be a whole gzip file when it is one', async () => {
    for (const name of ['participants.csv.gz', 'samples.csv.gz']) {
      const packed = gzip(name.startsWith('samples') ? samples() : participants())
      const [problem] = await problemsOfText(name, packed.subarray(0, packed.length - 20))
      expect(problem.rule).toBe('must be a whole gzip file')
      expect((await problemsOfText(name, 'plain'))[0].rule).toBe('must be a whole gzip file')
    }
  })
})

describe('samples.parquet', () => {
  async function problemsOfQuery(sql: string): Promise<BundleProblem[]> {
    const directory = await writeBundle(fixture.bundleDir(), { ...smallBundle(), samples: undefined })
    const db = await openDuckDb({ directories: [directory], threads: 2, memoryMib: 512 })
    await db.connection.run(`COPY (${sql}) TO '${directory}/samples.parquet' (FORMAT parquet)`)
    db.close()
    return (await refusalOf(fixture.importDir(directory, { memoryMib: 512 }))).problems
  }
  const columns = (given: Record<string, string> = {}) =>
    SAMPLE_COLUMNS.map((name) => {
      const plain = name === 'test_id' ? `'${uuid('c', 1)}'` : name === 'is_click' ? 'true' : '1.5::DOUBLE'
      return `${given[name] ?? plain} AS ${name}`
    }).join(', ')

  test('must have the right columns, of the right types', async () => {
    const sql = `SELECT ${columns({ t_ms: "'5'", is_click: '1.5::DOUBLE', test_id: '7' })}, 1 AS pupil`
    expect(await problemsOfQuery(sql.replace(/, 1.5::DOUBLE AS scroll_y_px/, ''))).toEqual([
      {
        file: 'samples.parquet',
        line: null,
        column: 'test_id',
        value: 'INTEGER',
        rule: 'must be a column of text or UUIDs',
      },
      { file: 'samples.parquet', line: null, column: 't_ms', value: 'VARCHAR', rule: 'must be a column of numbers' },
      {
        file: 'samples.parquet',
        line: null,
        column: 'is_click',
        value: 'DOUBLE',
        rule: 'must be a column of booleans',
      },
      { file: 'samples.parquet', line: null, column: 'pupil', value: 'pupil', rule: 'is no column of samples.parquet' },
    ])
  })

  test('must keep the rules of the cells; its rows count from 1', async () => {
    const wrong = {
      test_id: `CASE range WHEN 1 THEN '${uuid('c', 9)}' WHEN 2 THEN NULL ELSE '${uuid('C', 1)}' END`,
      t_ms: "CASE range WHEN 3 THEN 'NaN'::DOUBLE WHEN 4 THEN 1e9 ELSE 1 END",
      mouse_x_px: "CASE range WHEN 5 THEN 'inf'::DOUBLE WHEN 6 THEN 'nan' ELSE 1 END",
      is_click: 'CASE range WHEN 7 THEN 2 ELSE 1 END',
    }
    const problems = await problemsOfQuery(`SELECT ${columns(wrong)} FROM range(10)`)
    expect(problems.map(({ line, column, value }) => [line, column, value])).toEqual([
      [2, 'test_id', uuid('c', 9)],
      [3, 'test_id', null],
      [4, 't_ms', 'nan'],
      [5, 't_ms', '1000000000.0'],
      [6, 'mouse_x_px', 'inf'],
      [8, 'is_click', '2'],
    ])
  })

  test('must be Parquet', async () => {
    const directory = await writeBundle(fixture.bundleDir(), { ...smallBundle(), samples: undefined })
    await writeFile(join(directory, 'samples.parquet'), 'no')
    expect((await refusalOf(fixture.importDir(directory))).problems).toEqual([
      { file: 'samples.parquet', line: null, column: null, value: null, rule: 'must be a Parquet file' },
    ])
  })
})

describe('a whole bundle', () => {
  test('is told all its problems at once, file by file', async () => {
    const problems = await problemsOf((bundle) => {
      bundle.samples[4].t_ms = 'soon'
      bundle.tests[0].click_count = 'many'
      bundle.participants[1].age = 'old'
      bundle.study.items[1].cdnUrl = 'x'
    })
    expect(problems.map(({ file, line, column }) => [file, line, column])).toEqual([
      ['study.json', null, 'items[1].cdnUrl'],
      ['participants.csv', 3, 'age'],
      ['tests.csv', 2, 'click_count'],
      ['samples.csv', 6, 't_ms'],
    ])
  })

  test('is told the first 100 problems, and how many there are', async () => {
    const bundle = smallBundle()
    bundle.samples = Array.from({ length: 250 }, () => ({ ...bundle.samples[0], gaze_x_px: 'x', t_ms: '' }))
    const { problems, message } = await refusalOf(fixture.importing(bundle))
    expect(problems).toHaveLength(100)
    expect(message).toBe('the bundle has 500 problems; the first 100 are listed, and nothing was published')
  })

  test('may not hold a file twice', async () => {
    const directory = await writeBundle(fixture.bundleDir(), smallBundle())
    await writeFile(join(directory, 'samples.parquet'), '')
    await writeFile(join(directory, 'tests.csv.gz'), '')
    expect((await refusalOf(fixture.importDir(directory))).problems).toMatchObject([
      { file: 'tests.csv.gz', rule: 'must not be there beside tests.csv' },
      { file: 'samples.parquet', rule: 'must not be there beside samples.csv' },
    ])
  })

  test('must be there', async () => {
    await expect(fixture.importDir(join(fixture.root, 'nowhere'))).rejects.toMatchObject({ code: 'not_found' })
    await writeFile(join(fixture.root, 'file'), '')
    await expect(fixture.importDir(join(fixture.root, 'file'))).rejects.toMatchObject({ code: 'usage' })
    await expect(fixture.importDir(fixture.root)).rejects.toMatchObject({ code: 'usage' })
  })
})
