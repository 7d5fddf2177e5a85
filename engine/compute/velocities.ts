import type { Positions } from './fixation-list.ts'

/**
 * Appends the velocities of a segment's points along each axis, over five points (Engbert and Kliegl, 2003):
 * docs/detectors.md, "Adaptive".
 *
 * @param positions of all points, in any unit
 * @param start, end of the segment's points, at least two, half-open
 * @param velocityX, velocityY units per second, written from `from` on
 * @returns the new length
 */
export function addVelocities(
  tUs: Float64Array,
  { x, y, stride }: Positions,
  start: number,
  end: number,
  velocityX: Float64Array,
  velocityY: Float64Array,
  from: number,
): number {
  const last = end - 1
  for (let i = start; i < end; i++) {
    // The ends of a segment take the velocity of their neighbours; in a segment of two points, both take the step
    // between them.
    const at = end - start === 2 ? -1 : i === start ? start + 1 : i === last ? last - 1 : i
    const p = from + i - start
    const c = at * stride
    if (at === -1) {
      const seconds = (tUs[last] - tUs[start]) / 1e6
      velocityX[p] = (x[last * stride] - x[start * stride]) / seconds
      velocityY[p] = (y[last * stride] - y[start * stride]) / seconds
    } else if (at - 2 < start || at + 2 > last) {
      const seconds = (tUs[at + 1] - tUs[at - 1]) / 1e6
      velocityX[p] = (x[c + stride] - x[c - stride]) / seconds
      velocityY[p] = (y[c + stride] - y[c - stride]) / seconds
    } else {
      const seconds = (tUs[at + 2] + tUs[at + 1] - tUs[at - 1] - tUs[at - 2]) / 1e6
      const [near, far] = [stride, 2 * stride]
      velocityX[p] = (x[c + far] + x[c + near] - x[c - near] - x[c - far]) / seconds
      velocityY[p] = (y[c + far] + y[c + near] - y[c - near] - y[c - far]) / seconds
    }
  }
  return from + end - start
}
