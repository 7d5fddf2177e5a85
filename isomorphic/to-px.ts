/**
 * Converts coordinates of a format to px from the upper left: x × xScale + xOffset. Degrees of visual angle become px
 * first, by the distance of the eyes in px of each axis; it is 0 for other units.
 */
export type ToPx = {
  xScale: number
  yScale: number
  xOffset: number
  yOffset: number
  xEyesPx: number
  yEyesPx: number
}

export type PxOrigin = 'top-left' | 'bottom-left' | 'center-y-down' | 'center-y-up'

/**
 * Unit of positions: px, a share of the screen, or from its middle: PsychoPy's norm (1 at the border), its height
 * (shares of the screen's height), and degrees of visual angle.
 */
export type PositionUnit = 'px' | 'fraction' | 'percent' | 'norm' | 'height' | 'deg'

/** Size and distance of a screen, in cm; without a height, its px are square. */
export type ViewingCm = { screenWidthCm: number; screenHeightCm?: number; viewingDistanceCm: number }

/** Returns the conversion of positions with a unit and an origin to px. @param viewing for degrees */
export function toPx(
  unit: PositionUnit,
  origin: PxOrigin,
  { widthPx, heightPx }: { widthPx: number; heightPx: number },
  viewing: ViewingCm | null = null,
): ToPx {
  const { xUnit, yUnit } = unitsPx(unit, widthPx, heightPx)
  const isUp = origin === 'bottom-left' || origin === 'center-y-up'
  const isCentred = origin === 'center-y-down' || origin === 'center-y-up'
  const { screenWidthCm = 0, viewingDistanceCm = 0, screenHeightCm } = (unit === 'deg' && viewing) || {}
  const xEyesPx = unit === 'deg' ? (viewingDistanceCm / screenWidthCm) * widthPx : 0
  return {
    xScale: xUnit,
    yScale: isUp ? -yUnit : yUnit,
    xOffset: isCentred ? widthPx / 2 : 0,
    yOffset: isCentred ? heightPx / 2 : isUp ? heightPx : 0,
    xEyesPx,
    yEyesPx: unit === 'deg' && screenHeightCm ? (viewingDistanceCm / screenHeightCm) * heightPx : xEyesPx,
  }
}

function unitsPx(unit: PositionUnit, widthPx: number, heightPx: number): { xUnit: number; yUnit: number } {
  if (unit === 'px' || unit === 'deg') return { xUnit: 1, yUnit: 1 }
  if (unit === 'height') return { xUnit: heightPx, yUnit: heightPx }
  const parts = unit === 'norm' ? 2 : unit === 'percent' ? 100 : 1
  return { xUnit: widthPx / parts, yUnit: heightPx / parts }
}

/** Returns a position on an axis in px. @param eyesPx the distance of the eyes, or 0 for a length */
export function placeOn(value: number, scale: number, offset: number, eyesPx: number): number {
  return (eyesPx === 0 ? value : Math.tan((value * Math.PI) / 180) * eyesPx) * scale + offset
}
