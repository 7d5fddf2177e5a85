import { AOI_COLOR_NAMES, type AoiColorName } from '../../../isomorphic/aoi-color-names.ts'

/**
 * Colours of AOIs. Any two may be neighbours in a scarf plot. So all of them, and the greys below, differ by at least
 * 12 (CIEDE2000) for full colour vision and for deuteranopia, protanopia and tritanopia, on white and on dark.
 */
export const AOI_COLORS: Record<AoiColorName, string> = {
  blue: '#078ddc',
  coral: '#fd7563',
  green: '#0d6b43',
  lilac: '#e9b0fc',
  ochre: '#997413',
  violet: '#6516c5',
  mint: '#44e3a7',
  red: '#9b0a00',
}

/** Colours by names of AOIs. */
export type NamedColors = Record<string, AoiColorName>

/** Colours of AOIs without a colour of their own, and of fixations in no AOI. */
export const OTHER_AOI = '#56616b'
export const NO_AOI = '#c3cad0'

/** Number of AOIs that can be distinguished by colour alone. */
export const COLORED_MAX = AOI_COLOR_NAMES.length

/**
 * Assigns colours to AOIs: each of those in `chosen` (indexes, at most `COLORED_MAX`) has its own; the others share a
 * grey and differ by their numbers. A colour belongs to a name: first comes the one that was picked for it, then its
 * usual one, then the first that is free.
 *
 * @param picked colours that users have picked
 * @param usual the usual colour of a name, as a number from 0
 */
export function paintAois(
  aois: { name: string }[],
  chosen: number[],
  picked: NamedColors = {},
  usual: (name: string, place: number) => number = (_, place) => place,
): string[] {
  const named = nameColors(aois, chosen, picked, usual)
  return aois.map((_, a) => (named[a] === null ? OTHER_AOI : AOI_COLORS[named[a]]))
}

/** Returns the names of the colours that `paintAois` assigns; null for grey. */
export function nameColors(
  aois: { name: string }[],
  chosen: number[],
  picked: NamedColors,
  usual: (name: string, place: number) => number,
): (AoiColorName | null)[] {
  const named: (AoiColorName | null)[] = aois.map(() => null)
  const free = new Set(AOI_COLOR_NAMES)
  const wishes = [
    (a: number) => (Object.hasOwn(picked, aois[a].name) ? picked[aois[a].name] : undefined),
    (a: number) => AOI_COLOR_NAMES[usual(aois[a].name, a) % COLORED_MAX],
    () => free.values().next().value,
  ]
  for (const wish of wishes) {
    for (const a of chosen) {
      const color = named[a] === null ? wish(a) : undefined
      if (color !== undefined && free.delete(color)) named[a] = color
    }
  }
  return named
}

/** Returns black or white, whichever has more contrast to the colour. */
export function inkOn(color: string): string {
  return luminance(color) > 0.2 ? '#000000' : '#ffffff'
}

/** Returns whether a thin line in a colour is hard to see on a background: a contrast below 3 (WCAG 2.2, 1.4.11). */
export function isFaintOn(color: string, ground: string): boolean {
  const [one, other] = [luminance(color), luminance(ground)]
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 3
}

function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => (Number.parseInt(color.slice(at, at + 2), 16) / 255) ** 2.2)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Colours of AOIs, and the index of the highlighted AOI, or null. */
export type AoiPaint = { colors: string[]; lit: number | null }
