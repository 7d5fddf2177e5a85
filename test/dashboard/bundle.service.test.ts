import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import express from 'express'
import { expect, test } from 'vitest'
import { dashboardRoutes } from '../../server/http/dashboard-files.ts'

const built = fileURLToPath(new URL('../../dist/dashboard', import.meta.url))
const files = (await readdir(built, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  .map((entry) => `${entry.parentPath}/${entry.name}`)

/** Files of the documentation: a page each, the search index and the glossary, loaded when they are wanted. */
const isDocs = (file: string) => file.includes('/assets/docs-')

/** What writes Word and PowerPoint, loaded when a report is saved as one of them. */
const isWriter = (file: string) => /\/assets\/(docx|pptx)-/.test(file)

test('the dashboard takes at most 360 KB gzipped, what writes documents 210 KB, and its documentation 440 KB', async () => {
  const sizeOf = async (some: string[]) => {
    const sizes = await Promise.all(some.map(async (file) => gzipSync(await readFile(file)).length))
    return sizes.reduce((sum, size) => sum + size, 0)
  }
  const isCode = (file: string) => !isDocs(file) && !isWriter(file)
  const [code, writers, docs] = await Promise.all([isCode, isWriter, isDocs].map((is) => sizeOf(files.filter(is))))
  expect(code).toBeGreaterThan(10_000)
  expect(code).toBeLessThanOrEqual(360_000)
  expect(files.filter(isWriter)).toHaveLength(2)
  expect(writers).toBeLessThanOrEqual(210_000)
  expect(docs).toBeGreaterThan(50_000)
  expect(docs).toBeLessThanOrEqual(440_000)
})

/** Adds a file, and those that it imports before it runs; `import(…)` is asked for later. */
async function follow(name: string, found: Set<string>): Promise<void> {
  if (found.has(name)) return
  found.add(name)
  const text = await readFile(`${built}/${name}`, 'utf8')
  const imported = [...text.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+\.js)"/g)].map(([, file]) => `assets/${file}`)
  for (const file of imported) await follow(file, found)
}

const named = (beginning: string) => {
  const found = files.filter((file) => file.includes(`/assets/${beginning}-`) && file.endsWith('.js') && !isDocs(file))
  expect(found).toHaveLength(1)
  return found[0].slice(built.length + 1)
}

/** Returns the files that index.html names, and those that a page's script imports before it runs. */
async function filesOf(page: string): Promise<string[]> {
  const found = new Set<string>()
  const html = await readFile(`${built}/index.html`, 'utf8')
  const assets = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name]) => name)
  for (const name of [...assets, named(page)]) await follow(name, found)
  return [...found]
}

const kilobytes = async (names: string[]) => {
  const sizes = await Promise.all(names.map(async (name) => gzipSync(await readFile(`${built}/${name}`)).length))
  return sizes.reduce((sum, size) => sum + size, 0) / 1000
}

test.each([
  ['studies-page', 64],
  ['study-page', 76],
  // Its own styles, 1.7 KB, are loaded with its script.
  ['item-page', 82],
])('the scripts and styles of %s take at most %d KB gzipped', async (page, most) => {
  const names = await filesOf(page)
  expect(names.length).toBeGreaterThanOrEqual(5)
  expect(await kilobytes(names)).toBeLessThanOrEqual(most)
  expect(
    names.filter((name) =>
      /aoi-editor|bring-in|charts|docs-|docx|drawing-file|pptx|replay|save-video|sign-in|groups|quality|transitions/.test(
        name,
      ),
    ),
  ).toEqual([])
})

test('what starts a page is small, and a page adds at most 9 scripts to those that every page has', async () => {
  const html = await readFile(`${built}/index.html`, 'utf8')
  const [, start] = /<script [^>]*src="\/(assets\/[^"]+)"/.exec(html)!
  expect(await kilobytes([start])).toBeLessThanOrEqual(6)
  const pages = files.flatMap((file) => (isDocs(file) ? [] : (/\/([a-z-]+-page)-[^/]*\.js$/.exec(file)?.[1] ?? [])))
  expect(pages.length).toBeGreaterThan(10)
  const counts = await Promise.all(
    pages.map(
      async (page) => (await filesOf(page)).filter((name) => name.endsWith('.js') && !html.includes(name)).length,
    ),
  )
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(1)
  expect(Math.max(...counts)).toBeLessThanOrEqual(9)
})

test('files are immutable, and sent compressed to clients that accept it', async () => {
  const app = express()
  app.use(dashboardRoutes())
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const name = files.find((file) => /\/index-[^/]*\.js$/.test(file))!
  const ask = (headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${port}/assets/${name.split('/').at(-1)}`, { headers })
  const answers = [await ask({ 'accept-encoding': 'gzip' }), await ask({ 'accept-encoding': 'identity' })]
  expect(answers.map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', null])
  expect(Number(answers[0].headers.get('content-length'))).toBeLessThan(0.7 * (await readFile(name)).length)
  for (const answer of answers) {
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(answer.headers.get('cache-control')).toMatch(/immutable/)
    expect(await answer.text()).toBe(await readFile(name, 'utf8'))
  }
  server.close()
})

/**
 * Names of XML vocabularies and of standards in messages of the video encoder, which nobody requests; links that people
 * may follow.
 */
const NAMED =
  /^(http:\/\/www\.w3\.org\/|https:\/\/(www\.w3\.org\/TR|aomediacodec\.github\.io|www\.webmproject\.org|orcid\.org|spdx\.org\/licenses|doi\.org)\/)/

/**
 * Names of the vocabularies of Word and PowerPoint, and links in comments and messages of the libraries that write
 * them. A saved file has none of the links: test/dashboard/report-documents.system.test.ts.
 */
const NAMED_BY_WRITERS =
  /^(http:\/\/(schemas\.(openxmlformats|microsoft)\.(org|com)\/|purl\.(org\/dc|oclc\.org\/ooxml)\/)|https:\/\/(answers\.microsoft\.com\/en-us\/msoffice|stuk\.github\.io\/jszip|gitbrent\.github\.io\/PptxGenJS)\/|https:\/\/github\.com$)/
/** In a message of what the build puts between modules. */
const NAMED_BY_BUILD = /^https:\/\/rolldown\.rs\/in-depth\//

/** Addresses in the documentation are links and examples: test/dashboard/help/docs.test.ts. */
test('the dashboard names no other host', async () => {
  for (const file of files.filter((each) => !isDocs(each))) {
    const named = (await readFile(file, 'utf8')).match(/https?:\/\/[^\s"'`)<>]+/g) ?? []
    const rules = [NAMED, ...(isWriter(file) ? [NAMED_BY_WRITERS] : []), NAMED_BY_BUILD]
    expect(named.filter((address) => !rules.some((rule) => rule.test(address)))).toEqual([])
  }
})
