import type { Options } from 'minisearch'

/** Section that a search found; `id` is page and heading, as in an address. */
export type FoundSection = { id: string; title: string; heading: string; beginning: string }

/** Options of the search index, shared by the build and the browser. */
export const SEARCHED: Options = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'beginning'],
  searchOptions: {
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { heading: 4, title: 2 },
    combineWith: 'AND',
  },
}
