import type { Box } from './parts.ts'

export type Grid = { rows: number; columns: number; gapPercent: number }

/**
 * Returns the cells of a grid over a box, row by row.
 *
 * @param grid.gapPercent gap between cells, in percent of the box
 */
export function gridOf({ left, top, right, bottom }: Box, { rows, columns, gapPercent }: Grid): Box[] {
  const gap = gapPercent / 100
  const [width, height] = [(1 - gap * (columns - 1)) / columns, (1 - gap * (rows - 1)) / rows]
  const x = (share: number) => left + share * (right - left)
  const y = (share: number) => top + share * (bottom - top)
  return Array.from({ length: rows * columns }, (_, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns]
    const [fromX, fromY] = [column * (width + gap), row * (height + gap)]
    return { left: x(fromX), top: y(fromY), right: x(fromX + width), bottom: y(fromY + height) }
  })
}
