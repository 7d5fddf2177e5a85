import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { PupilsData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { AxisBottom, AxisLeft, COUNTS_PX, CountsBelow } from '../../figures/axis.tsx'
import { Drawing } from '../../figures/drawing.tsx'
import { type Group, groupColors } from '../groups/group-list.ts'

export type Measure = 'aboveBaseline' | 'size'
/** Times of the averages and of the baseline that can be dragged, in ms. */
export const EDGES = ['pupilFromMs', 'pupilBaselineFromMs', 'pupilBaselineToMs', 'pupilToMs'] as const
export type Edge = (typeof EDGES)[number]
export type Times = Record<Edge, number>

export const LEFT = 62
export const RIGHT = 14
const TOP = 26
const BOTTOM = 300
const NEAR_PX = 9

/** Draws the average pupil of each group over time, with its interval, and the window of the baseline. */
export function Averages({
  data,
  groups,
  measure,
  times,
  width,
  colors,
  onGrab,
}: {
  data: PupilsData
  groups: Group[]
  measure: Measure
  times: Times
  width: number
  colors: Colors
  /** Called when an edge is pressed, with what a place in px means in ms. */
  onGrab: (edge: Edge, msPerPx: number, clientX: number) => void
}) {
  const { binStartsMs } = data
  const x = scaleLinear([times.pupilFromMs / 1000, times.pupilToMs / 1000], [LEFT, width - RIGHT])
  const y = scaleLinear(rangeOf(data, measure), [BOTTOM, TOP]).nice()
  const inks = groupColors(colors)
  const middle = middlesOf(data, times.pupilToMs)
  const px = (ms: number) => Math.min(width - RIGHT, Math.max(LEFT, x(ms / 1000)))
  const press = (event: PointerEvent) => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect()
    const at = ((event.clientX - box.left) * width) / box.width
    const near = EDGES.map((edge) => ({ edge, far: Math.abs(px(times[edge]) - at) })).sort((a, b) => a.far - b.far)[0]
    if (near.far > NEAR_PX) return
    event.preventDefault()
    onGrab(
      near.edge,
      ((times.pupilToMs - times.pupilFromMs) / (width - LEFT - RIGHT)) * (width / box.width),
      event.clientX,
    )
  }
  const n = width < 500 ? 4 : 8
  return (
    <Drawing
      width={width}
      height={BOTTOM + 46 + COUNTS_PX * groups.length}
      class="pupil-averages"
      label={`Average pupil over time, ${groups.length} ${groups.length === 1 ? 'group' : 'groups'}, ${binStartsMs.length} bins`}
      onPointerDown={press}
    >
      <AxisBottom
        scale={x}
        y={BOTTOM}
        top={TOP}
        n={n}
        label={`Time from ${data.event ?? 'item onset'}, s`}
        colors={colors}
        end={width - RIGHT}
      />
      <AxisLeft
        scale={y}
        x={LEFT}
        right={width - RIGHT}
        n={5}
        label={`${measure === 'size' ? 'Pupil size' : 'Pupil size above the baseline'}, ${unitText(data.unit)}, mean of participants with 95 % interval`}
        colors={colors}
      />
      <rect
        class="baseline-window"
        x={px(times.pupilBaselineFromMs)}
        y={TOP}
        width={Math.max(1, px(times.pupilBaselineToMs) - px(times.pupilBaselineFromMs))}
        height={BOTTOM - TOP}
        fill={colors.muted}
        fill-opacity="0.18"
      />
      <line x1={px(0)} x2={px(0)} y1={TOP} y2={BOTTOM} stroke={colors.ink} stroke-dasharray="4 4" />
      {data.groups.map((group, g) => {
        const { mean, low, high } = group[measure]
        const drawn = line<number>(
          (_, i) => x(middle[i] / 1000),
          (_, i) => y(mean[i] ?? 0),
        ).defined((_, i) => mean[i] !== null)
        const band = area<number>(
          (_, i) => x(middle[i] / 1000),
          (_, i) => y(low[i] ?? 0),
          (_, i) => y(high[i] ?? 0),
        ).defined((_, i) => low[i] !== null && high[i] !== null)
        return (
          <g key={groups[g]?.name ?? g}>
            <path class="interval" d={band(middle) ?? ''} fill={inks[g]} fill-opacity="0.2" />
            <path class="mean" d={drawn(middle) ?? ''} fill="none" stroke={inks[g]} stroke-width="2" />
          </g>
        )
      })}
      {data.groups.map((group, g) => (
        <CountsBelow
          key={groups[g]?.name ?? g}
          scale={x}
          y={BOTTOM}
          left={LEFT + 4}
          n={n}
          row={g}
          label={data.groups.length === 1 ? 'n' : `n ${g + 1}`}
          countAt={(tick) => group[measure].n[binAt(binStartsMs, tick * 1000)] ?? 0}
          colors={colors}
        />
      ))}
    </Drawing>
  )
}

export function unitText(unit: PupilsData['unit']): string {
  if (unit === null) return 'unit unknown'
  return unit.endsWith('_au') ? `${unit.slice(0, -3)} in arbitrary units` : unit
}

/** Returns the middle of each bin; the last may be shorter. */
function middlesOf({ binStartsMs }: PupilsData, untilMs: number): number[] {
  return binStartsMs.map((start, i) => (start + (binStartsMs[i + 1] ?? untilMs)) / 2)
}

function binAt(starts: number[], ms: number): number {
  return starts.findLastIndex((start) => start <= ms)
}

function rangeOf(data: PupilsData, measure: Measure): [number, number] {
  const known = data.groups.flatMap((group) =>
    (['mean', 'low', 'high'] as const).flatMap((name) => group[measure][name].filter((value) => value !== null)),
  )
  if (known.length === 0) return [0, 1]
  const [low, high] = [Math.min(...known), Math.max(...known)]
  return low === high ? [low - 0.5, high + 0.5] : [low, high]
}

/** The numbers of both measures, whichever is drawn. */
export function averageNumbers(data: PupilsData, groups: Group[]): Numbers {
  const columns = (['size', 'aboveBaseline'] as const).flatMap((measure) =>
    (['n', 'mean', 'sd', 'low', 'high'] as const).map((name) => ({ measure, name })),
  )
  const words = { size: 'pupil_size', aboveBaseline: 'pupil_above_baseline' }
  return {
    columns: ['group', 'bin_starts_at_ms', ...columns.map(({ measure, name }) => `${words[measure]}_${name}`)],
    rows: data.groups.flatMap((group, g) =>
      data.binStartsMs.map((start, bin) => [
        groups[g]?.name ?? '',
        start,
        ...columns.map(({ measure, name }) => group[measure][name][bin]),
      ]),
    ),
  }
}
