import type { Colors } from '../core/colors/theme.ts'

type Scale = {
  (value: number): number
  ticks: (n: number) => number[]
  range: () => number[]
  tickFormat: (n: number) => (v: number) => string
}

type AxisBottomProps = {
  scale: Scale
  y: number
  /** Top of the grid lines. */
  top: number
  n: number
  label: string
  colors: Colors
  /** True for whole-numbered values. */
  isWhole?: boolean
}

/** Draws ticks and numbers along the bottom. */
export function AxisBottom({ scale, y, top, n, label, colors, isWhole = false }: AxisBottomProps) {
  const format = isWhole ? String : scale.tickFormat(n)
  const ticks = scale.ticks(n).filter((tick) => !isWhole || Number.isInteger(tick))
  return (
    <g font-size="12" fill={colors.muted}>
      {ticks.map((tick) => (
        <g key={tick} transform={`translate(${scale(tick)},0)`}>
          <line y1={top} y2={y} stroke={colors.line} />
          <text y={y + 16} text-anchor="middle">
            {format(tick)}
          </text>
        </g>
      ))}
      <text x={scale.range()[1]} y={y + 34} text-anchor="end">
        {label}
      </text>
    </g>
  )
}

/** Height of a row of `CountsBelow` under an axis. */
export const COUNTS_PX = 18

type CountsBelowProps = {
  scale: Scale
  y: number
  left: number
  n: number
  label?: string
  /** Index of the row below the axis, from 0. */
  row?: number
  /** True if only whole numbers have a count, as on the axis. */
  isWhole?: boolean
  /** Returns the count at a tick; null if there is nothing to count, such as at the end of the last bin. */
  countAt: (tick: number) => number | null
  colors: Colors
}

/** Draws a row below an axis with the number of observations at each tick. */
export function CountsBelow({
  scale,
  y,
  left,
  n,
  label = 'n',
  row = 0,
  isWhole = false,
  countAt,
  colors,
}: CountsBelowProps) {
  return (
    <g class="counts-below" font-size="12" fill={colors.muted}>
      <text x={left - 14} y={y + 50 + row * COUNTS_PX} text-anchor="end">
        {label}
      </text>
      {scale
        .ticks(n)
        .filter((tick) => !isWhole || Number.isInteger(tick))
        .map((tick) => {
          const own = countAt(tick)
          return own === null ? null : (
            <text key={tick} x={scale(tick)} y={y + 50 + row * COUNTS_PX} text-anchor="middle">
              {own}
            </text>
          )
        })}
    </g>
  )
}

type AxisLeftProps = { scale: Scale; x: number; right: number; n: number; label?: string; colors: Colors }

/** Draws ticks and numbers along the left. @param label drawn above the axis, at the top of the drawing */
export function AxisLeft({ scale, x, right, n, label = '', colors }: AxisLeftProps) {
  const format = scale.tickFormat(n)
  return (
    <g font-size="12" fill={colors.muted}>
      {label !== '' && <text y="12">{label}</text>}
      {scale.ticks(n).map((tick) => (
        <g key={tick} transform={`translate(0,${scale(tick)})`}>
          <line x1={x} x2={right} stroke={colors.line} />
          <text x={x - 8} y="4" text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
    </g>
  )
}

/** Truncates a text to about that many px. */
export function cutTo(text: string, px: number, fontPx = 12): string {
  const most = Math.max(3, Math.floor(px / (fontPx * 0.56)))
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}
