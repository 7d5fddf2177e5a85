import type { DisplayRectanglePx, Samples } from '../../compute/gaze.ts'

/**
 * Returns the mouse in percent of the displayed item, scrolling added; NaN where it is lost. Each of length n.
 *
 * @param display null only for a test without samples
 */
export function mousePercents(
  { n, mouseXPx, mouseYPx, scrollYPx }: Samples,
  display: DisplayRectanglePx | null,
): { xPercent: Float64Array; yPercent: Float64Array } {
  const [xPercent, yPercent] = [new Float64Array(n), new Float64Array(n)]
  if (display === null) return { xPercent, yPercent }
  const { leftPx, topPx, widthPx, heightPx } = display
  for (let i = 0; i < n; i++) {
    xPercent[i] = ((mouseXPx[i] - leftPx) / widthPx) * 100
    yPercent[i] = ((mouseYPx[i] + scrollYPx[i] - topPx) / heightPx) * 100
  }
  return { xPercent, yPercent }
}
