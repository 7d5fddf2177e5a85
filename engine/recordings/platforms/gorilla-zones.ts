import type { DisplayRectangle } from '../../model/study.ts'
import { type Draft, noteDoubt, noteLeft } from '../draft/draft.ts'
import type { Screen } from '../reader/reader.ts'

/** An area of a screen, in px of the window. */
type Zone = DisplayRectangle
/** Areas of a screen by name; `screen` is the window, `gorilla` the frame that contains all others. */
export type Zones = Map<string, Zone>

/** Largest difference between equal zones, as a fraction of the frame: the export rounds them differently. */
const ROUNDING = 0.01

/** Returns whether a zone is the window or the frame, rather than something displayed in it. */
export function isOfWindow(name: string): boolean {
  return name === 'screen' || name === 'gorilla'
}

const SIZE_MAX_PX = 100_000

/** Returns whether a zone is a valid area: numbers, of a size that screens have. */
export function isPlaced({ leftPx, topPx, widthPx, heightPx }: Zone): boolean {
  const isSize = (px: number) => px >= 1 && px <= SIZE_MAX_PX
  return isSize(widthPx) && isSize(heightPx) && [leftPx, topPx].every((px) => Math.abs(px) <= SIZE_MAX_PX)
}

export function zoneWindow(zones: Zones): Screen | null {
  return zones.get('screen') ?? null
}

/** Returns the rectangle of the frame; null if no zone gives it. */
export function gorillaFrame(zones: Zones, { heightPx }: Screen): DisplayRectangle | null {
  const frame = zones.get('gorilla')
  return frame ? fromAbove(frame, heightPx) : null
}

/** Converts a zone, whose y grows upwards from the window's lower edge, to a rectangle from the upper left corner. */
function fromAbove(zone: Zone, windowHeightPx: number): DisplayRectangle {
  return { ...zone, topPx: windowHeightPx - zone.topPx - zone.heightPx }
}

/**
 * Adds the zones of a screen as AOIs of its item, in fractions of the frame; those of its first participant are used.
 */
export function addZones(draft: Draft, item: number, zones: Zones, window: Screen): void {
  const frame = gorillaFrame(zones, window) ?? { leftPx: 0, topPx: 0, ...window }
  const known = draft.aois.filter((aoi) => aoi.item === item)
  for (const [name, zone] of zones) {
    if (isOfWindow(name)) continue
    const points = cornersWithin(fromAbove(zone, window.heightPx), frame)
    const isFlat = points[0].x === points[2].x || points[0].y === points[2].y
    const same = known.find((aoi) => aoi.name === name)
    if (isFlat) noteLeft(draft, `zone ${name} of ${draft.items[item].key}, which has no area within the frame`)
    else if (same === undefined) draft.aois.push({ id: null, item, name, parts: [{ areaPoints: { points } }] })
    else if (!isNear(points, same.parts[0].areaPoints)) noteDoubt(draft, ELSEWHERE)
  }
}

const ELSEWHERE =
  'zones of some items lie elsewhere for some participants: AOIs are where the first participant of an item had them'

type Point = { x: number; y: number }

function cornersWithin(zone: DisplayRectangle, frame: DisplayRectangle): Point[] {
  const share = (px: number, fromPx: number, sizePx: number) => Math.min(1, Math.max(0, (px - fromPx) / sizePx))
  const [left, right] = [zone.leftPx, zone.leftPx + zone.widthPx].map((x) => share(x, frame.leftPx, frame.widthPx))
  const [top, bottom] = [zone.topPx, zone.topPx + zone.heightPx].map((y) => share(y, frame.topPx, frame.heightPx))
  return [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ]
}

function isNear(points: Point[], area: object): boolean {
  const others = 'points' in area ? (area.points as Point[]) : []
  return points.every(({ x, y }, i) => Math.abs(x - others[i].x) < ROUNDING && Math.abs(y - others[i].y) < ROUNDING)
}
