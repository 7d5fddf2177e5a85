import { inkOn } from '../core/colors/aoi-colors.ts'
import type { Colors } from '../core/colors/theme.ts'
import { isolate } from '../core/number-texts.ts'
import { cutTo } from './axis.tsx'

type AoiLabelProps = {
  name: string
  place: number
  color: string
  y: number
  /** Room for the name. */
  px: number
  fontPx?: number
  colors: Colors
}

/** Draws the number of an AOI in its colour, and its name. */
export function AoiLabel({ name, place, color, y, px, fontPx = 12, colors }: AoiLabelProps) {
  return (
    <>
      <rect x="0" y={y} width="22" height="18" fill={color} />
      <text x="11" y={y + 13.5} text-anchor="middle" font-size="12" font-weight="700" fill={inkOn(color)}>
        {place + 1}
      </text>
      <text x="30" y={y + 13.5} font-size={fontPx} fill={colors.ink}>
        {isolate(cutTo(name, px, fontPx))}
      </text>
    </>
  )
}
