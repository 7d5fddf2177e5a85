import { useRef, useState } from 'preact/hooks'
import type { Aoi } from '../../../core/api.ts'
import { type SelectedAoi, withPart } from '../draft/draft.ts'
import { type Area, addCorner, boxOf, cornersOf, moveArea, moveCorner, type XY } from '../shapes/parts.ts'
import { type Snapped, snapBox, snapPoint, targetsOf } from '../shapes/snap.ts'
import type { KeyParts } from './keys.ts'
import { type BoardView, panBy, zoomAt } from './view.ts'

/** Object being dragged, and its state at the start. */
type Grip =
  | { kind: 'part' | 'corner'; selected: SelectedAoi; area: Area; aois: Aoi[]; from: XY; hasMoved: boolean }
  | { kind: 'draw'; from: XY }
  | { kind: 'pan'; view: BoardView; client: XY }
  | { kind: 'pinch'; view: BoardView; apart: number; at: XY }

type Lines = Pick<Snapped, 'x' | 'y'>
const NO_LINES: Lines = { x: null, y: null }
const SNAP_PX = 8
const CLOSE_PX = 10

type PointerParts = Omit<KeyParts, 'apply' | 'setTool' | 'cursor' | 'setCursor' | 'say'> & { snaps: boolean }

/** Draws, moves, reshapes, zooms and pans by mouse, pen and touch. */
export function usePointer(parts: PointerParts) {
  const { dispatch, tool, view, setView, sketching } = parts
  const grip = useRef<Grip | null>(null)
  const pressed = useRef(new Map<number, XY>())
  const { lines, setLines, snapped, movedBy } = useSnapping(parts)

  /** Ends a drag, as at its release, or without a trace. */
  const letGo = (isCancelled: boolean) => {
    const held = grip.current
    grip.current = null
    if (held?.kind === 'part' || held?.kind === 'corner') dispatch({ do: isCancelled ? 'cancel' : 'settle' })
    if (held?.kind !== 'draw' || sketching.now.current === null) return
    if (isCancelled) sketching.cancel()
    else sketching.put(tool, sketching.now.current.at)
  }
  const down = (event: PointerEvent) => {
    if (event.button > 1) return
    const board = event.currentTarget as SVGSVGElement
    board.setPointerCapture(event.pointerId)
    pressed.current.set(event.pointerId, [event.clientX, event.clientY])
    if (pressed.current.size === 2) {
      letGo(true)
      grip.current = { kind: 'pinch', view, ...spanOf(pressed.current) }
    } else grip.current = begin(event, parts, snapped) ?? grip.current
  }

  const move = (event: PointerEvent) => {
    if (pressed.current.has(event.pointerId)) pressed.current.set(event.pointerId, [event.clientX, event.clientY])
    const held = grip.current
    const { at, px } = shareOf(event, view)
    if (held === null) return void (sketching.now.current !== null && sketching.hover(snapped(event, at, px, null)))
    if (held.kind === 'pinch') return setView(pinched(held, pressed.current, event.currentTarget as Element))
    if (held.kind === 'pan') {
      const [x, y] = held.client
      return setView(panBy(held.view, (x - event.clientX) * px[0], (y - event.clientY) * px[1]))
    }
    if (held.kind === 'draw') return void sketching.hover(snapped(event, at, px, null))
    if (!held.hasMoved && Math.hypot((at[0] - held.from[0]) / px[0], (at[1] - held.from[1]) / px[1]) < 3) return
    held.hasMoved = true
    const { selected, aois } = held
    const area = movedBy(held, event, at, px)
    dispatch({ do: 'drag', aois: withPart(aois, selected, (part) => ({ ...part, areaPoints: area })), selected })
  }

  const up = (event: PointerEvent) => {
    pressed.current.delete(event.pointerId)
    setLines(NO_LINES)
    letGo(event.type === 'pointercancel')
  }

  const wheel = (event: WheelEvent) => {
    // Without Ctrl, the wheel scrolls the page.
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    setView(zoomAt(view, Math.exp(-event.deltaY / 300), shareOf(event, view).at))
  }
  return { lines, down, move, up, wheel }
}

type Snapping = ReturnType<typeof useSnapping>

/** Snaps the dragged object to edges nearby, unless Alt is down. @returns `lines` edges that it snapped to */
function useSnapping({ item, draft, snaps }: PointerParts) {
  const [lines, setLines] = useState<Lines>(NO_LINES)
  const snapped = (event: PointerEvent, at: XY, px: XY, except: SelectedAoi | null): XY => {
    if (!snaps || event.altKey) return at
    const found = snapPoint(at, targetsOf(draft.aois, item, except), [SNAP_PX * px[0], SNAP_PX * px[1]])
    setLines(found)
    return [at[0] + found.dx, at[1] + found.dy]
  }
  const movedBy = (
    { kind, area, from, selected }: Extract<Grip, { area: Area }>,
    event: PointerEvent,
    at: XY,
    px: XY,
  ): Area => {
    if (kind === 'corner') return moveCorner(area, selected.corner!, snapped(event, at, px, selected), item)
    let [dx, dy] = [at[0] - from[0], at[1] - from[1]]
    if (snaps && !event.altKey) {
      const { left, right, top, bottom } = boxOf(cornersOf(area, item))
      const box = { left: left + dx, right: right + dx, top: top + dy, bottom: bottom + dy }
      const found = snapBox(box, targetsOf(draft.aois, item, selected), [SNAP_PX * px[0], SNAP_PX * px[1]])
      setLines(found)
      ;[dx, dy] = [dx + found.dx, dy + found.dy]
    }
    return moveArea(area, dx, dy, item)
  }
  return { lines, setLines, snapped, movedBy }
}

/** Returns the place of a pointer in shares of the item, and a px in them. */
function shareOf(event: PointerEvent | WheelEvent, view: BoardView): { at: XY; px: XY } {
  const { left, top, width, height } = (event.currentTarget as Element).getBoundingClientRect()
  const px: XY = [view.size / width, view.size / height]
  return { at: [view.x + (event.clientX - left) * px[0], view.y + (event.clientY - top) * px[1]], px }
}

/** Begins what a tool does at a press. @returns the object to drag; null for none, as at the corner of a polygon */
function begin(event: PointerEvent, parts: PointerParts, snapped: Snapping['snapped']): Grip | null {
  const { tool, view, sketching } = parts
  const { at, px } = shareOf(event, view)
  if (event.button === 1 || tool === 'pan') return { kind: 'pan', view, client: [event.clientX, event.clientY] }
  if (tool === 'select') return take(event, at, parts)
  if (tool === 'polygon') {
    sketching.put(tool, snapped(event, at, px, null), [CLOSE_PX * px[0], CLOSE_PX * px[1]])
    return null
  }
  sketching.begin(tool, snapped(event, at, px, null))
  return { kind: 'draw', from: at }
}

/** Returns the pressed object: a corner, an edge (which gets a corner), a part, or nothing, which pans. */
function take(event: PointerEvent, at: XY, { item, draft, dispatch, view }: PointerParts): Grip {
  const { aois } = draft
  const data = (event.target as Element).closest<SVGElement>('[data-grip]')?.dataset
  if (data === undefined) {
    dispatch({ do: 'select', selected: null })
    return { kind: 'pan', view, client: [event.clientX, event.clientY] }
  }
  const base = { id: data.aoi!, part: Number(data.part) }
  const area = aois.find(({ id }) => id === base.id)!.parts[base.part].areaPoints
  const corner = Number(data.corner)
  if (data.grip === 'edge') {
    const longer = addCorner(area, corner, item, at)
    const selected = { ...base, corner: corner + 1 }
    return { kind: 'corner', selected, area: longer, aois, from: at, hasMoved: false }
  }
  const selected = { ...base, corner: data.grip === 'corner' ? corner : null }
  dispatch({ do: 'select', selected })
  return { kind: data.grip === 'corner' ? 'corner' : 'part', selected, area, aois, from: at, hasMoved: false }
}

/** Returns the distance of two fingers and the middle between them, in px of the window. */
function spanOf(pressed: Map<number, XY>): { apart: number; at: XY } {
  const [[ax, ay], [bx, by]] = [...pressed.values()]
  return { apart: Math.hypot(ax - bx, ay - by), at: [(ax + bx) / 2, (ay + by) / 2] }
}

function pinched(
  { view, apart, at }: Extract<Grip, { kind: 'pinch' }>,
  pressed: Map<number, XY>,
  board: Element,
): BoardView {
  if (pressed.size < 2) return view
  const now = spanOf(pressed)
  const { left, top, width, height } = board.getBoundingClientRect()
  const middle: XY = [view.x + ((at[0] - left) / width) * view.size, view.y + ((at[1] - top) / height) * view.size]
  const zoomed = zoomAt(view, now.apart / Math.max(1, apart), middle)
  return panBy(zoomed, ((at[0] - now.at[0]) / width) * zoomed.size, ((at[1] - now.at[1]) / height) * zoomed.size)
}
