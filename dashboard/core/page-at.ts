import { PAGES, type PageAddress } from '../../isomorphic/pages.ts'

/** Names in the address of a page; '' for those that the page does not have. */
export type PageParams = { studyId: string; itemId: string; page: string }

/** Returns the page at a path, with the names in its address; null if there is none. */
export function pageAt(path: string): { address: PageAddress; params: PageParams } | null {
  const partsOf = (some: string) => some.split('/').filter((part) => part !== '')
  const parts = partsOf(path)
  for (const address of PAGES) {
    const wanted = partsOf(address)
    if (wanted.length !== parts.length) continue
    if (!wanted.every((part, i) => part.startsWith(':') || part === parts[i])) continue
    const named = wanted.flatMap((part, i) => (part.startsWith(':') ? [[part.slice(1), parts[i]]] : []))
    return { address, params: { studyId: '', itemId: '', page: '', ...Object.fromEntries(named) } }
  }
  return null
}
