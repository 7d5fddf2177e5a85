import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PROBLEMS } from '../server/http/problems.ts'
import { openApiDocument } from '../server/openapi/document.ts'

const ROOT = new URL('..', import.meta.url).pathname
const ROOMS = ['bin', 'demo', 'engine', 'server', 'worker', 'test']
/** Rooms whose docstrings begin with a verb, or with the name of the thing. Others follow; none leaves this list. */
const CLEAN = /^(bin|demo|server|worker|engine\/(?!files|recordings|remote|snapshot|store|study\/))/
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

test('docstrings begin with a verb or a name, not with a question', () => {
  const found = sources().flatMap(({ path, text }) => {
    if (!CLEAN.test(path)) return []
    return [...text.matchAll(/\/\*\*[\s*]*(What|How|Where|Of|As|Who|Whom|Whose|Whether|Why) /g)].map(
      ({ index, 0: begin }) => `${path}:${text.slice(0, index).split('\n').length} ${begin.replace(/[\s*]+/g, ' ')}`,
    )
  })
  expect(found).toEqual([])
})

test('comments end at column 120', () => {
  const files = sources()
  const long = files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        line.length > 120 && /^\s*(\/\/|\/?\*)/.test(line) && !line.includes('biome-ignore') ? `${path}:${i + 1}` : [],
      ),
  )
  expect(files.length).toBeGreaterThan(1000)
  expect(long).toEqual([])
})

function sources(): { path: string; text: string }[] {
  const paths = ROOMS.flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)),
  )
  return paths
    .filter((path) => /\.[cm]?tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}
