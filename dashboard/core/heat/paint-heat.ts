import type { HeatmapData } from '../api.ts'
import { fogColor, heatColor, type Rgba } from '../colors/heat-colors.ts'
import type { FogName, HeatMapName } from '../colors/heat-maps.ts'
import { sigmaOf, smooth } from './kernel.ts'

/** Style of a heatmap or, with `fog`, of a fog map, which has no other colours. */
export type HeatStyle = {
  kernel: number
  colors: HeatMapName
  opacity: number
  max: number | null
  fog: FogName | null
}

/** Heatmap, or fog map, as a picture; `end` is the end of its colour scale, `peak` the maximum of the smoothed grid. */
export type Heat = { href: string; peak: number; end: number; style: HeatStyle }

/** Returns the smoothed grid of a heatmap, row by row. */
export function smoothed(data: HeatmapData, kernelPercent: number): Float64Array {
  return smooth(data.weights, data.columns, data.rows, sigmaOf(data, kernelPercent))
}

export function peakOf(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}

export function paintHeat(data: HeatmapData, style: HeatStyle): Heat {
  const values = smoothed(data, style.kernel)
  const peak = peakOf(values)
  const end = style.max ?? peak
  return { href: paintValues(data, values, end, style), peak, end, style }
}

/** Paints a smoothed grid in the colours of a style, up to `end`. */
export function paintValues(size: GridSize, values: Float64Array, end: number, style: HeatStyle): string {
  const { fog, colors, opacity } = style
  const colorOf = (share: number) => (fog === null ? heatColor(colors, share, opacity) : fogColor(fog, share, opacity))
  return paintCells(size, values, (value) => colorOf(end > 0 ? value / end : 0))
}

type GridSize = Pick<HeatmapData, 'columns' | 'rows'>

/** Paints values as a picture with one pixel per cell, which the browser scales up. @returns its address */
export function paintCells(
  { columns, rows }: GridSize,
  values: Float64Array,
  colorOf: (value: number) => Rgba,
): string {
  const canvas = document.createElement('canvas')
  canvas.width = columns
  canvas.height = rows
  const context = canvas.getContext('2d')!
  const image = context.createImageData(columns, rows)
  const bytes = image.data
  for (let i = 0; i < values.length; i++) {
    const [r, g, b, a] = colorOf(values[i])
    bytes[4 * i] = r
    bytes[4 * i + 1] = g
    bytes[4 * i + 2] = b
    bytes[4 * i + 3] = a
  }
  context.putImageData(image, 0, 0)
  return canvas.toDataURL('image/png')
}
