import { useRef, useState } from 'preact/hooks'
import type { Item } from '../../../core/api.ts'
import type { AoiDraft } from '../draft/draft.ts'
import { addArea, type Edit, type EditorParts, splitAlong } from '../draft/edits.ts'
import { type Area, boxBetween, ellipseCorners, polygonArea, rectangleArea, type XY } from '../shapes/parts.ts'
import type { Tool } from './view.ts'

/** Shape in progress: its corners so far, and the position of the next one. */
export type Sketch = { tool: Tool; points: XY[]; at: XY }

/** Distance, in fractions of the item, below which two points are one. */
const SAME = 1e-4

const near = ([ax, ay]: XY, [bx, by]: XY, [reachX, reachY]: XY = [SAME, SAME]) =>
  Math.abs(ax - bx) <= reachX && Math.abs(ay - by) <= reachY

/** Draws with the tools that make a shape of points, by pointer and by keys. */
export function useSketch(given: Omit<EditorParts, 'dispatch'> & { asPart: boolean; onDone: () => void }) {
  const { draft, item, asPart, apply, onDone } = given
  const [sketch, setSketch] = useState<Sketch | null>(null)
  const now = useRef<Sketch | null>(null)
  const show = (next: Sketch | null) => {
    now.current = next
    setSketch(next)
  }
  const finish = (tool: Tool, points: XY[]) => {
    show(null)
    const edit = editOf(tool, points, draft, item, asPart)
    if (edit === null) return
    apply(edit)
    onDone()
  }
  return {
    sketch,
    now,
    cancel: () => show(null),
    begin: (tool: Tool, at: XY) => show({ tool, points: [at], at }),
    hover: (at: XY) => now.current !== null && show({ ...now.current, at }),
    /**
     * Adds a corner. A polygon ends at its first corner, or at a repeated one; every other shape ends with its second.
     */
    put: (tool: Tool, at: XY, reach?: XY) => {
      const { current } = now
      if (current === null || current.tool !== tool) return show({ tool, points: [at], at })
      const { points } = current
      if (tool !== 'polygon') return finish(tool, [points[0], at])
      if (near(at, points[0], reach) || near(at, points[points.length - 1])) return finish(tool, points)
      show({ ...current, points: [...points, at], at })
    },
    finish: () => now.current !== null && finish(now.current.tool, now.current.points),
  }
}

function editOf(tool: Tool, points: XY[], draft: AoiDraft, item: Item, asPart: boolean): Edit | null {
  if (tool === 'split') return splitAlong(draft, points[0], points[1], item)
  const area = areaOf(tool, points, item)
  return area === null ? null : addArea(draft, item.id, area, asPart)
}

/** Returns the area that a tool makes of points; null for too few, and for a click without movement. */
function areaOf(tool: Tool, points: XY[], item: Item): Area | null {
  if (tool === 'polygon') return points.length < 3 ? null : polygonArea(points)
  if (points.length < 2) return null
  const box = boxBetween(points[0], points[1])
  const [acrossPx, downPx] = [item.widthPx ?? 1000, item.heightPx ?? 1000]
  if ((box.right - box.left) * acrossPx < 1 || (box.bottom - box.top) * downPx < 1) return null
  return tool === 'ellipse' ? polygonArea(ellipseCorners(box)) : rectangleArea(box, item)
}

export type Sketching = ReturnType<typeof useSketch>
