import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PROBLEMS } from '../server/http/problems.ts'
import { openApiDocument } from '../server/openapi/document.ts'

const ROOT = new URL('..', import.meta.url).pathname
const ROOMS = ['bin', 'demo', 'engine', 'server', 'worker', 'test']
/** Words that begin a riddle in the place of a statement: a summary says what an operation does. */
const RIDDLES = /^(How|What|Whether|Where|Who|That|Those|Of|As) /

type Described = { path: string; text: string }

/** Returns every text under a name in a document, with the path to it. */
function textsOf(value: unknown, name: string, path = ''): Described[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name && typeof inner === 'string'
      ? [{ path, text: inner }]
      : textsOf(inner, name, `${path}/${key.replaceAll('/', '~')}`),
  )
}

describe('the OpenAPI document', () => {
  const document = openApiDocument()
  test('says in each summary what the operation does, in one line without a full stop', () => {
    const summaries = textsOf(document, 'summary')
    expect(summaries.length).toBeGreaterThan(60)
    expect(summaries.filter(({ text }) => RIDDLES.test(text) || text.endsWith('.') || text.length > 120)).toEqual([])
  })
  test('describes things by their names, not by questions', () => {
    const descriptions = textsOf(document, 'description')
    expect(descriptions.length).toBeGreaterThan(300)
    expect(descriptions.filter(({ text }) => /^(How|What|Who|Where) /.test(text))).toEqual([])
  })
})

test('titles of problems are names of states, and their meaning is a sentence', () => {
  for (const [code, { title, meaning }] of Object.entries(PROBLEMS)) {
    expect(title, code).toMatch(/^[A-Z][^.?!]+$/)
    expect(title.length, code).toBeLessThanOrEqual(60)
    expect(meaning, code).toMatch(/^[A-Z`].*[.)]$/s)
  }
})

test('comments end at column 120', () => {
  const paths = ROOMS.flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)),
  )
  const long = paths
    .filter((path) => /\.[cm]?tsx?$/.test(path))
    .flatMap((path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .flatMap((line, i) =>
          line.length > 120 && /^\s*(\/\/|\/?\*)/.test(line) && !line.includes('biome-ignore')
            ? `${path}:${i + 1}`
            : [],
        ),
    )
  expect(paths.length).toBeGreaterThan(1000)
  expect(long).toEqual([])
})
