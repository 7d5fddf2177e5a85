import type { AoiShape } from '../../compute/aoi.ts'
import type { DisplayRectanglePx } from '../../compute/gaze.ts'
import { angleBetween, directionOf, type ScreenGeometry } from '../../compute/quality/degrees.ts'
import { type Cells, type Column, column, fractions } from '../../model/columns.ts'
import type { ExportContext, TestRun } from './test-context.ts'
import { screenOf } from './test-geometry.ts'

/** Further columns of the size of an AOI. */
export const AOI_DEGREES: Column[] = [
  column(
    'aoi_width_deg',
    'number',
    '°',
    'Angle from the left to the right of the box around the AOI on the screen',
    '',
  ),
  column('aoi_height_deg', 'number', '°', 'Angle from its top to its bottom', ''),
]

/** Returns the cells of `AOI_DEGREES` for the AOIs of a test's item; none unless degrees are requested. */
export function aoiDegreeCells(run: TestRun, context: ExportContext): Cells[] {
  if (!context.plan.parameters.extras?.includes('degrees')) return []
  const { width, height } = aoiDegrees(run, context)
  return [width, height].map(fractions)
}

/** Returns the angles of the AOIs of a test's item; NaN for a test that displays nothing, or without geometry. */
export function aoiDegrees(run: TestRun, context: ExportContext): { width: Float64Array; height: Float64Array } {
  const { item, test } = run.identity
  const { shapes } = context.aoisOf(item)
  const screen = screenOf(run.samples, context.facts)
  const sizes = shapes.map((shape) =>
    test.display === null || screen === null ? [Number.NaN, Number.NaN] : sizeOf(shape, test.display, screen),
  )
  return { width: Float64Array.from(sizes, ([x]) => x), height: Float64Array.from(sizes, ([, y]) => y) }
}

/** Returns the angles between the middles of the sides of the box around an AOI, without scrolling. */
function sizeOf(
  { parts }: AoiShape,
  { leftPx, topPx, widthPx, heightPx }: DisplayRectanglePx,
  screen: ScreenGeometry,
): [width: number, height: number] {
  // Corners of parts are in millionths of a percent.
  const of = (name: 'minX' | 'minY' | 'maxX' | 'maxY', most: (...values: number[]) => number) =>
    most(...parts.map((part) => part[name])) / 1e8
  const [left, right] = [of('minX', Math.min), of('maxX', Math.max)].map((share) => leftPx + share * widthPx)
  const [top, bottom] = [of('minY', Math.min), of('maxY', Math.max)].map((share) => topPx + share * heightPx)
  const [x, y] = [(left + right) / 2, (top + bottom) / 2]
  return [
    angleBetween(directionOf(screen, left, y), directionOf(screen, right, y)),
    angleBetween(directionOf(screen, x, top), directionOf(screen, x, bottom)),
  ]
}
