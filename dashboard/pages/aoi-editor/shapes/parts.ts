import type { Aoi, AoiPart, Item } from '../../../core/api.ts'

/** Position in fractions of the item, from its top left. */
export type XY = [x: number, y: number]
export type Area = AoiPart['areaPoints']
export type Box = { left: number; top: number; right: number; bottom: number }
export type ItemSize = Pick<Item, 'widthPx' | 'heightPx'>

/** Corners of an ellipse; they keep it within a thousandth of its size. */
const ELLIPSE_CORNERS = 48
/** Precision of fractions: a five-hundredth of a pixel on an item of 2,000. */
const DECIMALS = 1e6

export function isPolygonPart(area: Area): area is Extract<Area, { points: unknown }> {
  return 'points' in area
}

/** Returns the corners of an area; those of a rectangle clockwise from the top left. */
export function cornersOf(area: Area, item: ItemSize): XY[] {
  if (isPolygonPart(area)) return area.points.map(({ x, y }) => [x, y])
  const { topLeft, bottomRight } = area
  const [left, right] = [topLeft.xPx / item.widthPx!, bottomRight.xPx / item.widthPx!]
  const [top, bottom] = [topLeft.yPx / item.heightPx!, bottomRight.yPx / item.heightPx!]
  return rectangleCorners({ left, top, right, bottom })
}

export function rectangleCorners({ left, top, right, bottom }: Box): XY[] {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ]
}

export function boxOf(corners: XY[]): Box {
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) }
}

/** Returns the box between two points. */
export function boxBetween([ax, ay]: XY, [bx, by]: XY): Box {
  return { left: Math.min(ax, bx), top: Math.min(ay, by), right: Math.max(ax, bx), bottom: Math.max(ay, by) }
}

export function polygonArea(corners: XY[]): Area {
  const round = (value: number) => Math.round(value * DECIMALS) / DECIMALS
  return { points: corners.map(([x, y]) => ({ x: round(x), y: round(y) })) }
}

/** Returns a rectangle in whole pixels; on an item of unknown size, a polygon of four corners. */
export function rectangleArea(box: Box, { widthPx, heightPx }: ItemSize): Area {
  if (widthPx === null || heightPx === null) return polygonArea(rectangleCorners(box))
  return {
    topLeft: { xPx: Math.round(box.left * widthPx), yPx: Math.round(box.top * heightPx) },
    bottomRight: { xPx: Math.round(box.right * widthPx), yPx: Math.round(box.bottom * heightPx) },
  }
}

export function ellipseCorners({ left, top, right, bottom }: Box): XY[] {
  return Array.from({ length: ELLIPSE_CORNERS }, (_, i): XY => {
    const angle = (2 * Math.PI * i) / ELLIPSE_CORNERS
    return [
      (left + right) / 2 + (Math.cos(angle) * (right - left)) / 2,
      (top + bottom) / 2 + (Math.sin(angle) * (bottom - top)) / 2,
    ]
  })
}

/** Moves an area; a rectangle stays one and keeps its size. */
export function moveArea(area: Area, dx: number, dy: number, item: ItemSize): Area {
  if (isPolygonPart(area)) return polygonArea(area.points.map(({ x, y }) => [x + dx, y + dy]))
  const [rightPx, downPx] = [Math.round(dx * item.widthPx!), Math.round(dy * item.heightPx!)]
  const move = ({ xPx, yPx }: { xPx: number; yPx: number }) => ({ xPx: xPx + rightPx, yPx: yPx + downPx })
  return { topLeft: move(area.topLeft), bottomRight: move(area.bottomRight) }
}

/** Moves a corner. A rectangle stays one, and its opposite corner stays in place. */
export function moveCorner(area: Area, corner: number, to: XY, item: ItemSize): Area {
  const corners = cornersOf(area, item)
  if (isPolygonPart(area)) return polygonArea(corners.with(corner, to))
  const across = corners[(corner + 2) % 4]
  // A flipped rectangle would have no area.
  const [x, y] = corners[corner]
  const [minX, minY] = [1 / item.widthPx!, 1 / item.heightPx!]
  const beyond = (value: number, from: number, was: number, least: number) =>
    was > from ? Math.max(value, from + least) : Math.min(value, from - least)
  return rectangleArea(boxBetween(across, [beyond(to[0], across[0], x, minX), beyond(to[1], across[1], y, minY)]), item)
}

/** Fits an area into another box. */
export function fitArea(area: Area, to: Box, item: ItemSize): Area {
  if (!isPolygonPart(area)) return rectangleArea(to, item)
  const corners = cornersOf(area, item)
  const from = boxOf(corners)
  const stretch = (value: number, start: number, end: number, toStart: number, toEnd: number) =>
    end === start ? toStart : toStart + ((value - start) / (end - start)) * (toEnd - toStart)
  return polygonArea(
    corners.map(([x, y]) => [
      stretch(x, from.left, from.right, to.left, to.right),
      stretch(y, from.top, from.bottom, to.top, to.bottom),
    ]),
  )
}

/** Adds a corner after another one, by default in the middle of the edge; a rectangle becomes a polygon. */
export function addCorner(area: Area, after: number, item: ItemSize, at?: XY): Area {
  const corners = cornersOf(area, item)
  const [[ax, ay], [bx, by]] = [corners[after], corners[(after + 1) % corners.length]]
  return polygonArea(corners.toSpliced(after + 1, 0, at ?? [(ax + bx) / 2, (ay + by) / 2]))
}

/** Removes a corner; null if fewer than three would remain. */
export function removeCorner(area: Area, corner: number, item: ItemSize): Area | null {
  const corners = cornersOf(area, item)
  return corners.length <= 3 ? null : polygonArea(corners.toSpliced(corner, 1))
}

/** Ways to copy areas to another item: at the same share of it, or at the same pixels. */
export type CopyBy = 'share' | 'place'

/**
 * Converts an area to another item, at the same size in percent or in pixels. An item without a size has shares only.
 */
function onOtherItem(area: Area, from: ItemSize, to: ItemSize, by: CopyBy = 'share'): Area {
  const hasSizes = [from.widthPx, from.heightPx, to.widthPx, to.heightPx].every((size) => size !== null)
  if (by === 'place' && hasSizes) {
    const [across, down] = [from.widthPx! / to.widthPx!, from.heightPx! / to.heightPx!]
    return isPolygonPart(area) ? polygonArea(area.points.map(({ x, y }) => [x * across, y * down])) : area
  }
  if (isPolygonPart(area)) return area
  return rectangleArea(boxOf(cornersOf(area, from)), to)
}

export function isActiveAt({ timeRange }: AoiPart, tMs: number | null): boolean {
  return tMs === null || !timeRange || (timeRange.fromMs <= tMs && tMs < timeRange.toMs)
}

/** Returns a copy of an AOI with a new id. */
export function copyOf(aoi: Aoi, change: Partial<Aoi> = {}): Aoi {
  return { ...structuredClone(aoi), id: crypto.randomUUID(), ...change }
}

/** Returns a copy of an AOI for another item. */
export function copyTo(aoi: Aoi, from: Item, to: Item, by: CopyBy): Aoi {
  const parts = aoi.parts.map((part) => ({ ...part, areaPoints: onOtherItem(part.areaPoints, from, to, by) }))
  return copyOf(aoi, { itemId: to.id, parts })
}
