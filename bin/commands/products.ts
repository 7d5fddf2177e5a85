import type { Making, ProductOptions } from './making.ts'

/** Something that `gazette export` makes of several tables of a study. */
export type Product = {
  /** Options of the command that apply to it alone. */
  ownOptions: string[]
  /** Options of tables that do not apply to it, with the reason. */
  refused: { format?: string; part?: string }
  /** Writes it; appears only when it is complete. */
  make: (making: Making, options: ProductOptions) => Promise<void>
}

const NO_PARTS = 'cannot be made in parts: leave out --part'

/** The products, by the names that the command takes; their code is loaded on demand. */
export const PRODUCTS = {
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
} satisfies Record<string, Product>

export const PRODUCT_NAMES = Object.keys(PRODUCTS) as (keyof typeof PRODUCTS)[]

/** Returns a product by its name; undefined for that of a table. */
export function productNamed(name: string): Product | undefined {
  return PRODUCT_NAMES.filter((known) => known === name).map((known) => PRODUCTS[known])[0]
}
