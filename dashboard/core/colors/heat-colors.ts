import { interpolateInferno, interpolateMagma, interpolateViridis, schemeBlues, schemePuOr } from 'd3-scale-chromatic'
import { colorSpline, type Rgb, rgbOfHex } from './color-spline.ts'
import { FOGS, type FogName, type HeatMapName } from './heat-maps.ts'

const magma = steps(interpolateMagma)
const viridis = steps(interpolateViridis)
const inferno = steps(interpolateInferno)
const blues = colorSpline(schemeBlues[9])
const differences = colorSpline(schemePuOr[11])

/** Colour of a share of each scale, 0 to 1. Each is monotonic. */
const COLORS: Record<HeatMapName, (share: number) => Rgb> = {
  magma: (share) => magma(0.84 - 0.84 * share),
  viridis: (share) => viridis(0.86 - 0.86 * share),
  blues: (share) => blues(0.2 + 0.8 * share),
  glow: (share) => inferno(0.3 + 0.7 * share),
}

/** Returns the colours of a scale that has 256, each read from its text once: a heatmap asks for 25,000. */
function steps(colorOf: (share: number) => string): (share: number) => Rgb {
  const known: Rgb[] = []
  return (share) => {
    const i = Math.max(0, Math.min(255, Math.floor(share * 256)))
    known[i] ??= rgbOfHex(colorOf(i / 256))
    return known[i]
  }
}

export type Rgba = [r: number, g: number, b: number, a: number]

/** Share of the scale from which a colour is fully opaque. */
const FULL_FROM = 0.3

/**
 * Returns the colour of a value.
 *
 * @param share of the scale's end, 0 to 1; larger values get the last colour
 * @param opacity of the densest areas, 0 to 1
 * @returns a transparent colour for 0
 */
export function heatColor(name: HeatMapName, share: number, opacity: number): Rgba {
  const [r, g, b] = COLORS[name](Math.min(1, share))
  return [r, g, b, Math.round(255 * opacity * Math.min(1, share / FULL_FROM) ** 0.7)]
}

/**
 * Returns the fog over a value: full for 0, in proportion thinner for more, and none from the scale's end on.
 *
 * @param share of the scale's end, 0 to 1 or more
 * @param opacity of full fog, 0 to 1
 */
export function fogColor(name: FogName, share: number, opacity: number): Rgba {
  return [...FOGS[name].color, Math.round(255 * opacity * (1 - Math.min(1, share)))]
}

/** Blends fog with a plain background. */
export function fogOn(ground: Rgb, name: FogName, share: number, opacity: number): string {
  return onGround(ground, fogColor(name, share, opacity))
}

/**
 * Returns the colour of a table cell by its share of the largest value. The colour moves away from the background:
 * lighter on a dark page, darker on a light one.
 */
export function cellColor(share: number, isDark: boolean): string {
  const within = Math.min(1, Math.max(0, share))
  return isDark ? onGround([34, 44, 53], [...blues(0.25), 60 + 180 * within]) : heatOn(WHITE, 'blues', within, 1)
}

const WHITE: Rgb = [255, 255, 255]

/** Blends a colour of a heatmap with a plain background. */
export function heatOn(ground: Rgb, name: HeatMapName, share: number, opacity: number): string {
  return onGround(ground, heatColor(name, share, opacity))
}

/** End of the difference scale, measured from its middle; the outermost colours are nearly black. */
const DIFFERENCE_REACH = 0.45

/**
 * Returns the colour of a difference: orange where the first group has more, violet where the second has more, as in
 * `GROUP_COLORS`.
 *
 * @param share first minus second, divided by the largest difference, −1 to 1
 * @returns a transparent colour for 0
 */
export function differenceColor(share: number): Rgba {
  const within = Math.max(-1, Math.min(1, share))
  const [r, g, b] = differences(0.5 + within * DIFFERENCE_REACH)
  return [r, g, b, Math.round(240 * Math.min(1, Math.abs(within) / FULL_FROM) ** 0.7)]
}

/** Blends the colour of a difference with a plain background. */
export function differenceOn(ground: Rgb, share: number): string {
  return onGround(ground, differenceColor(share))
}

function onGround(ground: Rgb, [r, g, b, a]: Rgba): string {
  const mixed = [r, g, b].map((value, i) => Math.round(ground[i] + ((value - ground[i]) * a) / 255))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
