import type { Aoi } from '../../../core/api.ts'
import { type Box, boxOf, cornersOf, type ItemSize, type XY } from './parts.ts'

/** Snap lines, in fractions of the item. */
type Targets = { xs: number[]; ys: number[] }
/** Snap offset, and the lines that were snapped to; null for none. */
export type Snapped = { dx: number; dy: number; x: number | null; y: number | null }

/**
 * Returns the snap lines: edges and middle of the item, and those of other AOIs.
 *
 * @param except id and part of an AOI to leave out
 */
export function targetsOf(aois: Aoi[], item: ItemSize, except: { id: string; part: number } | null): Targets {
  const boxes = aois.flatMap(({ id, parts }) =>
    parts.flatMap(({ areaPoints }, p) =>
      except !== null && id === except.id && p === except.part ? [] : [boxOf(cornersOf(areaPoints, item))],
    ),
  )
  return {
    xs: [0, 0.5, 1, ...boxes.flatMap(({ left, right }) => [left, right])],
    ys: [0, 0.5, 1, ...boxes.flatMap(({ top, bottom }) => [top, bottom])],
  }
}

/** Snaps a point to the nearest lines. @param reach in fractions of the item, across and down */
export function snapPoint([x, y]: XY, { xs, ys }: Targets, [reachX, reachY]: XY): Snapped {
  const [toX, toY] = [nearest([x], xs, reachX), nearest([y], ys, reachY)]
  return { dx: toX.by, dy: toY.by, x: toX.at, y: toY.at }
}

/** Snaps a box by its edges and its middle. */
export function snapBox({ left, top, right, bottom }: Box, { xs, ys }: Targets, [reachX, reachY]: XY): Snapped {
  const toX = nearest([left, (left + right) / 2, right], xs, reachX)
  const toY = nearest([top, (top + bottom) / 2, bottom], ys, reachY)
  return { dx: toX.by, dy: toY.by, x: toX.at, y: toY.at }
}

function nearest(values: number[], targets: number[], reach: number): { by: number; at: number | null } {
  let found: { by: number; at: number | null } = { by: 0, at: null }
  let least = reach
  for (const value of values) {
    for (const at of targets) {
      if (Math.abs(at - value) > least) continue
      least = Math.abs(at - value)
      found = { by: at - value, at }
    }
  }
  return found
}
