import type { Colors } from '../core/colors/theme.ts'
import { isolate } from '../core/number-texts.ts'
import { cutTo } from './axis.tsx'

const NAME_PX = 90

type EventLinesProps = {
  events: { tMs: number; name: string }[]
  /** Returns the place of a time. */
  px: (ms: number) => number
  top: number
  bottom: number
  right: number
  colors: Colors
}

/** Marks events by dashed lines with names; a name that would overlap another is left out. */
export function EventLines({ events, px, top, bottom, right, colors }: EventLinesProps) {
  let free = Number.NEGATIVE_INFINITY
  return [...events]
    .sort((a, b) => a.tMs - b.tMs)
    .map(({ tMs, name }, i) => {
      const at = px(tMs)
      const isFree = at >= free
      if (isFree) free = at + NAME_PX
      return (
        <g key={i} class="event">
          <line x1={at} x2={at} y1={top} y2={bottom} stroke={colors.ink} stroke-dasharray="2 3" />
          {isFree && (
            <text x={Math.min(at + 3, right - 20)} y={top - 2} font-size="11" fill={colors.ink}>
              {isolate(cutTo(name, NAME_PX - 8, 11))}
            </text>
          )}
        </g>
      )
    })
}
