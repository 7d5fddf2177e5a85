import { interpolateInferno } from 'd3-scale-chromatic'
import { smooth } from './kernel.ts'

/** Returns the colour of a share of the peak; 0 is transparent. */
export function heatColor(share: number): [number, number, number, number] {
  const [r, g, b] = rgb(interpolateInferno(0.12 + 0.85 * share))
  return [r, g, b, Math.round(255 * Math.min(0.88, 1.6 * share ** 0.6))]
}

function rgb(color: string): [number, number, number] {
  if (color.startsWith('#')) {
    const value = Number.parseInt(color.slice(1), 16)
    return [value >> 16, (value >> 8) & 255, value & 255]
  }
  const [r, g, b] = color.match(/\d+/g)!.map(Number)
  return [r, g, b]
}

export type Heat = { href: string; peak: number }

/** Paints the smoothed grid as a picture of one pixel per cell, for the browser to enlarge. */
export function paintHeat(weights: number[], columns: number, rows: number, sigma: number): Heat {
  const values = smooth(weights, columns, rows, sigma)
  const peak = values.reduce((most, value) => Math.max(most, value), 0)
  const canvas = document.createElement('canvas')
  canvas.width = columns
  canvas.height = rows
  const context = canvas.getContext('2d')!
  const image = context.createImageData(columns, rows)
  for (let i = 0; i < values.length; i++) {
    if (peak > 0) image.data.set(heatColor(values[i] / peak), i * 4)
  }
  context.putImageData(image, 0, 0)
  return { href: canvas.toDataURL('image/png'), peak }
}
