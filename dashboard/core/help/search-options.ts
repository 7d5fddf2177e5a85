import type { Options } from 'minisearch'

/** A found section of the documentation; `id` is page and heading, as in an address. */
export type FoundSection = { id: string; title: string; heading: string; beginning: string }

/** How the documentation is indexed when it is built, and searched by the browser. */
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
