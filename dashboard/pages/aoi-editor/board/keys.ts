import { selectedAoi, selectedPart, withPart } from '../draft/draft.ts'
import { duplicate, type EditorParts, nudge, remove } from '../draft/edits.ts'
import { addCorner, cornersOf, moveCorner, type XY } from '../shapes/parts.ts'
import type { Sketching } from './sketch.ts'
import { type BoardView, panBy, type Tool, viewCenter, WHOLE, zoomAt } from './view.ts'

export type KeyParts = EditorParts & {
  tool: Tool
  setTool: (tool: Tool) => void
  view: BoardView
  setView: (view: BoardView) => void
  sketching: Sketching
  /** Cross at which keys place the next corner; null until an arrow key is pressed. */
  cursor: XY | null
  setCursor: (cursor: XY | null) => void
  say: (text: string) => void
}

const ARROWS: Record<string, XY> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
const TOOL_KEYS: Record<string, Tool> = {
  v: 'select',
  r: 'rectangle',
  p: 'polygon',
  e: 'ellipse',
  s: 'split',
  h: 'pan',
}
const ZOOM = 1.3

/** Descriptions of the keys, for the page. */
export const KEYS: [keys: string, does: string][] = [
  ['V, R, P, E, S, H', 'choose a tool: select, rectangle, polygon, ellipse, split, hand'],
  ['arrows', 'move the selection, or the cross of a tool, by 1 px; with Shift by 10, with Ctrl by 50'],
  ['Enter', 'finish a polygon of at least 3 corners; with a cross, set a corner there, or finish on its first or last'],
  ['[ and ]', 'go to the previous or next AOI, part by part'],
  [', and .', 'go to the previous or next corner'],
  ['I', 'add a corner after the selected one'],
  ['Delete', 'remove the corner or, if none is selected, the part; with Shift, the AOI'],
  ['Ctrl+D', 'duplicate the AOI'],
  ['Ctrl+Z, Ctrl+Shift+Z', 'undo, redo'],
  ['+, − and 0', 'zoom in, zoom out, show the whole item; also with Ctrl and the wheel, or two fingers'],
  ['Esc', 'discard the shape being drawn, else deselect the corner, else the AOI'],
  ['Alt', 'hold while dragging to switch off snapping'],
]

/** Runs the action of a key on the board. @returns false if the key has none */
export function pressKey(event: KeyboardEvent, parts: KeyParts): boolean {
  const { key } = event
  const isCommand = event.ctrlKey || event.metaKey
  if (key in ARROWS) return pressArrow(ARROWS[key], event.shiftKey ? 10 : isCommand ? 50 : 1, parts)
  if (isCommand) return key.toLowerCase() === 'd' && done(parts.apply(duplicate(parts.draft, parts.item)))
  if (event.altKey) return false
  if (key.toLowerCase() in TOOL_KEYS) {
    parts.setTool(TOOL_KEYS[key.toLowerCase()])
    return true
  }
  return pressOnDrawing(key, parts) || pressOnSelected(event, parts) || pressZoom(key, parts)
}

const done = (_: unknown) => true

function pressArrow([x, y]: XY, steps: number, parts: KeyParts): boolean {
  const { item, draft, apply, tool, view, setView, sketching, cursor, setCursor, say } = parts
  const by: XY = [(x * steps) / (item.widthPx ?? 1000), (y * steps) / (item.heightPx ?? 1000)]
  if (tool === 'select' && draft.selected !== null) {
    const edit = nudge(draft, by, item, ({ areaPoints }, corner, to) => moveCorner(areaPoints, corner, to, item))
    return done(apply(edit))
  }
  if (tool === 'select' || tool === 'pan') return done(setView(panBy(view, x * view.size * 0.1, y * view.size * 0.1)))
  const [fromX, fromY] = cursor ?? viewCenter(view)
  const to: XY = [fromX + by[0], fromY + by[1]]
  setCursor(to)
  sketching.hover(to)
  say(`Cross at ${percent(to[0])}, ${percent(to[1])}`)
  return true
}

const percent = (share: number) => `${Math.round(share * 1000) / 10} %`

function pressOnDrawing(key: string, { tool, sketching, cursor, setCursor, view, say }: KeyParts): boolean {
  const isDrawing = tool !== 'select' && tool !== 'pan'
  if (!isDrawing) return false
  // Without a cross, the corners came from the pointer: Enter closes the polygon.
  if (key === 'Enter' && cursor === null && tool === 'polygon' && (sketching.now.current?.points.length ?? 0) >= 3) {
    sketching.finish()
    return true
  }
  if (key === 'Enter' || key === ' ') {
    const at = cursor ?? viewCenter(view)
    setCursor(at)
    sketching.put(tool, at)
    const { current } = sketching.now
    if (current !== null) say(`Corner ${current.points.length} at ${percent(at[0])}, ${percent(at[1])}`)
    return true
  }
  if (key !== 'Escape' || sketching.now.current === null) return false
  sketching.cancel()
  say('Dropped')
  return true
}

function pressOnSelected(event: KeyboardEvent, parts: KeyParts): boolean {
  const { key, shiftKey } = event
  const { item, draft, dispatch, apply, setTool, tool } = parts
  const { selected } = draft
  if (key === '[' || key === ']') return stepPart(key === ']' ? 1 : -1, parts)
  if (key === 'Escape') {
    if (tool !== 'select') setTool('select')
    else if (selected === null) return false
    else dispatch({ do: 'select', selected: selected.corner === null ? null : { ...selected, corner: null } })
    return true
  }
  if (selected === null) return false
  if (key === ',' || key === '.') return stepCorner(key === '.' ? 1 : -1, parts)
  if (key === 'Delete' || key === 'Backspace') return done(apply(remove(draft, item, shiftKey)))
  if (key.toLowerCase() !== 'i') return false
  const corner = selected.corner ?? 0
  const aois = withPart(draft.aois, selected, (part) => ({
    ...part,
    areaPoints: addCorner(part.areaPoints, corner, item),
  }))
  return done(
    apply({ change: { do: 'change', aois, selected: { ...selected, corner: corner + 1 } }, said: 'Corner added' }),
  )
}

function stepPart(by: 1 | -1, { draft, dispatch, say }: KeyParts): boolean {
  const { aois, selected } = draft
  const all = aois.flatMap(({ id, name, parts }) => parts.map((_, part) => ({ id, name, part, of: parts.length })))
  if (all.length === 0) return false
  const at = all.findIndex(({ id, part }) => id === selected?.id && part === selected.part)
  const next = all[(at < 0 && by < 0 ? 0 : at) + by] ?? all.at(by > 0 ? 0 : -1)!
  dispatch({ do: 'select', selected: { id: next.id, part: next.part, corner: null } })
  say(next.of > 1 ? `${next.name}, part ${next.part + 1} of ${next.of}` : next.name)
  return true
}

function stepCorner(by: 1 | -1, { draft, dispatch, item, say }: KeyParts): boolean {
  const part = selectedPart(draft)
  if (draft.selected === null || part === null || selectedAoi(draft) === null) return false
  const corners = cornersOf(part.areaPoints, item)
  const from = draft.selected.corner ?? (by > 0 ? -1 : 0)
  const corner = (from + by + corners.length) % corners.length
  dispatch({ do: 'select', selected: { ...draft.selected, corner } })
  say(`Corner ${corner + 1} of ${corners.length} at ${percent(corners[corner][0])}, ${percent(corners[corner][1])}`)
  return true
}

function pressZoom(key: string, { view, setView, cursor }: KeyParts): boolean {
  const factor = { '+': ZOOM, '=': ZOOM, '-': 1 / ZOOM, '−': 1 / ZOOM }[key]
  if (factor !== undefined) setView(zoomAt(view, factor, cursor ?? viewCenter(view)))
  else if (key === '0') setView(WHOLE)
  else return false
  return true
}
