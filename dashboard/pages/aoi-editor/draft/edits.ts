import type { Aoi, AoiPart, Item } from '../../../core/api.ts'
import {
  type Area,
  type Box,
  boxOf,
  copyOf,
  cornersOf,
  type ItemSize,
  moveArea,
  polygonArea,
  removeCorner,
  type XY,
} from '../shapes/parts.ts'
import { splitRing } from '../shapes/split-ring.ts'
import {
  type AoiDraft,
  type DraftChange,
  type SelectedAoi,
  selectedAoi,
  selectedPart,
  withAoi,
  withPart,
} from './draft.ts'

/** Edit of the selection, as a change of the draft; `said` announces it in words. */
export type Edit = { change: DraftChange; said: string } | { refused: string }

/** The draft of an item's AOIs, and what changes it. */
export type EditorParts = {
  item: Item
  draft: AoiDraft
  dispatch: (change: DraftChange) => void
  apply: (edit: Edit) => void
}

const NOTHING: Edit = { refused: 'Select an AOI first.' }

const selecting = (id: string, part = 0, corner: number | null = null): SelectedAoi => ({ id, part, corner })

/** Returns an unused name: AOI 1, AOI 2 … */
function freeName(aois: Aoi[], stem = 'AOI'): string {
  const names = new Set(aois.map(({ name }) => name))
  for (let n = aois.length + 1; ; n++) if (!names.has(`${stem} ${n}`)) return `${stem} ${n}`
}

/** Adds an area: as a new AOI, or as a part of the selected one. */
export function addArea(draft: AoiDraft, itemId: string, area: Area, isPart: boolean): Edit {
  const owner = isPart ? selectedAoi(draft) : null
  if (owner !== null) {
    const aois = withAoi(draft.aois, owner.id, (aoi) => ({ ...aoi, parts: [...aoi.parts, { areaPoints: area }] }))
    const selected = selecting(owner.id, owner.parts.length)
    return { change: { do: 'change', aois, selected }, said: `Part ${owner.parts.length + 1} of ${owner.name} added` }
  }
  const aoi: Aoi = { id: crypto.randomUUID(), itemId, name: freeName(draft.aois), parts: [{ areaPoints: area }] }
  return {
    change: { do: 'change', aois: [...draft.aois, aoi], selected: selecting(aoi.id) },
    said: `${aoi.name} added`,
  }
}

/** Adds many AOIs at once. */
export function addAois(draft: AoiDraft, aois: Aoi[], said: string): Edit {
  const selected = aois.length === 1 ? selecting(aois[0].id) : null
  return { change: { do: 'change', aois: [...draft.aois, ...aois], selected }, said }
}

/**
 * Removes the selected corner, or else the part, and with its last part the AOI.
 *
 * @param whole true to remove the whole AOI
 */
export function remove(draft: AoiDraft, item: ItemSize, whole = false): Edit {
  const { selected } = draft
  const [aoi, part] = [selectedAoi(draft), selectedPart(draft)]
  if (selected === null || aoi === null || part === null) return NOTHING
  if (whole) {
    const aois = draft.aois.filter(({ id }) => id !== aoi.id)
    return { change: { do: 'change', aois, selected: null }, said: `${aoi.name} removed` }
  }
  if (selected.corner !== null) {
    const area = removeCorner(part.areaPoints, selected.corner, item)
    if (area === null) return { refused: 'A polygon needs at least 3 corners.' }
    const aois = withPart(draft.aois, selected, (own) => ({ ...own, areaPoints: area }))
    return { change: { do: 'change', aois, selected: { ...selected, corner: null } }, said: 'Corner removed' }
  }
  const said = aoi.parts.length > 1 ? `Part ${selected.part + 1} of ${aoi.name} removed` : `${aoi.name} removed`
  return { change: { do: 'change', aois: withPart(draft.aois, selected, () => null) }, said }
}

/** Offset of a copy, so that both are visible. */
const BESIDE = 0.02

export function duplicate(draft: AoiDraft, item: ItemSize): Edit {
  const aoi = selectedAoi(draft)
  if (aoi === null) return NOTHING
  const parts = aoi.parts.map((part) => ({ ...part, areaPoints: moveArea(part.areaPoints, BESIDE, BESIDE, item) }))
  const copy = copyOf(aoi, { name: `${aoi.name} copy`, parts })
  return addAois(draft, [copy], `${copy.name} added`)
}

/** Moves the selected corner or part. */
export function nudge(
  draft: AoiDraft,
  [dx, dy]: XY,
  item: ItemSize,
  moveCornerOf: (part: AoiPart, corner: number, to: XY) => Area,
): Edit {
  const { selected } = draft
  const part = selectedPart(draft)
  if (selected === null || part === null) return NOTHING
  const { corner } = selected
  const at = corner === null ? null : cornersOf(part.areaPoints, item)[corner]
  const area =
    at === null ? moveArea(part.areaPoints, dx, dy, item) : moveCornerOf(part, corner!, [at[0] + dx, at[1] + dy])
  const aois = withPart(draft.aois, selected, (own) => ({ ...own, areaPoints: area }))
  const kind = `nudge ${selected.id} ${selected.part} ${corner}`
  return { change: { do: 'change', aois, kind }, said: '' }
}

/** Cuts the selected part along a line into two AOIs: the second gets the pieces beyond it. */
export function splitAlong(draft: AoiDraft, from: XY, to: XY, item: ItemSize): Edit {
  const { selected } = draft
  const [aoi, part] = [selectedAoi(draft), selectedPart(draft)]
  if (selected === null || aoi === null || part === null) return NOTHING
  const pieces = splitRing(cornersOf(part.areaPoints, item), from, to)
  if (pieces === null) return { refused: 'This part crosses itself and cannot be split there.' }
  const [near, beyond] = pieces.map((rings) =>
    rings.map((ring): AoiPart => ({ ...part, areaPoints: polygonArea(ring) })),
  )
  if (near.length === 0 || beyond.length === 0) return { refused: 'The line does not cross the selected part.' }
  const kept = { ...aoi, parts: aoi.parts.toSpliced(selected.part, 1, ...near) }
  const made = copyOf(aoi, { name: freeName(draft.aois, aoi.name), parts: beyond })
  const place = draft.aois.indexOf(aoi)
  const aois = draft.aois.toSpliced(place, 1, kept, made)
  return { change: { do: 'change', aois }, said: `${aoi.name} split: ${made.name} is the other half` }
}

/** Cuts the selected part through its middle. */
export function splitInHalf(draft: AoiDraft, way: 'across' | 'down', item: ItemSize): Edit {
  const part = selectedPart(draft)
  if (part === null) return NOTHING
  const { left, right, top, bottom } = boxOf(cornersOf(part.areaPoints, item))
  const [x, y] = [(left + right) / 2, (top + bottom) / 2]
  return way === 'across'
    ? splitAlong(draft, [x, bottom], [x, top], item)
    : splitAlong(draft, [left, y], [right, y], item)
}

/** Splits the selected AOI: each part becomes an AOI. */
export function splitParts(draft: AoiDraft): Edit {
  const aoi = selectedAoi(draft)
  if (aoi === null) return NOTHING
  const made = aoi.parts.map((part, p) =>
    p === 0 ? { ...aoi, parts: [part] } : copyOf(aoi, { name: `${aoi.name} ${p + 1}`, parts: [part] }),
  )
  const aois = draft.aois.toSpliced(draft.aois.indexOf(aoi), 1, ...made)
  return {
    change: { do: 'change', aois, selected: selecting(aoi.id) },
    said: `${aoi.name} split into ${made.length} AOIs`,
  }
}

/** Moves the selected AOI in the order, which determines the AOI to which a fixation in several AOIs belongs. */
export function reorder(draft: AoiDraft, by: -1 | 1): Edit {
  const aoi = selectedAoi(draft)
  if (aoi === null) return NOTHING
  const from = draft.aois.indexOf(aoi)
  const to = from + by
  if (to < 0 || to >= draft.aois.length) return { refused: 'The AOI is already at the end of the order.' }
  const aois = draft.aois.toSpliced(from, 1).toSpliced(to, 0, aoi)
  return { change: { do: 'change', aois }, said: `${aoi.name} is number ${to + 1} now` }
}

/** Returns AOIs for boxes, named by a stem with their row and column. */
export function aoisOfBoxes(
  boxes: Box[],
  columns: number,
  stem: string,
  itemId: string,
  areaOf: (box: Box) => Area,
): Aoi[] {
  return boxes.map((box, i) => ({
    id: crypto.randomUUID(),
    itemId,
    name: `${stem}${Math.floor(i / columns) + 1}.${(i % columns) + 1}`,
    parts: [{ areaPoints: areaOf(box) }],
  }))
}
