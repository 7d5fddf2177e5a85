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

test('the first page takes at most 90 KB gzipped: other pages, and the making of videos, are loaded when they are wanted', async () => {
  const first = new Set<string>()
  const page = await readFile(`${built}/index.html`, 'utf8')
  for (const [, name] of page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)) await follow(name, first)
  const sizes = await Promise.all([...first].map(async (name) => gzipSync(await readFile(`${built}/${name}`)).length))
  expect(sizes.length).toBeGreaterThanOrEqual(3)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(90_000)
  expect(
    [...first].filter((name) =>
      /aoi-editor|bring-in|docs-|docx|pptx|replay|save-video|groups|quality|transitions/.test(name),
    ),
  ).toEqual([])
})

test('the script of the first page is one, and those of any page at most 12', async () => {
  const scripts = files
    .filter((file) => file.endsWith('.js') && !isDocs(file))
    .map((file) => file.slice(built.length + 1))
  const counts: number[] = []
  for (const page of scripts.filter((name) => /\/(index|[a-z-]+-page)-/.test(name))) {
    const found = new Set<string>()
    await follow(page, found)
    counts.push(found.size)
  }
  expect(counts.length).toBeGreaterThan(10)
  expect([Math.min(...counts), Math.max(...counts) <= 12]).toEqual([1, true])
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
