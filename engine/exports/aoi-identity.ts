import { encode, roundToPrinted } from '../csv/cells.ts'
import { roundToMs } from '../csv/numbers.ts'
import type { Column } from '../registry.ts'
import type { Aoi, AoiPart, Item } from '../study.ts'
import { aoiTimeRangeUs, isPolygon, partSizePercent, toUs } from './aoi-shape.ts'
import { cellText } from './identity.ts'

/** Group A of SPEC section 7; `sizeName` is what the export calls the AOI's size. */
export function aoiColumns(sizeName: 'aoi_size_overall_percents' | 'aoi_size_percents'): Column[] {
  return [
    { name: 'aoi_id', type: 'uuid', unit: '', meaning: 'The area of interest', missing: null },
    { name: 'aoi_name', type: 'string', unit: '', meaning: 'Its name', missing: '' },
    {
      name: 'aoi_item_parts',
      type: 'json',
      unit: '',
      meaning: 'Its parts: corners, time ranges, sizes',
      missing: null,
    },
    { name: sizeName, type: 'number', unit: '% of the item', meaning: 'Its size: the sum of its parts', missing: null },
    {
      name: 'aoi_time_range_from_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Where its first time range begins, from item onset',
      missing: null,
    },
    {
      name: 'aoi_time_range_to_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Where its last time range ends, from item onset',
      missing: '',
    },
  ]
}

/** An AOI's cells, the same in all rows of its item, with a comma behind. */
export function aoiPrefix(aoi: Aoi, item: Item, formulaGuard: boolean): Uint8Array {
  const { fromUs, toUs: untilUs } = aoiTimeRangeUs(aoi, item)
  const size = aoi.parts.reduce((sum, part) => sum + partSizePercent(part, item), 0)
  const cells = [
    cellText(aoi.id, false),
    cellText(aoi.name, formulaGuard),
    cellText(JSON.stringify(aoi.parts.map((part) => printedPart(part, item))), false),
    cellText(size, false),
    cellText(roundToMs(fromUs), false),
    cellText(untilUs === null ? null : roundToMs(untilUs), false),
  ]
  return encode(`${cells.join(',')},`)
}

/** Keys in the order of section 7, unknown ones dropped. */
function printedPart(part: AoiPart, item: Item): unknown {
  const { areaPoints, timeRange } = part
  return {
    areaPoints: isPolygon(areaPoints)
      ? { points: areaPoints.points.map(({ x, y }) => ({ x, y })) }
      : {
          topLeft: { xPx: areaPoints.topLeft.xPx, yPx: areaPoints.topLeft.yPx },
          bottomRight: { xPx: areaPoints.bottomRight.xPx, yPx: areaPoints.bottomRight.yPx },
        },
    ...(timeRange ? { timeRange: { fromMs: toUs(timeRange.fromMs) / 1000, toMs: toUs(timeRange.toMs) / 1000 } } : {}),
    size: { overallPercents: roundToPrinted(partSizePercent(part, item)) },
  }
}
