import type { HeatmapData } from '../api.ts'
import { type HeatMapName, heatColor } from '../colors/heat-colors.ts'
import { smooth } from './kernel.ts'

/** Style of a heatmap. */
export type HeatStyle = { kernel: number; colors: HeatMapName; opacity: number; max: number | null }

/** Heatmap as a picture; `end` is the end of its colour scale, `peak` the maximum of the smoothed grid. */
export type Heat = { href: string; peak: number; end: number; style: HeatStyle }

/**
 * Returns σ in cells, across and down. Both are the same length on the item: a percent of its mean side, √(width ×
 * height).
 */
export function sigmaOf(
  { widthPx, heightPx, columns, rows }: Pick<HeatmapData, 'widthPx' | 'heightPx' | 'columns' | 'rows'>,
  kernelPercent: number,
): { across: number; down: number; px: number } {
  const px = (kernelPercent / 100) * Math.sqrt(widthPx * heightPx)
  return { across: (px * columns) / widthPx, down: (px * rows) / heightPx, px }
}

/** Paints the smoothed grid as a picture with one pixel per cell, which the browser scales up. */
export function paintHeat(data: HeatmapData, style: HeatStyle): Heat {
  const { columns, rows, weights } = data
  const values = smooth(weights, columns, rows, sigmaOf(data, style.kernel))
  const peak = values.reduce((most, value) => Math.max(most, value), 0)
  const end = style.max ?? peak
  const canvas = document.createElement('canvas')
  canvas.width = columns
  canvas.height = rows
  const context = canvas.getContext('2d')!
  const image = context.createImageData(columns, rows)
  for (let i = 0; i < values.length; i++) {
    if (end > 0) image.data.set(heatColor(style.colors, values[i] / end, style.opacity), i * 4)
  }
  context.putImageData(image, 0, 0)
  return { href: canvas.toDataURL('image/png'), peak, end, style }
}
