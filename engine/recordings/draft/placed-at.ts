import type { DisplayRectangle } from '../../model/study.ts'

/** A picture's upper left corner, or its centre, in px of the window. */
export type PicturePlace = { xPx: number; yPx: number; isCentre: boolean }

/** Returns the rectangle of a picture of this size. */
export function placedAt(
  { xPx, yPx, isCentre }: PicturePlace,
  { widthPx, heightPx }: { widthPx: number; heightPx: number },
): DisplayRectangle {
  const [left, top] = isCentre ? [widthPx / 2, heightPx / 2] : [0, 0]
  return { leftPx: xPx - left, topPx: yPx - top, widthPx, heightPx }
}
