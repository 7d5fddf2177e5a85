import type { DuckDBValue } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DuckDb, listValue, openDuckDb } from '../../../engine/duckdb/duckdb.ts'
import { likeMatcher, likeSql, registerLike } from '../../../engine/duckdb/like.ts'

let db: DuckDb
let like: ReturnType<typeof registerLike>

beforeAll(async () => {
  db = await openDuckDb({ directories: [], threads: 1, memoryMib: 128 })
  like = registerLike(db.connection)
})
afterAll(() => {
  db.close()
  like.destroySync()
})

/** Returns the result of SQL for each text and for NULL. */
async function ask(texts: string[], sqlOf: (bind: (value: string) => string) => string[]) {
  const values: Record<string, DuckDBValue> = { texts: listValue(texts) }
  const bind = (value: string) => {
    const name = `v${Object.keys(values).length}`
    values[name] = value
    return `CAST($${name} AS VARCHAR)`
  }
  const asked = sqlOf(bind).join(', ')
  const read = await db.connection.runAndReadAll(
    `SELECT ${asked} FROM (SELECT unnest($texts) AS x UNION ALL SELECT NULL)`,
    values,
  )
  return read.getRows()
}

async function compare(texts: string[], pattern: string) {
  const found = await ask(texts, (bind) => [likeSql('x', pattern, bind), `x LIKE ${bind(pattern)}`])
  return { ours: found.map(([own]) => own), theirs: found.map(([, own]) => own) }
}

function* words(signs: string[], length: number): Generator<string> {
  yield ''
  if (length === 0) return
  for (const word of words(signs, length - 1)) for (const sign of signs) yield word + sign
}

test('each short pattern finds what LIKE finds', async () => {
  const texts = [...new Set(words(['a', 'b', '🙂'], 4)), 'a\nb', 'a\u0000b', 'é', 'e\u0301', "it's", 'a_b', 'a%b', '\\']
  const patterns = [...new Set(words(['a', '%', '_'], 4)), ...new Set(words(['a', '%_', '🙂', 'b_'], 3))]
  for (const pattern of patterns) {
    const { ours, theirs } = await compare(texts, pattern)
    expect(ours, pattern).toEqual(theirs)
    const matches = likeMatcher(pattern)
    expect(texts.map(matches), pattern).toEqual(theirs.slice(0, -1))
  }
})

test('signs that mean something to regular expressions mean themselves', async () => {
  const signs = '.*+?()[]{}|^$\\/\'"-#&~ é🙂\u2028'
  for (const sign of signs) {
    const texts = [sign, `a${sign}b`, 'a', '', 'aab']
    for (const pattern of [sign, `%${sign}%`, `_${sign}%`, `%${sign}_`]) {
      const { ours, theirs } = await compare(texts, pattern)
      expect(ours, pattern).toEqual(theirs)
    }
  }
})

test('segments longer than a word are found where they are', () => {
  for (const length of [31, 32, 33, 64, 65, 200]) {
    const segment = `a${'_'.repeat(length - 2)}b`
    const found = `${'b'.repeat(50)}a${'x'.repeat(length - 2)}b${'a'.repeat(50)}`
    expect(likeMatcher(`%${segment}%`)(found)).toBe(true)
    expect(likeMatcher(`%${segment}_%`)(found.slice(0, -50))).toBe(false)
    expect(likeMatcher(`%${segment}%`)(found.replace(/b(a+)$/, 'c$1'))).toBe(false)
  }
})

/** Patterns for which every place of every % is tried, or every set of places remembered. */
const SLOW = [
  '%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%b',
  '%_%_%_%b',
  `${'%a'.repeat(900)}b`,
  `%${'a'.repeat(1900)}b%`,
  `%a${'_'.repeat(900)}b%`,
  `${`%a${'_'.repeat(20)}`.repeat(80)}b%`,
  `%a____b${'%ab'.repeat(300)}c%`,
]

test.each(SLOW)('a pattern takes time that grows with the text alone: %.40s', { timeout: 120_000 }, async (pattern) => {
  const texts = Array.from({ length: 200 }, (_, i) => 'a'.repeat(1000 + i))
  const found = await ask(texts, (bind) => [likeSql('x', pattern, bind)])
  expect(found.slice(0, -1).flat()).toEqual(new Array(200).fill(false))
})
