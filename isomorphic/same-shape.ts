/** A width and a height, whose ratio is compared. */
export type Size = { widthPx: number; heightPx: number }

/** Largest rounding error of one side, as a share of the other. */
const TOLERANCE = 0.01

/** Returns whether two sizes have the same aspect ratio. */
export function haveSameShape(one: Size, other: Size): boolean {
  const ratio = (one.widthPx * other.heightPx) / (one.heightPx * other.widthPx)
  return ratio <= 1 + TOLERANCE && ratio >= 1 / (1 + TOLERANCE)
}

export function sizeText({ widthPx, heightPx }: Size): string {
  const px = (value: number) => String(Math.round(value * 100) / 100)
  return `${px(widthPx)} × ${px(heightPx)} px`
}
