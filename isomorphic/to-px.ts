/** Converts coordinates of a format to px from the upper left: x × xScale + xOffset. */
export type ToPx = { xScale: number; yScale: number; xOffset: number; yOffset: number }

export type PxOrigin = 'top-left' | 'bottom-left' | 'center-y-down' | 'center-y-up'

/** Returns the conversion of positions with a unit and an origin to px from the upper left of a screen. */
export function toPx(
  unit: 'px' | 'fraction' | 'percent',
  origin: PxOrigin,
  { widthPx, heightPx }: { widthPx: number; heightPx: number },
): ToPx {
  const share = unit === 'percent' ? 100 : 1
  const xUnit = unit === 'px' ? 1 : widthPx / share
  const yUnit = unit === 'px' ? 1 : heightPx / share
  const isUp = origin === 'bottom-left' || origin === 'center-y-up'
  const isCentred = origin === 'center-y-down' || origin === 'center-y-up'
  return {
    xScale: xUnit,
    yScale: isUp ? -yUnit : yUnit,
    xOffset: isCentred ? widthPx / 2 : 0,
    yOffset: isCentred ? heightPx / 2 : isUp ? heightPx : 0,
  }
}
