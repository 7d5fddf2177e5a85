import type { XY } from '../shapes/parts.ts'

/** Tools of the editor. */
export const TOOLS = ['select', 'rectangle', 'polygon', 'ellipse', 'split', 'pan'] as const
export type Tool = (typeof TOOLS)[number]

/** Visible part of the item: its top left and its share of each side, in fractions of the item. */
export type BoardView = { x: number; y: number; size: number }

export const WHOLE: BoardView = { x: 0, y: 0, size: 1 }
const SMALLEST = 1 / 24
/** Maximum size of the view, since AOIs may lie beside the item. */
const LARGEST = 1.5

/** Zooms around the point at `at`, which stays in place. @param factor above 1 to zoom in */
export function zoomAt(view: BoardView, factor: number, [x, y]: XY): BoardView {
  const size = Math.min(LARGEST, Math.max(SMALLEST, view.size / factor))
  const share = size / view.size
  return within({ x: x - (x - view.x) * share, y: y - (y - view.y) * share, size })
}

export function panBy(view: BoardView, dx: number, dy: number): BoardView {
  return within({ ...view, x: view.x + dx, y: view.y + dy })
}

/** Limits a view so that some of the item stays visible. */
function within({ x, y, size }: BoardView): BoardView {
  const clamp = (value: number) => Math.min(1 - size * 0.2, Math.max(-size * 0.8, value))
  return { x: clamp(x), y: clamp(y), size }
}

export function viewCenter({ x, y, size }: BoardView): XY {
  return [x + size / 2, y + size / 2]
}
