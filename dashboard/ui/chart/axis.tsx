import { useInks } from './drawing.tsx'
import type { AxisOf, Frame } from './frame.ts'
import { type Scale, ticksOf } from './scale.ts'

/** Row of counts under an axis. */
export type AxisCounts = {
  label?: string
  /** Returns the count at a tick; null if there is nothing to count, such as at the end of the last bin. */
  at: (tick: number) => number | null
}

/** Room for the ticks and the label under a plot, and for each row of counts, in px. */
export const AXIS_PX = 44
export const COUNTS_PX = 18
const COUNTS_GAP_PX = 18
/** Below this width of the plot, in px, an axis has half its ticks. */
const NARROW_PX = 440

type AxisBottomProps = { axis: AxisOf; frame: Frame; counts: AxisCounts[] }

/** Draws ticks, numbers, label and rows of counts along the bottom. */
export function AxisBottom({ axis, frame: { x, left, right, top, bottom }, counts }: AxisBottomProps) {
  const { muted, line } = useInks()
  const ticks = marksOf(x, axis, right - left < NARROW_PX ? 4 : 8)
  return (
    <>
      <g font-size="12" fill={muted}>
        {ticks.map(({ at, text }) => (
          <g key={at} transform={`translate(${x(at)},0)`}>
            <line y1={top} y2={bottom} stroke={line} />
            <text y={bottom + 16} text-anchor="middle">
              {text}
            </text>
          </g>
        ))}
        <text x={right} y={bottom + 34} text-anchor="end">
          {axis.label}
        </text>
      </g>
      {counts.map((row, i) => (
        <g key={i} class="counts-below" font-size="12" fill={muted}>
          <text x={left - COUNTS_GAP_PX} y={bottom + 50 + i * COUNTS_PX} text-anchor="end">
            {row.label ?? 'n'}
          </text>
          {ticks
            .filter(({ at }) => row.at(at) !== null)
            .map(({ at }) => (
              <text key={at} x={x(at)} y={bottom + 50 + i * COUNTS_PX} text-anchor="middle">
                {row.at(at)}
              </text>
            ))}
        </g>
      ))}
    </>
  )
}

/** Draws ticks and numbers along the left, and the label of the axis at the top of the drawing. */
export function AxisLeft({ axis, frame: { y, left, right } }: { axis: AxisOf; frame: Frame }) {
  const { muted, line } = useInks()
  return (
    <g font-size="12" fill={muted}>
      {axis.label !== undefined && <text y="12">{axis.label}</text>}
      {marksOf(y, axis, 5).map(({ at, text }) => (
        <g key={at} transform={`translate(0,${y(at)})`}>
          <line x1={left} x2={right} stroke={line} />
          <text x={left - 8} y="4" text-anchor="end">
            {text}
          </text>
        </g>
      ))}
    </g>
  )
}

/** Returns the ticks of an axis. @param usually about how many, unless the axis says so */
function marksOf(scale: Scale, { n, isWhole = false }: AxisOf, usually: number): { at: number; text: string }[] {
  const ticks = ticksOf(scale, n ?? usually)
  return isWhole ? ticks.filter(({ at }) => Number.isInteger(at)).map(({ at }) => ({ at, text: String(at) })) : ticks
}
