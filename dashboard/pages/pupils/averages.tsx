import type { PupilsData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { countOf } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { MeanLine } from '../../figures/mean-line.tsx'
import { useInks } from '../../ui/chart/drawing.tsx'
import type { Frame } from '../../ui/chart/frame.ts'
import { PlotDrawing, useFrame } from '../../ui/chart/plot.tsx'
import { type Group, groupColors } from '../groups/group-list.ts'

export type PupilMeasure = 'aboveBaseline' | 'size'
/** Times of the averages and the baseline that can be dragged, in ms. */
export const EDGES = ['pupilFromMs', 'pupilBaselineFromMs', 'pupilBaselineToMs', 'pupilToMs'] as const
export type Edge = (typeof EDGES)[number]
export type EdgeTimes = Record<Edge, number>

const PLOT_PX = 274
const NEAR_PX = 9

type AveragesProps = {
  data: PupilsData
  groups: Group[]
  measure: PupilMeasure
  times: EdgeTimes
  width: number
  colors: Colors
  /** Called when an edge is pressed, with the scale from px to ms. */
  onGrab: (edge: Edge, msPerPx: number, clientX: number) => void
}

/** Draws the mean pupil of each group over time, with its interval, and the baseline window. */
export function PupilAverages({ data, groups, measure, times, width, colors, onGrab }: AveragesProps) {
  const { binStartsMs } = data
  const what = measure === 'size' ? 'Pupil size' : 'Pupil size above the baseline'
  return (
    <PlotDrawing
      {...{ width, colors }}
      plotPx={PLOT_PX}
      class="pupil-averages"
      label={`Average pupil over time, ${countOf(groups.length, 'group')}, ${countOf(binStartsMs.length, 'bin')}`}
      x={{
        of: [times.pupilFromMs / 1000, times.pupilToMs / 1000],
        label: `Time from ${data.event ?? 'item onset'}, s`,
      }}
      y={{
        of: rangeOf(data, measure),
        label: `${what}, ${unitText(data.unit)}, mean of participants with 95 % interval`,
        isNice: true,
      }}
      counts={data.groups.map((group, g) => ({
        label: data.groups.length === 1 ? 'n' : `n ${g + 1}`,
        at: (tick) => group[measure].n[binAt(binStartsMs, tick * 1000)] ?? 0,
      }))}
      onPoint={(at, frame, event) => {
        if (at !== null && event.type === 'pointerdown') grabNear(event, at.x, frame, { times, onGrab })
      }}
    >
      <BaselineWindow times={times} />
      <Means {...{ data, groups, measure }} atMs={middlesOf(data, times.pupilToMs)} />
    </PlotDrawing>
  )
}

type MeansProps = Pick<AveragesProps, 'data' | 'groups' | 'measure'> & { atMs: number[] }

/** Draws the means of each group, and the time of the event. */
function Means({ data, groups, measure, atMs }: MeansProps) {
  const { x, top, bottom } = useFrame()
  const colors = useInks()
  const inks = groupColors(colors)
  return (
    <>
      <line x1={x(0)} x2={x(0)} y1={top} y2={bottom} stroke={colors.ink} stroke-dasharray="4 4" />
      {data.groups.map((group, g) => (
        <MeanLine key={groups[g]?.name ?? g} atMs={atMs} of={group[measure]} ink={inks[g]} />
      ))}
    </>
  )
}

/** Grabs the edge near a press, if there is one. @param atPx place of the press in the drawing */
function grabNear(
  event: PointerEvent,
  atPx: number,
  { x, left, right }: Frame,
  { times, onGrab }: Pick<AveragesProps, 'times' | 'onGrab'>,
): void {
  const farOf = (edge: Edge) => Math.abs(x(times[edge] / 1000) - atPx)
  const near = EDGES.toSorted((one, other) => farOf(one) - farOf(other))[0]
  if (farOf(near) > NEAR_PX) return
  event.preventDefault()
  const shownPx = (event.currentTarget as SVGSVGElement).getBoundingClientRect().width
  const drawnPx = (event.currentTarget as SVGSVGElement).viewBox.baseVal.width
  onGrab(near, ((times.pupilToMs - times.pupilFromMs) / (right - left)) * (drawnPx / shownPx), event.clientX)
}

/** Shades the baseline window, in a frame of seconds. */
export function BaselineWindow({ times }: { times: Pick<EdgeTimes, 'pupilBaselineFromMs' | 'pupilBaselineToMs'> }) {
  const { x, top, bottom } = useFrame()
  const from = x(times.pupilBaselineFromMs / 1000)
  return (
    <rect
      class="baseline-window"
      x={from}
      y={top}
      width={Math.max(1, x(times.pupilBaselineToMs / 1000) - from)}
      height={bottom - top}
      fill={useInks().muted}
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
