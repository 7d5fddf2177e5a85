import type { Recording } from '../../model/study.ts'
import { floats } from './scratch.ts'

/** Geometry of a screen: its size in px and cm, and the distance of the eye, which is opposite its centre. */
export type ScreenGeometry = {
  widthPx: number
  heightPx: number
  widthCm: number
  heightCm: number
  /** Distance of the eye in a test, or in the study. */
  distanceCm: number
  /** Distances that were recorded in the test; absent without any. */
  distances?: Distances
}

/** Recorded distances of the eyes, with their times in whole µs, ascending. */
export type Distances = { tUs: Float64Array; mm: Float64Array }

/** Returns the geometry of a recording's screen; null if any part of it is unknown. */
export function geometryOf(recording: Recording | null): ScreenGeometry | null {
  const { screenWidthPx, screenHeightPx, screenWidthCm, screenHeightCm, viewingDistanceCm } = recording ?? {}
  if (!screenWidthPx || !screenHeightPx || !screenWidthCm || !screenHeightCm || !viewingDistanceCm) return null
  return {
    widthPx: screenWidthPx,
    heightPx: screenHeightPx,
    widthCm: screenWidthCm,
    heightCm: screenHeightCm,
    distanceCm: viewingDistanceCm,
  }
}

/** Direction to a point of the screen, in cm: right, down, ahead. */
type Direction = [x: number, y: number, z: number]

/**
 * Returns the direction to a point in px of the window, which is at the upper left of the screen.
 *
 * @param aheadCm distance of the eye, by default that of the test
 */
export function directionOf(
  { widthPx, heightPx, widthCm, heightCm, distanceCm }: ScreenGeometry,
  x: number,
  y: number,
  aheadCm = distanceCm,
): Direction {
  return [((x - widthPx / 2) / widthPx) * widthCm, ((y - heightPx / 2) / heightPx) * heightCm, aheadCm]
}

/**
 * Returns the Fick angles of n points in px of the window, in degrees: azimuths as x, elevations as y.
 *
 * @param aheadCm distance of the eye at each point, by default that of the test
 */
export function fickAngles(
  { widthPx, heightPx, widthCm, heightCm, distanceCm }: ScreenGeometry,
  px: { x: Float64Array; y: Float64Array },
  aheadCm?: Float64Array,
): { x: Float64Array; y: Float64Array } {
  const n = px.x.length
  const angles = { x: floats(n), y: floats(n) }
  for (let i = 0; i < n; i++) {
    const ahead = aheadCm === undefined ? distanceCm : aheadCm[i]
    const right = ((px.x[i] - widthPx / 2) / widthPx) * widthCm
    const down = ((px.y[i] - heightPx / 2) / heightPx) * heightCm
    angles.x[i] = toDegrees(Math.atan2(right, ahead))
    angles.y[i] = toDegrees(Math.atan2(down, Math.sqrt(ahead * ahead + right * right)))
  }
  return angles
}

/** Returns the angle between two directions, in degrees. */
export function angleBetween(a: Direction, b: Direction): number {
  const cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
  const sine = Math.sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2])
  return toDegrees(Math.atan2(sine, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]))
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI
}
