import type { LossData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { countOf } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { useInks } from '../../ui/chart/drawing.tsx'
import { PlotDrawing, useFrame } from '../../ui/chart/plot.tsx'

/** Loss at one point of a line: the mean over tests, in percent, and the number of tests. */
type LossPoint = LossData['bins'][number]

const PLOT_PX = 166

/** Returns bins with their starts in seconds. */
export function inSeconds(bins: LossPoint[]): LossPoint[] {
  return bins.map((bin) => ({ ...bin, at: bin.at / 1000 }))
}

type LossLineProps = { points: LossPoint[]; label: string; width: number; colors: Colors }

export function LossLine({ points, label, width, colors }: LossLineProps) {
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1]
  const isWhole = points.every(({ at }) => Number.isInteger(at))
  const most = Math.max(5, ...points.map(({ mean }) => mean))
  return (
    <PlotDrawing
      {...{ width, colors }}
      plotPx={PLOT_PX}
      label={`Share of samples without gaze by ${label}, ${countOf(points.length, 'point')}`}
      x={{ of: [first, last === first ? first + 1 : last], label, isWhole }}
      y={{ of: [0, most], label: 'Samples without gaze, %, mean over tests', n: 4, isNice: true }}
      counts={[{ at: (tick) => points.find(({ at }) => Math.abs(at - tick) < 1e-9)?.tests ?? 0 }]}
    >
      <Means points={points} />
    </PlotDrawing>
  )
}

function Means({ points }: { points: LossPoint[] }) {
  const { x, y } = useFrame()
  const { accent } = useInks()
  return (
    <>
      <polyline
        points={points.map(({ at, mean }) => `${x(at).toFixed(1)},${y(mean).toFixed(1)}`).join(' ')}
        fill="none"
        stroke={accent}
        stroke-width="2"
      />
      {points.length <= 60 &&
        points.map(({ at, mean }) => <circle key={at} cx={x(at)} cy={y(mean)} r="3.5" fill={accent} />)}
    </>
  )
}

export function lossNumbers(points: LossPoint[], at: string): Numbers {
  return {
    columns: [at, 'data_loss_mean_percents', 'tests'],
    rows: points.map(({ at: place, mean, tests }) => [place, mean, tests]),
  }
}
