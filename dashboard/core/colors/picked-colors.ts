import { AOI_COLOR_NAMES } from '../../../isomorphic/aoi-color-names.ts'
import type { NamedColors } from './aoi-colors.ts'

/** Parameter of an address: colours picked for names of AOIs, as JSON. */
export const PAINT = 'paint'

/** Reads the colours that an address gives to names of AOIs; null if they are not colours by name. */
export function readPaint(query: URLSearchParams): NamedColors | null {
  const text = query.get(PAINT)
  if (text === null) return {}
  try {
    const given: unknown = JSON.parse(text)
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return null
    const isFine = Object.values(given).every((color) => (AOI_COLOR_NAMES as readonly unknown[]).includes(color))
    return isFine ? (given as NamedColors) : null
  } catch {
    return null
  }
}
