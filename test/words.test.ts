import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PROBLEMS } from '../server/http/problems.ts'
import { openApiDocument } from '../server/openapi/document.ts'

const ROOT = new URL('..', import.meta.url).pathname
const ROOMS = ['bin', 'dashboard', 'demo', 'engine', 'isomorphic', 'server', 'worker', 'test']
/** Rooms whose docstrings begin with a verb, or with the name of the thing. Others follow; none leaves this list. */
const CLEAN =
  /^(bin|dashboard|demo|server|isomorphic|worker|engine\/(?!jobs|snapshot|storage|study)|engine\/study\/(compact|samples))/
/** Rooms whose docstrings avoid `VAGUE` words, too. */
const PLAIN =
  /^(bin|dashboard|server|isomorphic|worker|engine\/(access|analysis\/(charts|sql)|compute|duckdb|exports|filter|formats|import|run|webhooks)|engine\/(products\/package|study\/(compact|samples)))/
/** First words of a riddle in place of a statement: a summary says what an operation does. */
const RIDDLES = /^(How|What|Whether|Where|Who|That|Those|Of|As) /
/** First words of a docstring that is not a statement; `Has` and `Is` are predicates without a subject. */
const BANNED = 'What|How|Where|Of|As|Who|Whom|Whose|Whether|Why|When|That|Those|It|Whoever|Is|Has|Tells'
/** Words that no reader would search for, or that leave the subject open. */
const VAGUE =
  /\b([Ww]hoever|[Ww]homever|as ever|likewise|(?<!there )(is|are) none|of which nothing|that there is|that there are)\b/
/** Verbs with which the summary of an operation begins, in one voice. */
const VERBS =
  /^(Add|Append|Average|Cancel|Change|Compare|Count|Create|Delete|Download|Estimate|Export|Get|Import|List|Pause|Re-enable|Rename|Replace|Resume|Retry|Revoke|Rotate|Send|Store|Stream|Suggest|Summarize|The message|Undo|Upload|Withdraw|Write) /
const SENTENCES_MAX_WORDS = 60

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

/** Returns the value at a path, as `textsOf` writes it. */
function at(value: unknown, path: string): unknown {
  const names = path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~', '/'))
  return names.reduce((inner, name) => (inner as Record<string, unknown>)[name], value)
}

describe('the OpenAPI document', () => {
  const document = openApiDocument()
  test('says in each summary what the operation does, in one line without a full stop', () => {
    const summaries = textsOf(document, 'summary')
    expect(summaries.length).toBeGreaterThan(60)
    expect(summaries.filter(({ text }) => RIDDLES.test(text) || text.endsWith('.') || text.length > 120)).toEqual([])
  })
  test('begins each summary of an operation with a verb', () => {
    const operations = Object.values(document.paths as object).flatMap((path) => Object.values(path as object))
    const summaries = operations.map(({ summary }: { summary: string }) => summary)
    expect(summaries.length).toBeGreaterThan(60)
    expect(summaries.filter((text) => !VERBS.test(text))).toEqual([])
  })
  test('says what each list holds', () => {
    const lists = JSON.stringify(document).match(/"type":"array"/g)
    const described = textsOf(document, 'type').filter(({ text }) => text === 'array')
    expect(described).toHaveLength(lists!.length)
    const holding = described.map(({ path }) => [path, at(document, `${path.replace(/\/type$/, '')}/items`)])
    expect(holding.filter(([, items]) => typeof items !== 'object' || items === null)).toEqual([])
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
  const found = docstrings(CLEAN).filter(({ text }) => new RegExp(`^(${BANNED}) `).test(text))
  expect(found).toEqual([])
})

test('docstrings use words that name their subject', () => {
  expect(docstrings(PLAIN).length).toBeGreaterThan(1500)
  expect(docstrings(PLAIN).filter(({ text }) => VAGUE.test(text))).toEqual([])
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

describe('the pages of docs', () => {
  const pages = ['README.md', 'CHANGELOG.md', ...names('docs').map((name) => `docs/${name}`)]
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, lines: prose(readFileSync(join(ROOT, path), 'utf8')) }))
  test('have sentences of at most 60 words', () => {
    const long = pages.flatMap(({ path, lines }) => sentences(lines).flatMap((text) => tooLong(path, text)))
    expect(long).toEqual([])
  })
  test('have a line for each file of a tree', () => {
    const trees = names('docs')
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) => readFileSync(join(ROOT, 'docs', name), 'utf8').split(/\n\s*\n/))
      .filter(
        (block) => /^ {4}[\w<>./ -]*\/( |$)/m.test(block) && block.split('\n').every((line) => line.startsWith('    ')),
      )
    expect(trees.length).toBeGreaterThan(4)
    // What is said of a name stands in a column of its own, two blanks from the name.
    const merged = trees
      .flatMap((tree) => tree.split('\n'))
      .filter((line) => /^ {4,12}\S(?!.*\S {2,}\S).{60}/.test(line))
    expect(merged).toEqual([])
  })
  test('use words that name their subject', () => {
    const vague = pages.flatMap(({ path, lines }) =>
      lines.filter((line) => VAGUE.test(line)).map((line) => [path, line]),
    )
    expect(vague).toEqual([])
  })
})

/** Returns the lines of a page that are text: without code, tables, quotations and headings. */
function prose(page: string): string[] {
  const outside = page.replace(/^ *```.*?^ *```/gms, '').replace(/<!-- demo.*?\/demo -->/gs, '')
  return outside.split('\n').filter((line) => !/^( {4}|\||#|>|<)/.test(line))
}

function sentences(lines: string[]): string[] {
  const blocks = lines.join('\n').split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
  return blocks.flatMap((block) => block.replace(/\s+/g, ' ').split(/(?<=[.!?:;)])\s+(?=[A-Z`*[(–-])/))
}

function tooLong(path: string, text: string): string[] {
  const words = text.split(' ').filter((word) => /[a-z]/i.test(word))
  return words.length > SENTENCES_MAX_WORDS ? [`${path}: ${text.slice(0, 80)} …`] : []
}

/** Returns the docstrings of some rooms, each as one line, with its place. */
function docstrings(rooms: RegExp): { at: string; text: string }[] {
  return sources().flatMap(({ path, text }) => {
    if (!rooms.test(path)) return []
    return [...text.matchAll(/\/\*\*(.*?)\*\//gs)].map(({ index, 1: body }) => ({
      at: `${path}:${text.slice(0, index).split('\n').length}`,
      text: body
        .replace(/^\s*\* ?/gm, '')
        .replace(/\s+/g, ' ')
        .trim(),
    }))
  })
}

function names(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
}

function sources(): { path: string; text: string }[] {
  return ROOMS.flatMap((room) => names(room).map((name) => join(room, name)))
    .filter((path) => /\.[cm]?tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}
