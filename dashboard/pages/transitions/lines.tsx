import { scaleLinear } from 'd3-scale'
import { isFaintOn } from '../../core/colors/aoi-colors.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { AxisBottom, AxisLeft, COUNTS_PX, CountsBelow } from '../../figures/axis.tsx'
import { Drawing } from '../../figures/drawing.tsx'

/** Line of an AOI: seconds and percent. `isStep` holds each value until the next. */
export type Line = { aoi: number; color: string; points: [seconds: number, percent: number][] }

const LEFT = 46
const RIGHT = 34
const TOP = 26
const BOTTOM = 44
const HEIGHT = 296

type LinesProps = {
  lines: Line[]
  isStep: boolean
  untilMs: number
  /** Labels of the horizontal and the vertical axis. */
  label: string
  percentOf: string
  what: string
  /** n of the lines, by seconds: one row below the axis for each. */
  counts: { label: string; at: (seconds: number) => number }[]
  width: number
  colors: Colors
}

/** Draws percent over time: a line per AOI, with its number at the end. */
export function Lines({ lines, isStep, untilMs, label, percentOf, what, counts, width, colors }: LinesProps) {
  const x = scaleLinear([0, untilMs / 1000], [LEFT, width - RIGHT])
  const most = isStep ? 100 : Math.max(5, ...lines.flatMap(({ points }) => points.map(([, percent]) => percent)))
  const y = scaleLinear([0, most], [HEIGHT - BOTTOM, TOP]).nice()
  const path = (points: Line['points']) =>
    points
      .map(([t, percent], i) => {
        if (i === 0) return `M${x(t).toFixed(1)} ${y(percent).toFixed(1)}`
        return isStep ? `H${x(t).toFixed(1)}V${y(percent).toFixed(1)}` : `L${x(t).toFixed(1)} ${y(percent).toFixed(1)}`
      })
      .join('')
  const ends = lines.flatMap(({ aoi, points }) => {
    const last = points.at(-1)
    return last === undefined ? [] : [{ aoi, x: x(last[0]), y: y(last[1]) }]
  })
  return (
    <Drawing
      width={width}
      height={HEIGHT + counts.length * COUNTS_PX}
      label={`${what} of ${lines.length} areas of interest`}
    >
      <AxisBottom scale={x} y={HEIGHT - BOTTOM} top={TOP} n={width < 500 ? 4 : 8} label={label} colors={colors} />
      {counts.map(({ label: own, at }, row) => (
        <CountsBelow
          key={own}
          scale={x}
          y={HEIGHT - BOTTOM}
          left={LEFT}
          n={width < 500 ? 4 : 8}
          label={own}
          row={row}
          countAt={at}
          colors={colors}
        />
      ))}
      <AxisLeft scale={y} x={LEFT} right={width - RIGHT} n={5} label={percentOf} colors={colors} />
      {lines.map(({ aoi, color, points }) => (
        <g key={aoi} fill="none">
          {isFaintOn(color, colors.surface) && <path d={path(points)} stroke={colors.muted} stroke-width="4" />}
          <path d={path(points)} stroke={color} stroke-width="2" />
        </g>
      ))}
      {apart(ends).map(({ aoi, x, y }) => (
        <text key={aoi} x={x + 5} y={y + 4} font-size="12" font-weight="700" fill={colors.ink}>
          {aoi + 1}
        </text>
      ))}
    </Drawing>
  )
}

const LABEL_PX = 12

/** Moves overlapping labels apart, in the order of the ends of their lines, within the drawing. */
function apart(ends: { aoi: number; x: number; y: number }[]): { aoi: number; x: number; y: number }[] {
  const placed = [...ends].sort((one, other) => other.y - one.y).map((end) => ({ ...end }))
  let free = HEIGHT - 4
  for (const end of placed) {
    end.y = Math.min(end.y, free)
    free = end.y - LABEL_PX
  }
  // Labels pushed beyond the upper edge push the others down again.
  let highest = LABEL_PX
  for (const end of placed.reverse()) {
    end.y = Math.max(end.y, highest)
    highest = end.y + LABEL_PX
  }
  return placed
}
