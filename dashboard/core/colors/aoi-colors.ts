/**
 * Colours of AOIs. Any two may be neighbours in a scarf plot. So all of them, and the greys below, differ by at least
 * 12 (CIEDE2000) for full colour vision and for deuteranopia, protanopia and tritanopia, on white and on dark.
 */
export const AOI_COLORS = ['#078ddc', '#fd7563', '#0d6b43', '#e9b0fc', '#997413', '#6516c5', '#44e3a7', '#9b0a00']

/** Colours of AOIs without a colour of their own, and of fixations in no AOI. */
export const OTHER_AOI = '#56616b'
export const NO_AOI = '#c3cad0'

/** Number of AOIs that can be distinguished by colour alone. */
export const COLORED_MAX = AOI_COLORS.length

/**
 * Assigns colours to AOIs: each chosen AOI gets its own; the others share a grey and differ by their numbers.
 *
 * @param chosen indexes of at most `COLORED_MAX` AOIs
 */
export function paintAois(n: number, chosen: number[]): string[] {
  const paint: string[] = new Array(n).fill(OTHER_AOI)
  for (const [i, a] of chosen.entries()) paint[a] = AOI_COLORS[i]
  return paint
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
