import {
  type AoiClickStats,
  type AoiFixationStats,
  type AoiGazeStats,
  type AoiPartShape,
  type AoiShape,
  clickPoint,
  isInAoi,
  isInPart,
  LONGEST_GAZE_US,
  toMillionths,
} from './aoi.ts'
import type { Fixations } from './fixations.ts'
import type { DisplayRectanglePx, Gaze, Samples } from './gaze.ts'

/**
 * The AOIs of an item under a grid of cells. A cell knows, from the first point in it on, which AOIs hold all of it and which
 * must be asked, since a border runs through it or a time range limits them: so a point costs about the same however many
 * AOIs and corners there are. Gives what `aoiGazes`, `aoiFixations` and `aoiClicks` give AOI by AOI.
 */
export type AoiGrid = {
  aois: AoiShape[]
  minX: number
  minY: number
  maxX: number
  maxY: number
  cellsPerX: number
  cellsPerY: number
  /** Where in `lists` the list of each cell begins; -1 for one that no point has been in yet. */
  cells: Int32Array
  /** A list is its length and then, for each AOI in ascending order, twice its index, plus 1 where it must be asked. */
  lists: number[]
  /** At the place of an entry that must be asked: the AOI, with nothing but what bears on points of the cell. */
  asked: (AoiShape | undefined)[]
  /** The AOIs of the last point. */
  hits: Int32Array
}

/** Finer cells ask less, and take longer to know. */
const SIDE = 64

export function createAoiGrid(aois: AoiShape[]): AoiGrid {
  const parts = aois.flatMap((aoi) => aoi.parts)
  const minX = Math.min(...parts.map((part) => part.minX))
  const minY = Math.min(...parts.map((part) => part.minY))
  const maxX = Math.max(...parts.map((part) => part.maxX))
  const maxY = Math.max(...parts.map((part) => part.maxY))
  return {
    aois,
    minX,
    minY,
    maxX,
    maxY,
    cellsPerX: maxX > minX ? SIDE / (maxX - minX) : 0,
    cellsPerY: maxY > minY ? SIDE / (maxY - minY) : 0,
    cells: new Int32Array(SIDE * SIDE).fill(-1),
    lists: [],
    asked: [],
    hits: new Int32Array(aois.length),
  }
}

/** Finds the AOIs of a point, in millionths of a percent, at a time: so many of `grid.hits`, in ascending order. */
export function aoisAt(grid: AoiGrid, x: number, y: number, tUs: number): number {
  const { minX, minY, cells, lists, asked, hits } = grid
  if (!(x >= minX && x <= grid.maxX && y >= minY && y <= grid.maxY)) return 0
  const column = Math.min(SIDE - 1, ((x - minX) * grid.cellsPerX) | 0)
  const row = Math.min(SIDE - 1, ((y - minY) * grid.cellsPerY) | 0)
  let at = cells[row * SIDE + column]
  if (at === -1) at = addCell(grid, column, row)
  const end = at + lists[at]
  let n = 0
  while (at < end) {
    const entry = lists[++at]
    if ((entry & 1) === 0 || isInAoi(asked[at]!, x, y, tUs)) hits[n++] = entry >> 1
  }
  return n
}

function addCell(grid: AoiGrid, column: number, row: number): number {
  const { aois, cells, lists, asked } = grid
  const box = boxOf(grid, column, row)
  const at = lists.length
  cells[row * SIDE + column] = at
  lists.push(0)
  for (let a = 0; a < aois.length; a++) {
    const cover = coverOfAoi(aois[a], box)
    if (cover === 'some') asked[lists.length] = shapeWithin(aois[a], box)
    if (cover !== 'none') lists.push(2 * a + (cover === 'all' ? 0 : 1))
  }
  lists[at] = lists.length - at - 1
  return at
}

/** 'all' only where the box is in the AOI at any time. */
function coverOfAoi({ parts }: AoiShape, box: Box): 'all' | 'some' | 'none' {
  let cover: 'some' | 'none' = 'none'
  for (const part of parts) {
    const own = coverOf(part, box)
    if (own === 'all' && isAlways(part)) return 'all'
    if (own !== 'none') cover = 'some'
  }
  return cover
}

/**
 * An AOI for points of the box alone: without the parts that do not reach it, and without the edges that lie above, below or to
 * the left of it, since no ray to the right from the box crosses them.
 */
function shapeWithin({ parts }: AoiShape, box: Box): AoiShape {
  const near = parts.filter((part) => coverOf(part, box) !== 'none')
  return { parts: near.map((part) => ({ ...part, edges: edgesWithin(part.edges, box) })) }
}

function edgesWithin(edges: Float64Array, { minX, minY, maxY }: Box): Float64Array {
  const near: number[] = []
  for (let e = 0; e < edges.length; e += 4) {
    const [ax, ay, bx, by] = edges.subarray(e, e + 4)
    if ((ay > maxY && by > maxY) || (ay < minY && by < minY) || (ax < minX && bx < minX)) continue
    near.push(ax, ay, bx, by)
  }
  return Float64Array.from(near)
}

type Box = { minX: number; minY: number; maxX: number; maxY: number }

/** A little larger than the cell, so that it holds every point that rounding puts into it. */
function boxOf(grid: AoiGrid, column: number, row: number): Box {
  const { minX, minY, maxX, maxY } = grid
  const width = (maxX - minX) / SIDE
  const height = (maxY - minY) / SIDE
  const marginX = 1 + width / 1000
  const marginY = 1 + height / 1000
  return {
    minX: Math.floor(minX + column * width - marginX),
    minY: Math.floor(minY + row * height - marginY),
    maxX: Math.ceil(minX + (column + 1) * width + marginX),
    maxY: Math.ceil(minY + (row + 1) * height + marginY),
  }
}

function isAlways({ fromUs, toUs }: AoiPartShape): boolean {
  return fromUs === Number.NEGATIVE_INFINITY && toUs === Number.POSITIVE_INFINITY
}

/** How much of the box a part holds, its time range aside: 'some' where that is not plain to see. */
function coverOf(part: AoiPartShape, box: Box): 'all' | 'some' | 'none' {
  if (box.maxX < part.minX || box.minX > part.maxX || box.maxY < part.minY || box.minY > part.maxY) return 'none'
  const inside = box.minX >= part.minX && box.maxX < part.maxX && box.minY >= part.minY && box.maxY < part.maxY
  if (!part.isPolygon) return inside ? 'all' : 'some'
  const { edges } = part
  for (let e = 0; e < edges.length; e += 4) {
    if (mayTouch(edges[e], edges[e + 1], edges[e + 2], edges[e + 3], box)) return 'some'
  }
  // No edge comes near, so all of the box is on the same side of all of them.
  return isInPart(part, box.minX, box.minY) ? 'all' : 'none'
}

/** Whether an edge may touch the box: surely not where all corners of the box lie on one side of it. */
function mayTouch(ax: number, ay: number, bx: number, by: number, box: Box): boolean {
  const { minX, minY, maxX, maxY } = box
  if ((ax < minX && bx < minX) || (ax > maxX && bx > maxX)) return false
  if ((ay < minY && by < minY) || (ay > maxY && by > maxY)) return false
  const [dx, dy] = [bx - ax, by - ay]
  // The cross products of the corners are sums of these; what rounding may do to them is the doubt.
  const [low, high] = [dx * (minY - ay), dx * (maxY - ay)]
  const [left, right] = [dy * (minX - ax), dy * (maxX - ax)]
  const doubt = (Math.abs(low) + Math.abs(high) + Math.abs(left) + Math.abs(right)) * 1e-12
  const least = Math.min(low, high) - Math.max(left, right)
  const most = Math.max(low, high) - Math.min(left, right)
  return least <= doubt && most >= -doubt
}

/** Denoised gaze of one test at its original time stamps, for each AOI: SPEC section 6. */
export function gazesByAoi(grid: AoiGrid, gaze: Gaze): AoiGazeStats[] {
  const stats = grid.aois.map(() => ({ count: 0, firstUs: Number.NaN, totalUs: 0 }))
  const { tUs, xPercent, yPercent, isInterpolated, segmentStart } = gaze
  for (let k = 0; k < gaze.segmentCount; k++) {
    let previousUs = Number.NEGATIVE_INFINITY
    for (let i = segmentStart[k]; i < segmentStart[k + 1]; i++) {
      if (isInterpolated[i] === 1) continue
      const t = tUs[i]
      const hits = aoisAt(grid, toMillionths(xPercent[i]), toMillionths(yPercent[i]), t)
      for (let h = 0; h < hits; h++) {
        const own = stats[grid.hits[h]]
        if (own.count === 0) own.firstUs = t
        own.count++
        own.totalUs += Math.min(LONGEST_GAZE_US, t - previousUs)
      }
      previousUs = t
    }
  }
  return stats
}

/** Fixations of one test, for each AOI: SPEC section 6. */
export function fixationsByAoi(grid: AoiGrid, fixations: Fixations): AoiFixationStats[] {
  const stats = grid.aois.map(() => ({
    count: 0,
    firstStartUs: Number.NaN,
    totalUs: 0,
    firstDurationUs: Number.NaN,
    revisits: -1,
  }))
  const lastIn = new Int32Array(grid.aois.length).fill(-2)
  const { startUs, endUs, xPercent, yPercent } = fixations
  for (let f = 0; f < fixations.n; f++) {
    const durationUs = endUs[f] - startUs[f]
    const hits = aoisAt(grid, toMillionths(xPercent[f]), toMillionths(yPercent[f]), startUs[f])
    for (let h = 0; h < hits; h++) {
      const aoi = grid.hits[h]
      const own = stats[aoi]
      if (own.count === 0) {
        own.firstStartUs = startUs[f]
        own.firstDurationUs = durationUs
      }
      own.count++
      own.totalUs += durationUs
      if (lastIn[aoi] !== f - 1) own.revisits++
      lastIn[aoi] = f
    }
  }
  return stats
}

/** Clicks of one test, for each AOI: SPEC section 6. */
export function clicksByAoi(grid: AoiGrid, samples: Samples, display: DisplayRectanglePx | null): AoiClickStats[] {
  const stats = grid.aois.map(() => ({ count: 0, firstUs: Number.NaN }))
  if (display === null) return stats
  const { isClick, tUs } = samples
  for (let i = isClick.indexOf(1); i !== -1; i = isClick.indexOf(1, i + 1)) {
    const point = clickPoint(samples, i, display)
    if (point === null) continue
    const hits = aoisAt(grid, point.x, point.y, tUs[i])
    for (let h = 0; h < hits; h++) {
      const own = stats[grid.hits[h]]
      own.count++
      if (!(own.firstUs <= tUs[i])) own.firstUs = tUs[i]
    }
  }
  return stats
}
