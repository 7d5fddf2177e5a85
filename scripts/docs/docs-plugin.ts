import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { glossaryWords, indexOf, readDocs } from './read-docs.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MODULE = 'virtual:docs'

/**
 * Makes the documentation modules of the dashboard: `virtual:docs` lists the pages, `virtual:docs/<slug>` holds one,
 * `virtual:docs-search` the search index, `virtual:docs-words` the terms of the glossary.
 */
export function docsPlugin(): Plugin {
  const pages = readDocs(ROOT)
  const glossary = pages.find(({ slug }) => slug === 'glossary')!
  const codeOf = (name: string): string | null => {
    if (name === MODULE) return listed(pages.map(({ slug, title }) => ({ slug, title })))
    if (name === `${MODULE}-search`) return `export const INDEX = ${JSON.stringify(indexOf(pages))}`
    if (name === `${MODULE}-words`) return `export const WORDS = ${JSON.stringify(glossaryWords(glossary))}`
    const page = pages.find(({ slug }) => name === `${MODULE}/${slug || 'index'}`)
    return page === undefined ? null : `export const html = ${JSON.stringify(page.html)}`
  }
  return {
    name: 'gazette-docs',
    resolveId: (name) => (name.startsWith(MODULE) ? `\0${name}` : null),
    load: (id) => (id.startsWith(`\0${MODULE}`) ? codeOf(id.slice(1)) : null),
  }
}

function listed(pages: { slug: string; title: string }[]): string {
  const entries = pages.map(
    ({ slug, title }) =>
      `{ slug: ${JSON.stringify(slug)}, title: ${JSON.stringify(title)}, load: () => import('${MODULE}/${slug || 'index'}') }`,
  )
  return `export const PAGES = [${entries.join(',\n')}]`
}

/** Returns the folder and beginning of the file name of a chunk: documentation is told apart from code. */
export function chunkName({ facadeModuleId }: { facadeModuleId: string | null }): string {
  const isDocs = facadeModuleId?.startsWith(`\0${MODULE}`) === true && facadeModuleId !== `\0${MODULE}`
  return `assets/${isDocs ? 'docs-' : ''}[name]-[hash].js`
}
