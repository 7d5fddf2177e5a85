import type { Fixations } from './fixation-list.ts'
import type { DisplayRectanglePx, Samples } from './gaze.ts'

/**
 * A part of an AOI, prepared for hit tests. Corners are whole millionths of a percent of the item, the precision of
 * files, so hit tests at the border are exact.
 */
export type AoiPartShape = {
  isPolygon: boolean
  /** Edges of a polygon, four numbers each: from x, y to x, y. Empty for a rectangle. */
  edges: Float64Array
  minX: number
  maxX: number
  minY: number
  maxY: number
  /** Time range, half-open; −∞ to +∞ if absent. */
  fromUs: number
  toUs: number
}

export type AoiShape = { parts: AoiPartShape[] }

/** Rounds a percent as in files (docs/export-formats.md, "Numbers") and returns it in whole millionths. */
export function toMillionths(percent: number): number {
  const scaled = Math.floor(Math.abs(percent) * 1e6 + 0.5)
  return percent < 0 ? -scaled : scaled
}

/**
 * Prepares a part of an AOI for hit tests.
 *
 * @param xPercent, yPercent corners; for a rectangle top left and bottom right
 */
export function aoiPartShape(
  isPolygon: boolean,
  xPercent: number[],
  yPercent: number[],
  range: { fromUs: number; toUs: number } | null,
): AoiPartShape {
  const x = Float64Array.from(xPercent, toMillionths)
  const y = Float64Array.from(yPercent, toMillionths)
  return {
    isPolygon,
    edges: isPolygon ? edgesOf(x, y) : new Float64Array(0),
    minX: Math.min(...x),
    maxX: Math.max(...x),
    minY: Math.min(...y),
    maxY: Math.max(...y),
    fromUs: range?.fromUs ?? Number.NEGATIVE_INFINITY,
    toUs: range?.toUs ?? Number.POSITIVE_INFINITY,
  }
}

function edgesOf(x: Float64Array, y: Float64Array): Float64Array {
  const edges = new Float64Array(4 * x.length)
  for (let i = 0, j = x.length - 1; i < x.length; j = i++) edges.set([x[j], y[j], x[i], y[i]], 4 * i)
  return edges
}

/**
 * Returns whether a point, in millionths of a percent, is in any part at a time (docs/metrics.md, "Points in an AOI").
 */
export function isInAoi(aoi: AoiShape, x: number, y: number, tUs: number): boolean {
  for (const part of aoi.parts) {
    if (tUs >= part.fromUs && tUs < part.toUs && isInPart(part, x, y)) return true
  }
  return false
}

/** Returns whether a point is in one part, regardless of its time range. */
export function isInPart(part: AoiPartShape, x: number, y: number): boolean {
  if (x < part.minX || x > part.maxX || y < part.minY || y > part.maxY) return false
  return part.isPolygon ? isWithin(part.edges, 0, part.edges.length, x, y) : x < part.maxX && y < part.maxY
}

/**
 * Returns whether a point is inside a polygon, whose edges are from `start` to `end`, by the even-odd rule; the border
 * is inside.
 */
export function isWithin(edges: Float64Array, start: number, end: number, x: number, y: number): boolean {
  let inside = false
  for (let e = start; e < end; e += 4) {
    const ay = edges[e + 1]
    const by = edges[e + 3]
    // Most edges are above or below the point: they do not contain it, and no ray from it crosses them.
    if ((ay > y && by > y) || (ay < y && by < y)) continue
    const ax = edges[e]
    const bx = edges[e + 2]
    const crossing = side(ax, ay, bx, by, x, y)
    if (crossing === 0 && isBetween(ax, bx, x) && isBetween(ay, by, y)) return true
    // A ray to the right crosses the edge if the edge spans y and the point lies to the left of it.
    if (by > y !== ay > y && (by > ay ? crossing > 0 : crossing < 0)) inside = !inside
  }
  return inside
}

function isBetween(a: number, b: number, value: number): boolean {
  return value >= Math.min(a, b) && value <= Math.max(a, b)
}

/**
 * Returns the exact sign of the cross product (b − a) × (p − a): with doubles if they are certain, otherwise with
 * BigInt.
 */
function side(ax: number, ay: number, bx: number, by: number, px: number, py: number): number {
  const left = (bx - ax) * (py - ay)
  const right = (by - ay) * (px - ax)
  const cross = left - right
  if (Math.abs(cross) > (Math.abs(left) + Math.abs(right)) * 1e-15) return cross
  const exact =
    (BigInt(bx) - BigInt(ax)) * (BigInt(py) - BigInt(ay)) - (BigInt(by) - BigInt(ay)) * (BigInt(px) - BigInt(ax))
  return Number(exact)
}

export function isFixationIn(aoi: AoiShape, fixations: Fixations, f: number): boolean {
  return isInAoi(aoi, toMillionths(fixations.xPercent[f]), toMillionths(fixations.yPercent[f]), fixations.startUs[f])
}

/** Longest duration of one gaze, in µs. */
export const LONGEST_GAZE_US = 33_000

/**
 * Returns the position of the click at sample `i`, in millionths of a percent of the displayed item; null if it does
 * not count.
 */
export function clickPoint(samples: Samples, i: number, display: DisplayRectanglePx): { x: number; y: number } | null {
  const { tUs, mouseXPx, mouseYPx, scrollYPx, isClick } = samples
  if (isClick[i] === 0 || !(tUs[i] >= 0) || Number.isNaN(mouseXPx[i]) || Number.isNaN(mouseYPx[i])) return null
  return {
    x: toMillionths(((mouseXPx[i] - display.leftPx) / display.widthPx) * 100),
    y: toMillionths(((mouseYPx[i] + scrollYPx[i] - display.topPx) / display.heightPx) * 100),
  }
}
