import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDERS = 'bin clients dashboard demo deploy docs engine isomorphic scripts server test worker'.split(' ')
const TEXT = /\.(ts|tsx|mts|cts|mjs|wat|md)$/
/** A page, a section of it in quotes, or an anchor; comments may break a line in between. */
const CITATION = /\bdocs\/([\w-]+\.md)(?:,\s+(?:(?:\*|\/\/|;;)\s+)?"([^"\n]+)")?/g
const LINK = /\]\((?:docs\/)?([\w-]+\.md)?#([\w-]+)\)/g

test('every page and section of docs that is cited is there', async () => {
  const pages = new Map<string, string[]>()
  for (const name of await readdir(join(ROOT, 'docs')))
    if (name.endsWith('.md')) pages.set(name, headingsIn(await readFile(join(ROOT, 'docs', name), 'utf8')))
  const broken: string[] = []
  for (const path of await textFiles()) {
    const text = await readFile(join(ROOT, path), 'utf8')
    for (const [citation, page, heading] of text.matchAll(CITATION))
      if (!pages.has(page) || (heading && !pages.get(page)?.includes(heading))) broken.push(`${path}: ${citation}`)
    if (!path.endsWith('.md')) continue
    for (const [link, page, anchor] of text.matchAll(LINK)) {
      const headings = page === undefined ? headingsIn(text) : (pages.get(page) ?? [])
      if (!headings.some((heading) => anchorOf(heading) === anchor)) broken.push(`${path}: ${link}`)
    }
  }
  expect(broken).toEqual([])
})

test('every file and folder that a page links to is there', async () => {
  const pages = (await textFiles()).concat('CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md')
  const broken: string[] = []
  for (const path of pages.filter((name) => name.endsWith('.md'))) {
    const text = (await readFile(join(ROOT, path), 'utf8')).replace(/^```[\s\S]*?^```/gm, '')
    for (const [link, target] of text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)[^)]*\)/g))
      if (!existsSync(join(ROOT, dirname(path), target))) broken.push(`${path}: ${link}`)
  }
  expect(broken).toEqual([])
})

function headingsIn(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading)
}

/** Converts a heading to an anchor, like GitHub. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}

async function textFiles(): Promise<string[]> {
  const names = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true })).map((name) => join(folder, name)),
    ),
  )
  return ['README.md', ...names.flat().filter((name) => TEXT.test(name) && !name.endsWith('citations.test.ts'))]
}

test('every test that the threat model names is there, every row names one, and both lists are whole', async () => {
  const text = await readFile(join(ROOT, 'docs/threat-model.md'), 'utf8')
  const paths = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path)
  const files = (await readdir(join(ROOT, 'test'), { recursive: true })).map((name) => join('test', name))
  expect(paths.filter((path) => !files.includes(path))).toEqual([])
  const rows = text.split('\n').filter((line) => /^\| (?!-|attacker |risk|section)/.test(line))
  const isShown = (row: string) =>
    /`test\/[^`]+`[^|]*\|$/.test(row) || /\| (not used|does not apply)[^|]*\| *\|$/.test(row)
  expect(rows.filter((row) => !isShown(row))).toEqual([])
  const risks = Array.from({ length: 10 }, (_, i) => `API${i + 1}`)
  expect(rows.flatMap((row) => /^\| (API\d+) /.exec(row)?.[1] ?? [])).toEqual(risks)
  const sections = rows.filter((row) => /^\| V\d/.test(row)).map((row) => row.split('|')[1])
  const chapters = sections.flatMap((section) => section.match(/V\d+/g) ?? [])
  expect([...new Set(chapters)]).toEqual(Array.from({ length: 17 }, (_, i) => `V${i + 1}`))
})
