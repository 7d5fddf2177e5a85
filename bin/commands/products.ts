import type { Making } from './making.ts'

/** Something that `gazette export` makes of several tables of a study. */
export type Product = {
  /** Options of the command that apply to it alone, and those of tables that do not. */
  ownOptions: string[]
  refused: Record<string, string>
  /** Writes it; appears only when it is complete. */
  make: (making: Making, options: Record<string, unknown>) => Promise<void>
}

const NO_PARTS = 'cannot be made in parts: leave out --part'

/** The products, by the names that the command takes; their code is loaded on demand. */
export const PRODUCTS: Record<string, Product> = {
  bids: {
    ownOptions: ['screenDistance', 'screenSize'],
    refused: { format: 'has a fixed format: leave out --format', part: NO_PARTS },
    make: async (making, options) => (await import('./export-bids.ts')).exportBids(making, options),
  },
  package: {
    ownOptions: ['exports'],
    refused: { part: NO_PARTS },
    make: async (making, options) => (await import('./export-package.ts')).exportPackage(making, options),
  },
}

export const PRODUCT_NAMES = Object.keys(PRODUCTS)
