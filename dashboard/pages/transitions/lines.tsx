import { isFaintOn } from '../../core/colors/aoi-colors.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { countOf } from '../../core/number-texts.ts'
import { apart } from '../../ui/chart/apart.ts'
import type { AxisCounts } from '../../ui/chart/axis.tsx'
import { useInks } from '../../ui/chart/drawing.tsx'
import { PlotDrawing, useFrame } from '../../ui/chart/plot.tsx'
import { Words } from '../../ui/chart/words.tsx'

/** Line of an AOI: seconds and percent. `isStep` holds each value until the next. */
export type Line = { aoi: number; color: string; points: [seconds: number, percent: number][] }

/** Room for the numbers at the ends of the lines, px. */
const RIGHT = 34
const PLOT_PX = 226

type LinesProps = {
  lines: Line[]
  isStep: boolean
  untilMs: number
  /** Labels of the horizontal and the vertical axis. */
  label: string
  percentOf: string
  what: string
  /** n of the lines, by seconds. */
  counts: AxisCounts[]
  width: number
  colors: Colors
}

/** Draws percent over time: a line per AOI, with its number at the end. */
export function TransitionLines({ lines, isStep, untilMs, label, percentOf, what, ...plot }: LinesProps) {
  const most = isStep ? 100 : Math.max(5, ...lines.flatMap(({ points }) => points.map(([, percent]) => percent)))
  return (
    <PlotDrawing
      {...plot}
      plotPx={PLOT_PX}
      right={RIGHT}
      label={`${what} of ${countOf(lines.length, 'area of interest', 'areas of interest')}`}
      x={{ of: [0, untilMs / 1000], label }}
      y={{ of: [0, most], label: percentOf, isNice: true }}
    >
      <LinesOfAois lines={lines} isStep={isStep} />
    </PlotDrawing>
  )
}

function LinesOfAois({ lines, isStep }: Pick<LinesProps, 'lines' | 'isStep'>) {
  const { x, y, bottom } = useFrame()
  const colors = useInks()
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
  const places = apart(
    ends.map((end) => end.y),
    LABEL_PX,
    [LABEL_PX, bottom + BELOW_PX],
  )
  return (
    <>
      {lines.map(({ aoi, color, points }) => (
        <g key={aoi} fill="none">
          {isFaintOn(color, colors.surface) && <path d={path(points)} stroke={colors.muted} stroke-width="4" />}
          <path d={path(points)} stroke={color} stroke-width="2" />
        </g>
      ))}
      {ends.map((end, i) => (
        <Words key={end.aoi} x={end.x + 5} y={places[i] + 4} isStrong>
          {end.aoi + 1}
        </Words>
      ))}
    </>
  )
}

const LABEL_PX = 12
/** Room for moved labels below the plot, px. */
const BELOW_PX = 40
