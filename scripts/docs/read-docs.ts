import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import MiniSearch from 'minisearch'
import { SEARCHED } from '../../dashboard/core/help/search-options.ts'
import type { Word } from '../../dashboard/core/help/words.ts'
import { type DocsPage, renderPage } from './render-page.ts'

const CLIENTS = ['browser', 'js', 'python', 'r']

/** Renders the README, all pages of docs/ and the pages of the clients. The first is that of docs/README.md. */
export function readDocs(root: string): DocsPage[] {
  const names = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md')
  const pages = new Map([
    ['docs/README.md', ''],
    ['README.md', 'readme'],
    ...names.sort().map((name): [string, string] => [`docs/${name}`, name.slice(0, -'.md'.length)]),
    ...CLIENTS.map((name): [string, string] => [`clients/${name}/README.md`, `client-${name}`]).filter(([path]) =>
      existsSync(join(root, path)),
    ),
  ])
  return [...pages.keys()].map((path) => renderPage(readFileSync(join(root, path), 'utf8'), path, pages))
}

const BEGINNING = 140

/** Indexes every section of the pages. Returns the index as JSON, for `MiniSearch.loadJSON`. */
export function indexOf(pages: DocsPage[]): string {
  const index = new MiniSearch(SEARCHED)
  index.addAll(
    pages.flatMap(({ slug, title, sections }) =>
      sections.map(({ id, heading, text }) => ({
        id: `${slug}#${id}`,
        title,
        heading,
        text,
        beginning: text.length > BEGINNING ? `${text.slice(0, text.lastIndexOf(' ', BEGINNING))} …` : text,
      })),
    ),
  )
  return JSON.stringify(index)
}

/** Returns the terms of the first table of the glossary. */
export function glossaryWords({ html }: DocsPage): Word[] {
  const [table] = /<tbody>[\s\S]*?<\/tbody>/.exec(html) ?? ['']
  return [...table.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row]) => {
    const [word, meaning, formula, columns, source] = [...row.matchAll(/<td>([\s\S]*?)<\/td>/g)].map(([, cell]) => cell)
    return { word, meaning, formula, source, columns: columnsOf(columns) }
  })
}

/** Reads "`export`: `column`, `column`; `export`: `column`". */
function columnsOf(cell: string): Word['columns'] {
  return cell.split(';').flatMap((part) => {
    const [name, ...columns] = [...part.matchAll(/<code>(.*?)<\/code>/g)].map(([, code]) => code)
    return columns.map((column) => ({ export: name, column }))
  })
}
