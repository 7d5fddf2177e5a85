import type { AoiShape } from '../../compute/aoi.ts'
import { type Cells, type Column, column, fractions, microseconds } from '../../model/columns.ts'
import { toUs } from '../../model/microseconds.ts'
import type { Aoi, AoiPart, Item } from '../../model/study.ts'
import { roundToPrinted } from '../../text/cells.ts'
import { aoiShape, aoiTimeRangeUs, isPolygon, partSizePercent } from './aoi-shape.ts'
import { type FixedColumn, fixedColumns } from './identity.ts'

type OfAoi = { aoi: Aoi; item: Item }

const OF_AOI = fixedColumns('aoi', (row: OfAoi) => row, {
  aoi_id: { type: 'uuid', meaning: 'The area of interest', missing: null, value: ({ aoi }) => aoi.id },
  aoi_name: { type: 'string', meaning: 'Name of the area of interest', isGuarded: true, value: ({ aoi }) => aoi.name },
  aoi_item_parts: {
    type: 'json',
    meaning: 'Parts of the area of interest: corners, time ranges, sizes',
    missing: null,
    value: ({ aoi, item }) => JSON.stringify(aoi.parts.map((part) => printedPart(part, item))),
  },
})
export const { aoi_id: aoiId, aoi_name: aoiName } = OF_AOI
const { aoi_item_parts: aoiParts } = OF_AOI

/** Returns the columns that identify the AOI of a row; `sizeName` is the name of the size column in this export. */
export function aoiColumns(sizeName: 'aoi_size_overall_percents' | 'aoi_size_percents'): Column[] {
  return [
    aoiId,
    aoiName,
    aoiParts,
    column(sizeName, 'number', '% of the item', 'Size of the area of interest: the sum of its parts'),
    column('aoi_time_range_from_ms', 'int', 'ms', 'Start of the first time range of its parts, from item onset'),
    column('aoi_time_range_to_ms', 'int', 'ms', 'End of the last time range of its parts, from item onset', ''),
  ]
}

/** AOIs of an item, in the order of study.json: the value of each column for each AOI. */
export type DescribedAois = {
  n: number
  ids: string[]
  names: string[]
  parts: string[]
  sizePercent: Float64Array
  fromUs: Float64Array
  toUs: Float64Array
  /** Indexes 0, 1, 2, … */
  indexes: Int32Array
}
/** The same AOIs for computing; `tags` are those of any of them, each with the union of its AOIs as one shape. */
export type PreparedAois = {
  n: number
  shapes: AoiShape[]
  ids: string[]
  names: string[]
  tags: { name: string; shape: AoiShape }[]
}

/** Returns the distinct tags of AOIs, by first appearance. */
export function tagsOf(aois: Pick<Aoi, 'tags'>[]): string[] {
  return [...new Set(aois.flatMap(({ tags = [] }) => tags))]
}

export function prepareAois(all: Aoi[], item: Item): PreparedAois {
  const aois = all.filter(({ itemId }) => itemId === item.id)
  const shapes = aois.map((aoi) => aoiShape(aoi, item))
  const tags = tagsOf(aois).map((name) => ({
    name,
    shape: { parts: shapes.filter((_, a) => aois[a].tags?.includes(name)).flatMap(({ parts }) => parts) },
  }))
  return { n: aois.length, shapes, ids: aois.map(({ id }) => id), names: aois.map(({ name }) => name), tags }
}

const described = new WeakMap<Aoi[], WeakMap<Item, DescribedAois>>()

/**
 * Returns the AOIs of an item as cells; cached, since printing thousands of points takes long.
 *
 * @param all AOIs of a study, immutable, as is the item
 */
export function describeAois(all: Aoi[], item: Item): DescribedAois {
  const known = described.get(all)?.get(item)
  if (known) return known
  const made = describe(all, item)
  keepDescribed(all, item, made)
  return made
}

/** Caches the result of `describeAois` on another thread. */
export function keepDescribed(all: Aoi[], item: Item, made: DescribedAois): void {
  const ofItems = described.get(all) ?? new WeakMap<Item, DescribedAois>()
  described.set(all, ofItems.set(item, made))
}

function describe(all: Aoi[], item: Item): DescribedAois {
  const aois = all.filter(({ itemId }) => itemId === item.id)
  const textsOf = (fixedColumn: FixedColumn<OfAoi>) => aois.map((aoi) => String(fixedColumn.value({ aoi, item })))
  const ranges = aois.map((aoi) => aoiTimeRangeUs(aoi, item))
  return {
    n: aois.length,
    ids: textsOf(aoiId),
    names: textsOf(aoiName),
    parts: textsOf(aoiParts),
    sizePercent: Float64Array.from(aois, ({ parts }) =>
      parts.reduce((sum, part) => sum + partSizePercent(part, item), 0),
    ),
    fromUs: Float64Array.from(ranges, ({ fromUs }) => fromUs),
    toUs: Float64Array.from(ranges, (range) => range.toUs ?? Number.NaN),
    indexes: Int32Array.from(aois.keys()),
  }
}

/** Returns the cells of `aoiColumns`, one row for each AOI. */
export function aoiCells({ ids, names, parts, sizePercent, fromUs, toUs: untilUs, indexes }: DescribedAois): Cells[] {
  const texts = (dictionary: string[]): Cells => ({ kind: 'texts', dictionary, indexes })
  return [texts(ids), texts(names), texts(parts), fractions(sizePercent), microseconds(fromUs), microseconds(untilUs)]
}

/** Returns a part as printed in files: keys in fixed order, without unknown ones. */
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
