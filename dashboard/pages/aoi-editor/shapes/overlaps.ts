import type { Aoi, AoiPart } from '../../../core/api.ts'
import { isInPolygon } from '../../../figures/aoi-tags.ts'
import { boxOf, cornersOf, type ItemSize, type XY } from './parts.ts'

/** Overlap in space and time of two parts of different AOIs, by the indexes of AOI and part. */
type Overlap = { one: [aoi: number, part: number]; other: [aoi: number, part: number] }

/** Finds parts of different AOIs that overlap at some time. */
export function overlapsOf(aois: Aoi[], item: ItemSize): Overlap[] {
  const parts = aois.flatMap((aoi, a) =>
    aoi.parts.map((part, p) => {
      const corners = cornersOf(part.areaPoints, item)
      return { a, p, part, corners, box: boxOf(corners) }
    }),
  )
  const found: Overlap[] = []
  for (const [i, one] of parts.entries()) {
    for (const other of parts.slice(i + 1)) {
      const { left, right, top, bottom } = other.box
      const isApart = one.box.right <= left || right <= one.box.left || one.box.bottom <= top || bottom <= one.box.top
      if (one.a === other.a || isApart || !meetInTime(one.part, other.part) || !meet(one.corners, other.corners))
        continue
      found.push({ one: [one.a, one.p], other: [other.a, other.p] })
    }
  }
  return found
}

function meetInTime({ timeRange: one }: AoiPart, { timeRange: other }: AoiPart): boolean {
  return !one || !other || (one.fromMs < other.toMs && other.fromMs < one.toMs)
}

function meet(one: XY[], other: XY[]): boolean {
  if (one.some((corner) => isInPolygon(other, corner)) || other.some((corner) => isInPolygon(one, corner))) return true
  if (isInPolygon(other, middleOf(one)) && isInPolygon(one, middleOf(one))) return true
  return one.some((a, i) => other.some((c, j) => cross(a, next(one, i), c, next(other, j))))
}

const next = (corners: XY[], i: number) => corners[(i + 1) % corners.length]

function middleOf(corners: XY[]): XY {
  const { left, right, top, bottom } = boxOf(corners)
  return [(left + right) / 2, (top + bottom) / 2]
}

/** Returns whether two edges cross; touching does not count. */
function cross(a: XY, b: XY, c: XY, d: XY): boolean {
  const side = ([px, py]: XY, [qx, qy]: XY, [x, y]: XY) => Math.sign((qx - px) * (y - py) - (qy - py) * (x - px))
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
}
