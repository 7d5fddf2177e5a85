import { useReducer } from 'preact/hooks'
import type { Aoi, AoiPart } from '../../../core/api.ts'
import { cornersOf, type ItemSize } from '../shapes/parts.ts'

/** Selection: an AOI by its id, one of its parts, perhaps one corner of it. */
export type SelectedAoi = { id: string; part: number; corner: number | null }

/** Drawn AOIs, with their undo and redo stacks. */
export type AoiDraft = {
  aois: Aoi[]
  selected: SelectedAoi | null
  past: Aoi[][]
  future: Aoi[][]
  /** State at the start of a drag, while it lasts. */
  before: Aoi[] | null
  /**
   * Kind of the last change: further changes of the same kind, such as arrow keys, are coalesced into one undo step.
   */
  kind: string | null
}

export type DraftChange =
  | { do: 'change'; aois: Aoi[]; selected?: SelectedAoi | null; kind?: string }
  /** Change during a drag: an undo step is added only when it settles. */
  | { do: 'drag'; aois: Aoi[]; selected?: SelectedAoi | null }
  | { do: 'settle' }
  | { do: 'cancel' }
  | { do: 'select'; selected: SelectedAoi | null }
  | { do: 'undo' }
  | { do: 'redo' }

const STEPS_MAX = 300

export function useDraft(aois: Aoi[]): [AoiDraft, (change: DraftChange) => void] {
  return useReducer(changed, { aois, selected: null, past: [], future: [], before: null, kind: null })
}

function changed(draft: AoiDraft, change: DraftChange): AoiDraft {
  const { aois, past, future, before, selected } = draft
  if (change.do === 'select') return { ...draft, selected: valid(change.selected, aois), kind: null }
  if (change.do === 'change') {
    const isSame = change.kind !== undefined && change.kind === draft.kind
    return {
      ...draft,
      aois: change.aois,
      past: isSame ? past : [...past, aois].slice(-STEPS_MAX),
      future: [],
      kind: change.kind ?? null,
      selected: valid(change.selected === undefined ? selected : change.selected, change.aois),
    }
  }
  if (change.do === 'drag') {
    const next = change.selected === undefined ? selected : change.selected
    return { ...draft, aois: change.aois, before: before ?? aois, selected: valid(next, change.aois) }
  }
  if (change.do === 'settle') {
    if (before === null) return draft
    return { ...draft, past: [...past, before].slice(-STEPS_MAX), future: [], before: null, kind: null }
  }
  if (change.do === 'cancel') {
    return before === null ? draft : { ...draft, aois: before, before: null, selected: valid(selected, before) }
  }
  const [from, to] = change.do === 'undo' ? [past, future] : [future, past]
  const next = from.at(-1)
  if (next === undefined || before !== null) return draft
  const rest = from.slice(0, -1)
  const other = [...to, aois]
  const ways = change.do === 'undo' ? { past: rest, future: other } : { past: other, future: rest }
  return { ...draft, ...ways, aois: next, kind: null, selected: valid(selected, next) }
}

/** Returns the selection, reduced to what still exists. */
function valid(selected: SelectedAoi | null, aois: Aoi[]): SelectedAoi | null {
  const aoi = selected === null ? undefined : aois.find(({ id }) => id === selected.id)
  if (selected === null || aoi === undefined) return null
  const part = Math.min(selected.part, aoi.parts.length - 1)
  const area = aoi.parts[part].areaPoints
  const corners = 'points' in area ? area.points.length : 4
  return { id: aoi.id, part, corner: selected.corner !== null && selected.corner < corners ? selected.corner : null }
}

export function selectedAoi({ aois, selected }: Pick<AoiDraft, 'aois' | 'selected'>): Aoi | null {
  return aois.find(({ id }) => id === selected?.id) ?? null
}

export function selectedPart(draft: Pick<AoiDraft, 'aois' | 'selected'>): AoiPart | null {
  return selectedAoi(draft)?.parts[draft.selected?.part ?? 0] ?? null
}

/** Returns AOIs with one of them changed. */
export function withAoi(aois: Aoi[], id: string, change: (aoi: Aoi) => Aoi): Aoi[] {
  return aois.map((aoi) => (aoi.id === id ? change(aoi) : aoi))
}

/** Returns AOIs with one part changed; null removes the part, and with its last part the AOI. */
export function withPart(
  aois: Aoi[],
  { id, part }: Pick<SelectedAoi, 'id' | 'part'>,
  change: (part: AoiPart) => AoiPart | null,
): Aoi[] {
  return aois.flatMap((aoi) => {
    if (aoi.id !== id) return [aoi]
    const next = change(aoi.parts[part])
    const parts = next === null ? aoi.parts.toSpliced(part, 1) : aoi.parts.with(part, next)
    return parts.length === 0 ? [] : [{ ...aoi, parts }]
  })
}

/** Describes the position of a part for screen readers. */
export function describePlace(part: AoiPart, item: ItemSize): string {
  const corners = cornersOf(part.areaPoints, item)
  const xs = corners.map(([x]) => x)
  const ys = corners.map(([, y]) => y)
  const percent = (value: number) => `${Math.round(value * 1000) / 10} %`
  return `from ${percent(Math.min(...xs))}, ${percent(Math.min(...ys))} to ${percent(Math.max(...xs))}, ${percent(Math.max(...ys))}`
}
