declare module 'virtual:docs' {
  export const PAGES: { slug: string; title: string; load: () => Promise<{ html: string }> }[]
}

declare module 'virtual:docs-search' {
  /** Search index, for `MiniSearch.loadJSON`. */
  export const INDEX: string
}

declare module 'virtual:docs-words' {
  export const WORDS: import('./words.ts').Word[]
}
