import { area, line } from 'd3-shape'
import { useFrame } from '../ui/chart/plot.tsx'

type MeanLineProps = {
  atMs: number[]
  /** Means with their intervals; null where there is none. */
  of: { mean: (number | null)[]; low: (number | null)[]; high: (number | null)[] }
  ink: string
}

/** Draws means over time with their intervals, in a frame of seconds. */
export function MeanLine({ atMs, of: { mean, low, high }, ink }: MeanLineProps) {
  const { x, y } = useFrame()
  const at = (ms: number) => x(ms / 1000)
  const drawn = line<number>(at, (_, i) => y(mean[i] ?? 0)).defined((_, i) => mean[i] !== null)
  const isKnown = (_: number, i: number) => low[i] !== null && high[i] !== null
  const band = area<number>(
    at,
    (_, i) => y(low[i] ?? 0),
    (_, i) => y(high[i] ?? 0),
  ).defined(isKnown)
  return (
    <>
      <path class="interval" d={band(atMs) ?? ''} fill={ink} fill-opacity="0.2" />
      <path class="mean" d={drawn(atMs) ?? ''} fill="none" stroke={ink} stroke-width="2" />
    </>
  )
}
