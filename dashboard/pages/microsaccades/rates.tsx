import { max } from 'd3-array'
import type { MicrosaccadesData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { countOf } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { MeanLine } from '../../figures/mean-line.tsx'
import { useInks } from '../../ui/chart/drawing.tsx'
import { PlotDrawing, useFrame } from '../../ui/chart/plot.tsx'
import { type Group, groupColors } from '../groups/group-list.ts'

const PLOT_PX = 260
const DOT_PX = 2.6

type MicrosaccadesProps = { data: MicrosaccadesData; groups: Group[]; width: number; colors: Colors }

/** Draws the mean rate of microsaccades of each group over time, with its interval. */
export function Rates({ data, groups, width, colors }: MicrosaccadesProps) {
  const { binStartsMs, binMs } = data
  const atMs = binStartsMs.map((start) => start + binMs / 2)
  const most = max(data.groups, ({ rate }) => max([...rate.mean, ...rate.high], (value) => value ?? 0)) ?? 0
  const ends: [number, number] = [(binStartsMs[0] ?? 0) / 1000, ((binStartsMs.at(-1) ?? 0) + binMs) / 1000]
  const binAt = (seconds: number) => binStartsMs.findLastIndex((start) => start <= seconds * 1000)
  return (
    <PlotDrawing
      {...{ width, colors }}
      plotPx={PLOT_PX}
      class="microsaccade-rates"
      label={`Rate of microsaccades over time, ${countOf(groups.length, 'group')}, ${countOf(binStartsMs.length, 'bin')}`}
      x={{ of: ends, label: `Time from ${data.eventType ?? 'item onset'}, s` }}
      y={{ of: [0, most || 1], label: 'Microsaccades per second, mean with 95 % interval', isNice: true }}
      counts={data.groups.map(({ rate }, g) => ({
        label: data.groups.length === 1 ? 'n' : `n ${g + 1}`,
        at: (tick) => rate.n[binAt(tick)] ?? null,
      }))}
    >
      <Means {...{ data, groups, atMs }} />
    </PlotDrawing>
  )
}

function Means({ data, groups, atMs }: Pick<MicrosaccadesProps, 'data' | 'groups'> & { atMs: number[] }) {
  const inks = groupColors(useInks())
  // An interval by Student's t may reach below what a rate can be.
  const shown = (rate: MicrosaccadesData['groups'][number]['rate']) => ({
    ...rate,
    low: rate.low.map((value) => (value === null ? null : Math.max(0, value))),
  })
  return data.groups.map(({ rate }, g) => (
    <MeanLine key={groups[g]?.name ?? g} atMs={atMs} of={shown(rate)} ink={inks[g]} />
  ))
}

/** Returns a row for each group and bin, with all digits. */
export function rateNumbers({ binStartsMs, groups: own }: MicrosaccadesData, groups: Group[]): Numbers {
  const names = ['mean', 'sd', 'low', 'high'] as const
  return {
    columns: [
      ...['group', 'bin_starts_at_ms', 'participant_count', 'microsaccade_count', 'binocular_gaze_s'],
      ...names.map((name) => `microsaccade_rate_${name}_per_s`),
    ],
    rows: own.flatMap(({ rate, counts, seconds }, g) =>
      binStartsMs.map((start, bin) => [
        ...[groups[g]?.name ?? '', start, rate.n[bin], counts[bin], seconds[bin]],
        ...names.map((name) => rate[name][bin]),
      ]),
    ),
  }
}

/** Draws the amplitude and the peak velocity of each microsaccade. */
export function MainSequencePlot({ data, groups, width, colors }: MicrosaccadesProps) {
  const drawn = data.groups.flatMap(({ amplitudesDeg }) => amplitudesDeg).length
  const most = max(data.groups, ({ peaksDegPerS }) => max(peaksDegPerS)) ?? 1
  return (
    <PlotDrawing
      {...{ width, colors }}
      plotPx={PLOT_PX}
      class="main-sequence"
      label={`Amplitude and peak velocity of ${countOf(drawn, 'microsaccade')}`}
      x={{ of: [0, data.maxDeg], label: 'Amplitude, °', isNice: true }}
      y={{ of: [0, most], label: 'Peak velocity, °/s, mean of both eyes', isNice: true }}
    >
      <Saccades {...{ data, groups }} />
    </PlotDrawing>
  )
}

function Saccades({ data, groups }: Pick<MicrosaccadesProps, 'data' | 'groups'>) {
  const { x, y } = useFrame()
  const inks = groupColors(useInks())
  return data.groups.map(({ amplitudesDeg, peaksDegPerS }, g) => (
    <g key={groups[g]?.name ?? g} fill={inks[g]} fill-opacity="0.4">
      {amplitudesDeg.map((amplitude, i) => (
        <circle key={i} cx={x(amplitude).toFixed(1)} cy={y(peaksDegPerS[i]).toFixed(1)} r={DOT_PX} />
      ))}
    </g>
  ))
}

/** Returns a row for each drawn microsaccade, with all digits. */
export function sequenceNumbers({ groups: own }: MicrosaccadesData, groups: Group[]): Numbers {
  return {
    columns: ['group', 'microsaccade_amplitude_deg', 'peak_velocity_deg_per_s'],
    rows: own.flatMap(({ amplitudesDeg, peaksDegPerS }, g) =>
      amplitudesDeg.map((amplitude, i) => [groups[g]?.name ?? '', amplitude, peaksDegPerS[i]]),
    ),
  }
}
