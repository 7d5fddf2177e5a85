import { inkOn } from '../core/colors/aoi-colors.ts'
import { isolate } from '../core/number-texts.ts'
import { cutTo, Words } from '../ui/chart/words.tsx'

type AoiNumberProps = {
  place: number
  color: string
  /** Left and upper edge, px. */
  x?: number
  y: number
}

/** Draws the number of an AOI on its colour, 22 × 18 px. */
export function AoiNumber({ place, color, x = 0, y }: AoiNumberProps) {
  return (
    <>
      <rect x={x} y={y} width="22" height="18" fill={color} />
      <text x={x + 11} y={y + 13.5} text-anchor="middle" font-size="12" font-weight="700" fill={inkOn(color)}>
        {place + 1}
      </text>
    </>
  )
}

type AoiLabelProps = AoiNumberProps & {
  name: string
  /** Room for the name. */
  px: number
  fontPx?: number
}

/** Draws the number of an AOI on its colour, and its name. */
export function AoiLabel({ name, px, fontPx = 12, ...number }: AoiLabelProps) {
  return (
    <>
      <AoiNumber {...number} />
      <Words x={30} y={number.y + 13.5} fontPx={fontPx}>
        {isolate(cutTo(name, px, fontPx))}
      </Words>
    </>
  )
}
