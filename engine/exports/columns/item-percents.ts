import type { DisplayRectanglePx, Samples } from '../../compute/gaze.ts'

/**
 * Converts positions to percent of the displayed item, including scrolling; NaN if lost. Columns of length n.
 *
 * @param display null only for a test without samples
 */
export function itemPercents(
  xPx: Float64Array,
  yPx: Float64Array,
  { n, scrollYPx }: Pick<Samples, 'n' | 'scrollYPx'>,
  display: DisplayRectanglePx | null,
): { xPercent: Float64Array; yPercent: Float64Array } {
  const [xPercent, yPercent] = [new Float64Array(n), new Float64Array(n)]
  if (display === null) return { xPercent, yPercent }
  const { leftPx, topPx, widthPx, heightPx } = display
  for (let i = 0; i < n; i++) {
    xPercent[i] = ((xPx[i] - leftPx) / widthPx) * 100
    yPercent[i] = ((yPx[i] + scrollYPx[i] - topPx) / heightPx) * 100
  }
  return { xPercent, yPercent }
}

/** Converts mouse positions in the same way. */
export function mousePercents(samples: Samples, display: DisplayRectanglePx | null) {
  return itemPercents(samples.mouseXPx, samples.mouseYPx, samples, display)
}
