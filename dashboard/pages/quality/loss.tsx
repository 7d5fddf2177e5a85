import { scaleLinear } from 'd3-scale'
import type { LossData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { AxisBottom, AxisLeft, COUNTS_PX, CountsBelow } from '../../figures/axis.tsx'
import { Drawing } from '../../figures/drawing.tsx'

/** Loss at one point of a line: the mean over tests, in percent, and the number of tests. */
type LossPoint = LossData['bins'][number]

const LEFT = 50
const RIGHT = 14
const TOP = 26
const BOTTOM = 44
const HEIGHT = 236

/** Returns bins with their starts in seconds. */
export function inSeconds(bins: LossPoint[]): LossPoint[] {
  return bins.map((bin) => ({ ...bin, at: bin.at / 1000 }))
}

type LossLineProps = { points: LossPoint[]; label: string; width: number; colors: Colors }

export function LossLine({ points, label, width, colors }: LossLineProps) {
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1]
  const x = scaleLinear([first, last === first ? first + 1 : last], [LEFT, width - RIGHT])
  const y = scaleLinear([0, Math.max(5, ...points.map(({ mean }) => mean))], [HEIGHT - BOTTOM, TOP]).nice()
  const isWhole = points.every(({ at }) => Number.isInteger(at))
  return (
    <Drawing
      width={width}
      height={HEIGHT + COUNTS_PX}
      label={`Share of samples without gaze by ${label}, ${points.length} points`}
    >
      <AxisBottom
        scale={x}
        y={HEIGHT - BOTTOM}
        top={TOP}
        n={width < 500 ? 4 : 8}
        label={label}
        colors={colors}
        isWhole={isWhole}
      />
      <CountsBelow
        scale={x}
        y={HEIGHT - BOTTOM}
        left={LEFT}
        n={width < 500 ? 4 : 8}
        isWhole={isWhole}
        countAt={(tick) => points.find(({ at }) => Math.abs(at - tick) < 1e-9)?.tests ?? 0}
        colors={colors}
      />
      <AxisLeft
        scale={y}
        x={LEFT}
        right={width - RIGHT}
        n={4}
        label="Samples without gaze, %, mean over tests"
        colors={colors}
      />
      <polyline
        points={points.map(({ at, mean }) => `${x(at).toFixed(1)},${y(mean).toFixed(1)}`).join(' ')}
        fill="none"
        stroke={colors.accent}
        stroke-width="2"
      />
      {points.length <= 60 &&
        points.map(({ at, mean }) => <circle key={at} cx={x(at)} cy={y(mean)} r="3.5" fill={colors.accent} />)}
    </Drawing>
  )
}

export function lossNumbers(points: LossPoint[], at: string): Numbers {
  return {
    columns: [at, 'data_loss_mean_percents', 'tests'],
    rows: points.map(({ at: place, mean, tests }) => [place, mean, tests]),
  }
}
