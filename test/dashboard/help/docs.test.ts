import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import MiniSearch from 'minisearch'
import { expect, test } from 'vitest'
import { type FoundSection, SEARCHED } from '../../../dashboard/core/help/search-options.ts'
import { findWord } from '../../../dashboard/core/help/words.ts'
import { DETECTOR_WORDS } from '../../../dashboard/core/view/named-settings.ts'
import { QUALITY_WORDS } from '../../../dashboard/pages/quality/thresholds.ts'
import { EXPORTS } from '../../../engine/exports/registry.ts'
import { MEASURES } from '../../../isomorphic/measures.ts'
import { glossaryWords, indexOf, readDocs } from '../../../scripts/docs/read-docs.ts'
import { renderPage } from '../../../scripts/docs/render-page.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const pages = readDocs(ROOT)
const words = glossaryWords(pages.find(({ slug }) => slug === 'glossary')!)
const linksOf = (html: string) => [...html.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href)
// Pages that do not exist, so that no test takes them for citations.
const [HERE, THERE] = ['here', 'there'].map((name) => `docs/${name}.md`)
const render = (markdown: string, known: [string, string][] = []) =>
  renderPage(markdown, HERE, new Map([[HERE, 'here'], ...known])).html

test('all pages of docs/ are served, and the first one links to each of them', () => {
  const names = readdirSync(`${ROOT}/docs`).filter((name) => name.endsWith('.md') && name !== 'README.md')
  const slugs = names.map((name) => name.slice(0, -'.md'.length))
  expect(pages.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['', 'readme', ...slugs]))
  const linked = linksOf(pages[0].html)
  expect([...slugs, 'readme'].filter((slug) => !linked.includes(`/help/${slug}`))).toEqual([])
})

test('every link within the documentation leads to a page and a heading that exist', () => {
  const ids = new Map(pages.map(({ slug, sections }) => [slug, new Set(sections.map(({ id }) => id))]))
  const broken = pages.flatMap(({ slug, html }) =>
    linksOf(html).filter((href) => {
      const [, path, hash = ''] = /^(?:\/help\/?([^#]*))?(?:#(.*))?$/.exec(href) ?? []
      if (/^(https?|mailto):/.test(href)) return false
      return !ids.get(path ?? slug)?.has(hash)
    }),
  )
  expect(broken).toEqual([])
})

test('pages have no code, styles or pictures of their own, and load nothing', () => {
  for (const { slug, html } of pages) {
    const found =
      html.match(/<(script|style|img|iframe|link|object|form|input)\b|\s(style|on\w+)="|javascript:/gi) ?? []
    expect([slug, found]).toEqual([slug, []])
    expect(html).toMatch(/^\s*<h1>/)
  }
})

test('a link to another page becomes its address; one to a file that is not served becomes text', () => {
  const known: [string, string][] = [
    [THERE, 'there'],
    ['README.md', 'readme'],
  ]
  expect(render('[a](there.md#x-y) [b](../README.md) [c](alerts.yml) [d](#up) [e](https://doi.org/1)', known)).toBe(
    '<p><a href="/help/there#x-y">a</a> <a href="/help/readme">b</a> c <a href="#up">d</a> <a href="https://doi.org/1">e</a></p>\n',
  )
})

test('HTML in Markdown is left out, and code is escaped', () => {
  expect(render('a <b onclick="x()">b</b>\n\n`<i>`\n\n```\n<script>\n```\n')).toBe(
    '<p>a b</p>\n<p><code>&lt;i&gt;</code></p>\n<pre tabindex="0"><code>&lt;script&gt;</code></pre>\n',
  )
})

test('headings of the same name get different ids, as on GitHub', () => {
  expect(render('# T\n## Time window, ms\n## Time window, ms\n')).toBe(
    '<h1>T</h1>\n<h2 id="time-window-ms">Time window, ms</h2>\n<h2 id="time-window-ms-1">Time window, ms</h2>\n',
  )
})

test('the search finds sections by the beginning of a word, and with a typing error', () => {
  const index = MiniSearch.loadJSON(indexOf(pages), SEARCHED)
  const first = (query: string) => index.search(query)[0] as unknown as FoundSection
  expect(first('kubern').id).toMatch(/^scaling#kubernetes/)
  expect(first('quality grades').id).toBe('metrics#quality-grades')
  expect(first('dispertion').id).toBe('detectors#dispersion')
  expect(first('gazeVelocityThreshold')).toBeDefined()
  expect(index.search('xylophone')).toEqual([])
})

test('each column that the glossary names is one of the export that it names', () => {
  const known = new Set(EXPORTS.flatMap(({ name, columns }) => columns.map((column) => `${name} ${column.name}`)))
  const named = words.flatMap(({ columns }) => columns.map(({ export: name, column }) => `${name} ${column}`))
  expect(named.length).toBeGreaterThan(60)
  expect(named.filter((column) => !known.has(column))).toEqual([])
})

test('a term of the glossary is found by its name and by a column', () => {
  const ttff = findWord(words, 'TTFF')!
  expect(ttff.columns).toContainEqual({ export: 'aoi-fixations-stats', column: 'aoi_fixation_ttff_ms' })
  expect(findWord(words, 'aoi_fixation_average_ttff_ms')).toBe(ttff)
  expect(findWord(words, 'nothing')).toBeUndefined()
  for (const { word, meaning, source } of words) expect([word, meaning !== '' && source !== '']).toEqual([word, true])
})

/** Files whose measures are columns of AOI exports. */
const AOI_MEASURES = ['figures/aoi-bars.tsx', 'pages/aoi-editor/numbers-panel.tsx', 'pages/report/report-item.tsx']

/** Terms and columns in the source of the dashboard, which "?" looks up in the glossary. */
test('every "?" of the dashboard is explained by the glossary', () => {
  const files = readdirSync(`${ROOT}/dashboard`, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  )
  const asked = files.flatMap((name) => {
    const text = readFileSync(`${ROOT}/dashboard/${name}`, 'utf8')
    return [...text.matchAll(/\bof: '([^']+)', name:|<Explain of="([^"]+)"/g)].map(([, a, b]) => a ?? b)
  })
  const columns = [
    ...MEASURES.map(({ column }) => column),
    ...QUALITY_WORDS.map(({ of }) => of),
    ...Object.values(DETECTOR_WORDS),
    ...AOI_MEASURES.flatMap((name) =>
      [...readFileSync(`${ROOT}/dashboard/${name}`, 'utf8').matchAll(/'(aoi_\w+_(?:ms|count|percents))'/g)].map(
        ([, of]) => of,
      ),
    ),
  ]
  expect(asked).toEqual(expect.arrayContaining(['saccade', 'visit', 'survival curve', 'quality grade', 'transition']))
  expect([...asked, ...columns].filter((of) => findWord(words, of) === undefined)).toEqual([])
})
