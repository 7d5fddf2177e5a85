import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DuckDb, openDuckDb } from '../../../engine/duckdb/duckdb.ts'
import { filterColumns } from '../../../engine/filter/columns.ts'
import { readFilter } from '../../../engine/filter/read-filter.ts'
import { filterSql } from '../../../engine/filter/to-sql.ts'
import { trimFilter } from '../../../engine/model/parameters.ts'
import { type Facts, literalRows, NAMES } from './literal-rows.ts'

/** Filters from a fixed seed: by the grammar, compared with DuckDB, which is given their text; and by noise. */
const CASES = Number(process.env.FUZZ_CASES ?? 5000)
const [BY_GRAMMAR, BY_NOISE] = [CASES / 5, (CASES * 4) / 5]

function randomOf(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    below,
    of: <T>(values: readonly T[]): T => values[below(values.length)],
    chance: (share: number) => next() < share,
  }
}

const ID = '00000000-0000-4000-8003-00000000000a'
const TEXTS = ["it''s", 'abc', 'ABC', 'a_c', 'a%c', 'é', '🙂b', '10', '5', '-7.5', '\\\\a', 'NA', '']
const TIMES = [
  '2024-05-01T10:00:00+02:00',
  '2024-05-01T08:00:00Z',
  '2024-05-01T08:00:00.5Z',
  '1999-12-31T23:59:59.123456-11:30',
]
const LIKE_PATTERNS = ['%', '_', '%c', 'a_c', '_%_', '%_b_%', '%b_', '%🙂_', "%''%", '🙂%', '\\\\%', 'ab', '']
const OPERATORS = ['=', '<>', '<', '<=', '>', '>=']

/** Values that mean the same to DuckDB as they are. */
const FACTS: Facts[] = Array.from({ length: 24 }, (_, i): Facts => {
  const { of, chance, below } = randomOf(i)
  const perhaps = <T>(value: T) => (chance(0.25) ? null : value)
  const text = () => perhaps(of(TEXTS).replaceAll("''", "'")) || null
  return {
    participant_id: i % 3 === 0 ? ID.replace('a', String(i % 10)) : `00000000-0000-4000-8003-0000000000${10 + i}`,
    participant_external_id: text(),
    external_data_g: text(),
    external_data_constructor: text(),
    test_finished_on_key: text(),
    participant_age: perhaps(below(12)),
    test_browser_width_px: perhaps(1000 + below(5) / 4),
    test_click_count: below(3),
    participant_is_completed: chance(0.5),
    test_has_finished_on_click: chance(0.5),
    participant_created_at: perhaps(of(TIMES)),
    test_created_at: perhaps(of(TIMES)),
    participant_tags: TEXTS.filter((tag) => tag !== '' && chance(0.2)),
  }
})
const COLUMNS = {
  id: ['participant_id'],
  text: ['participant_external_id', 'external_data_g', 'external_data_constructor', 'test_finished_on_key'],
  number: ['participant_age', 'test_browser_width_px', 'test_click_count'],
  boolean: ['participant_is_completed', 'test_has_finished_on_click'],
  timestamp: ['participant_created_at', 'test_created_at'],
}
type Type = keyof typeof COLUMNS

function conditionOf(random: ReturnType<typeof randomOf>, depth: number): string {
  const { of, chance, below } = random
  const cased = (word: string) => (chance(0.3) ? word.toLowerCase() : word)
  const space = () => ' '.repeat(1 + below(2))
  const literal = (type: Type): string => {
    if (type === 'id') return `'${chance(0.5) ? ID : `00000000-0000-4000-8003-00000000000${below(10)}`}'`
    if (type === 'text') return `'${of(TEXTS)}'`
    if (type === 'number') return of(['0', '5', '10', '-1.5', '1000.25', '7', '2'])
    if (type === 'boolean') return cased(of(['TRUE', 'FALSE']))
    return chance(0.5) ? `'${of(TIMES)}'` : `${cased('TIMESTAMP')}${space()}'${of(TIMES)}'`
  }
  const column = (type: Type) => (chance(0.2) ? of(COLUMNS[type]).toUpperCase() : of(COLUMNS[type]))
  const operand = (type: Type): string => {
    if (type === 'number' && chance(0.2))
      return `${cased('TRY_CAST')}(${column('text')}${space()}${cased('AS')} DOUBLE)`
    return chance(0.3) ? literal(type) : column(type)
  }
  if (depth > 0 && chance(0.6)) {
    const inner = () => conditionOf(random, depth - 1)
    if (chance(0.25)) return `${cased('NOT')} (${inner()})`
    if (chance(0.2)) return `${cased('NOT')} ${inner()}`
    return `${chance(0.5) ? `(${inner()})` : inner()}${space()}${cased(of(['AND', 'OR']))}${space()}${inner()}`
  }
  if (chance(0.08)) return `${cased('LIST_CONTAINS')}(participant_tags,${space()}'${of(TEXTS)}')`
  const type = of(['id', 'text', 'number', 'boolean', 'timestamp'] as const)
  // DuckDB would compare two texts beside each other as texts, and so do we; times need a column.
  const left = type === 'timestamp' ? column(type) : operand(type)
  if (type === 'boolean' && chance(0.4)) return left
  const not = chance(0.3) ? `${space()}${cased('NOT')}` : ''
  const kind = of(['compare', 'compare', 'in', 'is', 'between', 'like'])
  if (kind === 'is') return `${left} ${cased('IS')}${not} ${cased('NULL')}`
  if (kind === 'in')
    return `${left}${not} ${cased('IN')} (${Array.from({ length: 1 + below(4) }, () => literal(type)).join(',')})`
  if (kind === 'between' && type !== 'boolean')
    return `${left}${not} ${cased('BETWEEN')} ${operand(type)} ${cased('AND')} ${operand(type)}`
  if (kind === 'like' && type === 'text') return `${left}${not} ${cased('LIKE')} '${of(LIKE_PATTERNS)}'`
  const operator = type === 'boolean' ? of(['=', '<>']) : of(OPERATORS)
  const gap = ' '.repeat(below(2))
  return `${left}${gap}${operator}${gap}${operand(type)}`
}

describe('filters by the grammar', () => {
  let rows: Awaited<ReturnType<typeof literalRows>>
  let db: DuckDb
  beforeAll(async () => {
    rows = await literalRows(FACTS)
    db = await openDuckDb({ directories: [], threads: 1, memoryMib: 128 })
    const types = { id: 'VARCHAR', text: 'VARCHAR', number: 'DOUBLE', boolean: 'BOOLEAN', timestamp: 'TIMESTAMPTZ' }
    const columns = Object.entries(COLUMNS).flatMap(([type, names]) => names.map((name) => [name, types[type as Type]]))
    const quoted = (value: unknown) =>
      value === null ? 'NULL' : typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
    const values = FACTS.map((fact, i) => {
      const cells = columns.map(([name, type]) => `CAST(${quoted(fact[name])} AS ${type})`)
      const tags = `CAST([${(fact.participant_tags as string[]).map(quoted).join(', ')}] AS VARCHAR[])`
      return `(${i}, ${tags}, ${cells.join(', ')})`
    })
    const names = ['i', 'participant_tags', ...columns.map(([name]) => name)]
    await db.connection.run(
      `CREATE TABLE literal AS SELECT * FROM (VALUES ${values.join(', ')}) AS t(${names.join(', ')})`,
    )
  })
  afterAll(async () => {
    db.close()
    await rows.remove()
  })

  test(
    'are true, false and unknown where DuckDB says so of their text',
    async () => {
      const random = randomOf(20_261_122)
      let [decided, unknown] = [0, 0]
      for (let n = 0; n < BY_GRAMMAR; n++) {
        const text = conditionOf(random, 4)
        if ([...text].length > 2000) continue
        // Its TIMESTAMP leaves out the offset.
        const sql = text.replace(/TIMESTAMP( +')/gi, 'TIMESTAMPTZ$1')
        const reader = await db.connection.runAndReadAll(`SELECT (${sql}) FROM literal ORDER BY i`)
        const expected = reader.getRows().map(([truth]) => truth)
        expect(await rows.truths(text), text).toEqual(expected)
        decided += expected.filter((truth) => truth !== null).length
        unknown += expected.filter((truth) => truth === null).length
      }
      expect(Math.min(decided, unknown)).toBeGreaterThan(BY_GRAMMAR)
    },
    120_000 + 20 * CASES,
  )
})

const WORDS =
  /^(AND|OR|NOT|IN|LIKE|IS|NULL|TRUE|FALSE|CAST|TRY_CAST|AS|DOUBLE|VARCHAR|lower|COALESCE|list_contains|CASE|WHEN|THEN|END|regexp_full_match|like_by_segments|f_tags|v\d+)$/
const NUMBER_PATTERN = "'-?[0-9]{1,15}(\\.[0-9]{1,15})?'"
/** A pattern of LIKE: code points in hexadecimal, and what % and _ become. */
const LIKE_PATTERN = /'\(\?s\)(\\x\{[0-9a-f]+\}|\.\*?)*'/g
const columns = filterColumns(NAMES)

/** Fails where SQL has a word, a sign or a text that is not ours. */
function expectOurs(sql: string, source: string): void {
  const plain = sql.replaceAll(NUMBER_PATTERN, '').replaceAll(LIKE_PATTERN, '')
  expect(plain, source).toMatch(/^[A-Za-z0-9_$(), =<>]*$/)
  for (const word of plain.match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? [])
    if (!WORDS.test(word)) expect(columns.has(word.replace(/^f_/, '')), `${word} in ${source}`).toBe(true)
}

test('filters by noise are refused at a place that they have, or become SQL of our own words', () => {
  const random = randomOf(7)
  const { of, below, chance } = random
  const pieces = [
    ...'()\'",;=<>!-_.%\\/*+ \t\n\u0000\u007f\u0080\u00a0éß🙂\ud800',
    '--',
    "''",
    'DROP TABLE tests',
    'SELECT',
    '$v0',
    '1e5',
    '0x1',
    ...TEXTS,
    ...TIMES,
    'AND',
    'OR',
    'NOT',
    'IN',
    'IS NULL',
    'BETWEEN',
    'LIKE',
    ...columns.keys(),
    'participant_tags',
    'list_contains(',
  ]
  const soup = () => Array.from({ length: 1 + below(12) }, () => of(pieces)).join(chance(0.5) ? ' ' : '')
  const mutated = () => {
    const characters = [...conditionOf(random, 2)]
    for (let n = 1 + below(3); n > 0; n--)
      characters.splice(below(characters.length), below(3), ...(chance(0.7) ? [of(pieces)] : []))
    return characters.join('')
  }
  let read = 0
  for (let n = 0; n < BY_NOISE; n++) {
    const text = trimFilter(chance(0.5) ? soup() : mutated())
    if (text === null) continue
    const { condition, fault } = readFilter(text, columns)
    if (condition === null) {
      expect(fault.position, text).toBeGreaterThan(0)
      expect(fault.position, text).toBeLessThanOrEqual([...text].length + 1)
      expect(fault.rule).toMatch(/^must /)
      continue
    }
    read++
    const { where, values } = filterSql(condition, true)
    expectOurs(where, text)
    expect(where.match(/\$v\d+/g)?.length ?? 0).toBe(Object.keys(values).length)
  }
  expect(read).toBeGreaterThan(BY_NOISE / 50)
})
