import { describe, expect, test } from 'vitest'
import { checkSqlQuery } from '../../../../engine/analysis/sql/read-query.ts'
import { openDuckDb } from '../../../../engine/duckdb/duckdb.ts'
import { kept } from '../../kept.ts'

const duckDb = kept(await openDuckDb({ directories: [], threads: 1, memoryMib: 64 }))

const read = (text: string) => checkSqlQuery(duckDb.connection, text, ['tests', 'fixations', 'saccades'])

describe('a query is refused that', () => {
  const cases: [string, RegExp][] = [
    ["COPY tests TO 'tests.csv'", /^only queries that read/],
    ['INSERT INTO items VALUES (1)', /^only queries that read/],
    ['CREATE TABLE t AS SELECT 1', /^only queries that read/],
    ['DROP VIEW fixations', /^only queries that read/],
    ["ATTACH 'x.db'", /^only queries that read/],
    ['INSTALL httpfs', /^only queries that read/],
    ['SET threads = 9', /^only queries that read/],
    ['SET lock_configuration = false', /^only queries that read/],
    ['EXPLAIN ANALYZE FROM tests', /^only queries that read/],
    ['PRAGMA database_size', /^only queries that read/],
    ["CALL enable_logging('QueryLog')", /^only queries that read/],
    ["FROM enable_logging(storage = 'file')", /^enable_logging\(\) cannot be called/],
    ["FROM read_csv('/etc/passwd')", /^read_csv\(\) cannot be called/],
    ["SELECT (SELECT content FROM read_text('/etc/passwd'))", /^read_text\(\) cannot be called/],
    ["FROM tests WHERE EXISTS (FROM glob('/*'))", /^glob\(\) cannot be called/],
    ["FROM query('FROM fixations')", /^query\(\) cannot be called/],
    ["FROM query_table('fixations')", /^query_table\(\) cannot be called/],
    ["FROM histogram('fixations', 'fixation_index')", /^histogram\(\) cannot be called/],
    ["FROM '/etc/passwd'", /^there is no table \/etc\/passwd/],
    ['FROM "tests.parquet"', /^there is no table tests.parquet/],
    ['FROM fixatoins', /^there is no table fixatoins; did you mean fixations\?$/],
    ['FROM other.main.tests', /^there is no table other.main.tests/],
    ['SELECT 1; SELECT 2', /^one query runs at a time, got 2$/],
    ['', /^there is no query$/],
    ['-- nothing', /^there is no query$/],
    ['SELECT\n  1 +', /^syntax error at end of input/],
    ['SELECT 1\nFORM tests', /^syntax error at or near "tests" \(line 2, character 6\)$/],
  ]
  for (const [query, sentence] of cases)
    test(JSON.stringify(query), async () => {
      const refusal = read(query)
      await expect(refusal).rejects.toThrow(sentence)
      await expect(refusal).rejects.toMatchObject({ code: 'usage', message: expect.not.stringContaining('\n') })
    })
})

describe('a query names', () => {
  const cases: [string, string[]][] = [
    ['FROM Tests', ['tests']],
    ['WITH f AS (FROM fixations) SELECT * FROM f, main.tests', ['f', 'fixations', 'tests']],
    ['SELECT (SELECT max(fixation_index) FROM fixations), x IN (FROM saccades)', ['fixations', 'saccades']],
    ['FROM range(3) JOIN LATERAL (FROM tests) ON true', ['tests']],
    ['SUMMARIZE fixations', ['fixations']],
    ['FROM (PIVOT tests ON item_id IN (1)) LIMIT (SELECT count(*) FROM saccades)', ['saccades', 'tests']],
    ['FROM tests UNION ALL FROM fixations', ['fixations', 'tests']],
    ['FROM information_schema.tables', ['tables']],
    ["SELECT 1e999::DOUBLE, ':Infinity,' FROM tests", ['tests']],
  ]
  for (const [query, names] of cases)
    test(`${names.join(' and ')}: ${query}`, async () => {
      expect([...(await read(query)).tables].sort()).toEqual(names)
    })
})

describe('a query needs no rows', () => {
  const needs = async (text: string) => !(await read(text)).isOfColumns
  test('if it describes columns and does nothing else', async () => {
    for (const text of ['DESCRIBE tests', 'DESCRIBE SELECT count(*) FROM tests', 'SHOW TABLES'])
      expect(await needs(text), text).toBe(false)
  })
  test('else it does', async () => {
    const others = [
      'FROM tests',
      'FROM (DESCRIBE tests)',
      'SUMMARIZE tests',
      'FROM (SUMMARIZE tests)',
      'SELECT (SELECT count(*) FROM tests) FROM (DESCRIBE tests)',
      'FROM (DESCRIBE tests) WHERE (SELECT count(*) FROM tests) > 0',
      'FROM (DESCRIBE tests) LIMIT (SELECT count(*) FROM tests)',
      'FROM (DESCRIBE tests) ORDER BY (SELECT count(*) FROM tests)',
      'SELECT * REPLACE ((SELECT count(*) FROM tests) AS key) FROM (DESCRIBE tests)',
      'WITH n AS (FROM tests) FROM (DESCRIBE tests)',
      'FROM (DESCRIBE tests), tests',
    ]
    for (const text of others) expect(await needs(text), text).toBe(true)
  })
})
