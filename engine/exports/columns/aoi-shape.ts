import { meanSizePercent } from '../../../isomorphic/aoi-size.ts'
import { type AoiPartShape, type AoiShape, aoiPartShape } from '../../compute/aoi.ts'
import { toUs } from '../../model/microseconds.ts'
import type { Aoi, AoiPart, Item, Polygon, Rectangle, TimeRange } from '../../model/study.ts'

type ItemSize = Pick<Item, 'widthPx' | 'heightPx'>

/**
 * Prepares an AOI for hit tests, in percent of its item. The import has checked that the item of a rectangle has a
 * size.
 */
export function aoiShape(aoi: Aoi, item: ItemSize): AoiShape {
  return { parts: aoi.parts.map((part) => partShape(part, item)) }
}

function partShape({ areaPoints, timeRange }: AoiPart, item: ItemSize): AoiPartShape {
  const range = timeRange ? { fromUs: toUs(timeRange.fromMs), toUs: toUs(timeRange.toMs) } : null
  if (isPolygon(areaPoints)) {
    const { points } = areaPoints
    return aoiPartShape(
      true,
      points.map(({ x }) => x * 100),
      points.map(({ y }) => y * 100),
      range,
    )
  }
  const { topLeft, bottomRight } = areaPoints
  const xs = [topLeft.xPx, bottomRight.xPx].map((xPx) => (xPx / item.widthPx!) * 100)
  const ys = [topLeft.yPx, bottomRight.yPx].map((yPx) => (yPx / item.heightPx!) * 100)
  return aoiPartShape(false, xs, ys, range)
}

/** Returns the area of a part in percent of the item, not clipped to it; for polygons, by the shoelace formula. */
export function partSizePercent({ areaPoints }: AoiPart, item: ItemSize): number {
  if (isPolygon(areaPoints)) {
    const { points } = areaPoints
    let twice = 0
    for (const [i, { x, y }] of points.entries()) {
      const next = points[(i + 1) % points.length]
      twice += x * next.y - next.x * y
    }
    return (Math.abs(twice) / 2) * 100
  }
  const { topLeft, bottomRight } = areaPoints
  const areaPx = (bottomRight.xPx - topLeft.xPx) * (bottomRight.yPx - topLeft.yPx)
  return (areaPx / (item.widthPx! * item.heightPx!)) * 100
}

/** Returns the size of an AOI in percent of the item: the sum of its parts, or the mean over its time if it moves. */
export function aoiMeanSizePercent({ parts }: Aoi, item: ItemSize): number {
  return meanSizePercent(
    parts.map((part) => ({ sizePercent: partSizePercent(part, item), timeRange: part.timeRange ?? null })),
  )
}

/**
 * Returns the range from the earliest start to the latest end of the parts; if any part has no range, from 0 to the
 * duration of the item (null if unknown).
 */
export function aoiTimeRangeUs(
  aoi: Aoi,
  item: Pick<Item, 'stimuliDurationMs'>,
): { fromUs: number; toUs: number | null } {
  const ranges = aoi.parts.map(({ timeRange }) => timeRange ?? null)
  if (ranges.some((range) => range === null)) {
    return { fromUs: 0, toUs: item.stimuliDurationMs === null ? null : toUs(item.stimuliDurationMs) }
  }
  const whole = ranges as TimeRange[]
  return {
    fromUs: toUs(Math.min(...whole.map(({ fromMs }) => fromMs))),
    toUs: toUs(Math.max(...whole.map(({ toMs }) => toMs))),
  }
}

export function isPolygon(area: Rectangle | Polygon): area is Polygon {
  return 'points' in area
}
