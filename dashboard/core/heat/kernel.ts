import type { HeatmapData } from '../api.ts'

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

/**
 * Convolves a grid with a Gaussian kernel. Weight beyond the edge of the grid is lost, as it is beyond the item.
 *
 * @param weights row by row
 * @param sigma in cells, which need not be square
 */
export function smooth(
  weights: number[],
  columns: number,
  rows: number,
  sigma: { across: number; down: number },
): Float64Array {
  const across = new Float64Array(weights.length)
  const both = new Float64Array(weights.length)
  const horizontal = gaussian(sigma.across)
  const vertical = gaussian(sigma.down)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const weight = weights[row * columns + column]
      if (weight === 0) continue
      const { reach, kernel } = horizontal
      for (let k = Math.max(-reach, -column); k <= Math.min(reach, columns - 1 - column); k++)
        across[row * columns + column + k] += weight * kernel[k + reach]
    }
  }
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const weight = across[row * columns + column]
      if (weight === 0) continue
      const { reach, kernel } = vertical
      for (let k = Math.max(-reach, -row); k <= Math.min(reach, rows - 1 - row); k++)
        both[(row + k) * columns + column] += weight * kernel[k + reach]
    }
  }
  return both
}

/** Returns a Gaussian kernel from −reach to reach, 3 σ, with the sum 1. */
function gaussian(sigma: number): { reach: number; kernel: number[] } {
  const reach = Math.max(1, Math.ceil(3 * sigma))
  const values = Array.from({ length: 2 * reach + 1 }, (_, i) => Math.exp(-((i - reach) ** 2) / (2 * sigma ** 2)))
  const sum = values.reduce((total, value) => total + value, 0)
  return { reach, kernel: values.map((value) => value / sum) }
}
