import { scaleLinear } from 'd3-scale'
import type { PupilsData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { AxisBottom, AxisLeft, COUNTS_PX, CountsBelow } from '../../figures/axis.tsx'
import { Drawing } from '../../figures/drawing.tsx'
import { MeanLine } from '../../figures/mean-line.tsx'
import { type Group, groupColors } from '../groups/group-list.ts'

export type PupilMeasure = 'aboveBaseline' | 'size'
/** Times of the averages and the baseline that can be dragged, in ms. */
export const EDGES = ['pupilFromMs', 'pupilBaselineFromMs', 'pupilBaselineToMs', 'pupilToMs'] as const
export type Edge = (typeof EDGES)[number]
export type Times = Record<Edge, number>

export const PLOT_LEFT = 62
export const PLOT_RIGHT = 14
const TOP = 26
const BOTTOM = 300
const NEAR_PX = 9

type AveragesProps = {
  data: PupilsData
  groups: Group[]
  measure: PupilMeasure
  times: Times
  width: number
  colors: Colors
  /** Called when an edge is pressed, with the scale from px to ms. */
  onGrab: (edge: Edge, msPerPx: number, clientX: number) => void
}

/** Draws the mean pupil of each group over time, with its interval, and the baseline window. */
export function Averages({ data, groups, measure, times, width, colors, onGrab }: AveragesProps) {
  const { binStartsMs } = data
  const x = scaleLinear([times.pupilFromMs / 1000, times.pupilToMs / 1000], [PLOT_LEFT, width - PLOT_RIGHT])
  const y = scaleLinear(rangeOf(data, measure), [BOTTOM, TOP]).nice()
  const inks = groupColors(colors)
  const atMs = middlesOf(data, times.pupilToMs)
  const px = (ms: number) => Math.min(width - PLOT_RIGHT, Math.max(PLOT_LEFT, x(ms / 1000)))
  const n = width < 500 ? 4 : 8
  return (
    <Drawing
      width={width}
      height={BOTTOM + 46 + COUNTS_PX * groups.length}
      class="pupil-averages"
      label={`Average pupil over time, ${groups.length} ${groups.length === 1 ? 'group' : 'groups'}, ${binStartsMs.length} bins`}
      onPointerDown={(event) => grabNear(event, { times, width, px, onGrab })}
    >
      <AxisBottom
        scale={x}
        y={BOTTOM}
        top={TOP}
        n={n}
        label={`Time from ${data.event ?? 'item onset'}, s`}
        colors={colors}
      />
      <AxisLeft
        scale={y}
        x={PLOT_LEFT}
        right={width - PLOT_RIGHT}
        n={5}
        label={`${measure === 'size' ? 'Pupil size' : 'Pupil size above the baseline'}, ${unitText(data.unit)}, mean of participants with 95 % interval`}
        colors={colors}
      />
      <BaselineWindow times={times} px={px} top={TOP} bottom={BOTTOM} colors={colors} />
      <line x1={px(0)} x2={px(0)} y1={TOP} y2={BOTTOM} stroke={colors.ink} stroke-dasharray="4 4" />
      {data.groups.map((group, g) => (
        <g key={groups[g]?.name ?? g}>
          <MeanLine {...{ x, y, atMs }} of={group[measure]} ink={inks[g]} />
          <CountsBelow
            scale={x}
            y={BOTTOM}
            left={PLOT_LEFT + 4}
            n={n}
            row={g}
            label={data.groups.length === 1 ? 'n' : `n ${g + 1}`}
            countAt={(tick) => group[measure].n[binAt(binStartsMs, tick * 1000)] ?? 0}
            colors={colors}
          />
        </g>
      ))}
    </Drawing>
  )
}

type Of = (value: number) => number
type Grabbing = Pick<AveragesProps, 'times' | 'width' | 'onGrab'> & { px: Of }

/** Grabs the edge near a press, if there is one. */
function grabNear(event: PointerEvent, { times, width, px, onGrab }: Grabbing): void {
  const box = (event.currentTarget as SVGElement).getBoundingClientRect()
  const at = ((event.clientX - box.left) * width) / box.width
  const [near] = EDGES.map((edge) => ({ edge, far: Math.abs(px(times[edge]) - at) })).sort((a, b) => a.far - b.far)
  if (near.far > NEAR_PX) return
  event.preventDefault()
  const msPerPx = ((times.pupilToMs - times.pupilFromMs) / (width - PLOT_LEFT - PLOT_RIGHT)) * (width / box.width)
  onGrab(near.edge, msPerPx, event.clientX)
}

type BaselineWindowProps = {
  times: Pick<Times, 'pupilBaselineFromMs' | 'pupilBaselineToMs'>
  px: Of
  top: number
  bottom: number
  colors: Colors
}

/** Shades the baseline window. */
export function BaselineWindow({ times, px, top, bottom, colors }: BaselineWindowProps) {
  const from = px(times.pupilBaselineFromMs)
  return (
    <rect
      class="baseline-window"
      x={from}
      y={top}
      width={Math.max(1, px(times.pupilBaselineToMs) - from)}
      height={bottom - top}
      fill={colors.muted}
      fill-opacity="0.18"
    />
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

function rangeOf(data: PupilsData, measure: PupilMeasure): [number, number] {
  const known = data.groups.flatMap((group) =>
    (['mean', 'low', 'high'] as const).flatMap((name) => group[measure][name].filter((value) => value !== null)),
  )
  if (known.length === 0) return [0, 1]
  const [low, high] = [Math.min(...known), Math.max(...known)]
  return low === high ? [low - 0.5, high + 0.5] : [low, high]
}

/** Returns the numbers of both measures, whichever is drawn. */
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
