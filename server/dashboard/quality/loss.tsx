import { scaleLinear } from 'd3-scale'
import { mean } from '../../../engine/analysis/descriptive.ts'
import { AxisBottom, AxisLeft, COUNTS_PX, CountsBelow } from '../charts/axis.tsx'
import { Drawing } from '../charts/drawing.tsx'
import type { Colors } from '../colors/theme.ts'
import type { TableData } from '../core/api.ts'
import type { Numbers } from '../core/numbers-csv.ts'
import type { QualityTest } from './thresholds.ts'

/** Loss at one place of a line: the mean over tests, and of how many. */
type LossPoint = { at: number; percents: number; n: number }

const LEFT = 50
const RIGHT = 14
const TOP = 26
const BOTTOM = 44
const HEIGHT = 236

/** Returns the mean share of samples without gaze by the order in which items were shown. */
export function lossByOrder(tests: QualityTest[], place: number): LossPoint[] {
  const byOrder = new Map<number, number[]>()
  for (const { order, values } of tests) {
    if (Number.isNaN(order) || Number.isNaN(values[place])) continue
    byOrder.set(order, [...(byOrder.get(order) ?? []), values[place]])
  }
  return [...byOrder]
    .map(([at, values]) => ({ at, percents: mean(values), n: values.length }))
    .sort((one, other) => one.at - other.at)
}

/** Returns the mean share of times without gaze in each bin. @param table rows of `gazes-aois-binned` */
export function lossOverTime({ columns, rows }: TableData): LossPoint[] {
  const [start, gazes, losses] = ['bin_starts_at_ms', 'bin_gaze_count', 'bin_trackloss_count'].map((name) =>
    columns.indexOf(name),
  )
  const byBin = new Map<number, number[]>()
  for (const row of rows) {
    const [lost, seen] = [Number(row[losses]), Number(row[gazes])]
    const at = Number(row[start]) / 1000
    const own = byBin.get(at)
    if (own) own.push((100 * lost) / (lost + seen))
    else byBin.set(at, [(100 * lost) / (lost + seen)])
  }
  return [...byBin]
    .map(([at, values]) => ({ at, percents: mean(values), n: values.length }))
    .sort((one, other) => one.at - other.at)
}

export function LossLine({
  points,
  label,
  width,
  colors,
}: {
  points: LossPoint[]
  label: string
  width: number
  colors: Colors
}) {
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1]
  const x = scaleLinear([first, last === first ? first + 1 : last], [LEFT, width - RIGHT])
  const y = scaleLinear([0, Math.max(5, ...points.map(({ percents }) => percents))], [HEIGHT - BOTTOM, TOP]).nice()
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
        end={width - RIGHT}
        isWhole={points.every(({ at }) => Number.isInteger(at))}
      />
      <CountsBelow
        scale={x}
        y={HEIGHT - BOTTOM}
        left={LEFT}
        n={width < 500 ? 4 : 8}
        countAt={(tick) => points.find(({ at }) => Math.abs(at - tick) < 1e-9)?.n ?? 0}
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
        points={points.map(({ at, percents }) => `${x(at).toFixed(1)},${y(percents).toFixed(1)}`).join(' ')}
        fill="none"
        stroke={colors.accent}
        stroke-width="2"
      />
      {points.length <= 60 &&
        points.map(({ at, percents }) => <circle key={at} cx={x(at)} cy={y(percents)} r="3.5" fill={colors.accent} />)}
    </Drawing>
  )
}

export function lossNumbers(points: LossPoint[], at: string): Numbers {
  return {
    columns: [at, 'data_loss_mean_percents', 'tests'],
    rows: points.map(({ at: place, percents, n }) => [place, percents, n]),
  }
}
