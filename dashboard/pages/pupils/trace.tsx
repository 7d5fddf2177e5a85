import { line } from 'd3-shape'
import type { PupilTrace, PupilTracesData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { countOf } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { EventLines } from '../../figures/event-lines.tsx'
import { useInks } from '../../ui/chart/drawing.tsx'
import { PlotDrawing, useFrame } from '../../ui/chart/plot.tsx'
import { BaselineWindow, unitText } from './averages.tsx'

/** Steps of docs/pupils.md that a trace shows. */
export const TRACE_STEPS = {
  recorded: 'Recorded',
  cleaned: 'Cleaned',
  interpolated: 'Interpolated',
  smoothed: 'Smoothed',
}
export type TraceStep = keyof typeof TRACE_STEPS
/** Names of the values of `removed`, in the order of the steps. */
const REASONS = ['lost', 'range', 'eyelid', 'speed', 'padding', 'island']

/** Room for the names of events, px. */
const TOP = 40
const PLOT_PX = 280

export type TraceWindow = { pupilBaselineFromMs: number; pupilBaselineToMs: number }

type TraceProps = {
  trace: PupilTrace
  unit: PupilTracesData['unit']
  steps: ReadonlySet<TraceStep>
  times: TraceWindow
  width: number
  colors: Colors
}

/** Draws the pupils of a test after each step, with its blinks, events and baseline. */
export function Trace({ trace, unit, steps, times, width, colors }: TraceProps) {
  const { tMs, events } = trace
  return (
    <PlotDrawing
      {...{ width, colors }}
      top={TOP}
      plotPx={PLOT_PX}
      class="pupil-trace"
      label={`Pupils of a test over time, ${countOf(tMs.length, 'point')}: ${[...steps].map((step) => TRACE_STEPS[step].toLowerCase()).join(', ')}`}
      x={{ of: [tMs[0] / 1000, Math.max(tMs[0] + 1, tMs.at(-1)!) / 1000], label: 'Time from item onset, s' }}
      y={{ of: rangeOf(trace), label: `Pupil size, ${unitText(unit)}`, isNice: true }}
    >
      <BaselineWindow times={times} />
      <TraceLines trace={trace} steps={steps} />
      <EventLines events={events} />
    </PlotDrawing>
  )
}

function TraceLines({ trace, steps }: Pick<TraceProps, 'trace' | 'steps'>) {
  const { x, y, left, right } = useFrame()
  const { accent, second, ink, muted } = useInks()
  const { baseline } = trace
  const plot = { tMs: trace.tMs, x: (ms: number) => x(ms / 1000), y }
  return (
    <>
      {baseline !== null && (
        <line
          class="baseline"
          x1={left}
          x2={right}
          y1={y(baseline)}
          y2={y(baseline)}
          stroke={muted}
          stroke-dasharray="6 3"
        />
      )}
      <Blinks blinks={[...trace.left.blinks, ...trace.right.blinks]} />
      <EyeLines name="left" eye={trace.left} ink={accent} {...{ plot, steps }} />
      <EyeLines name="right" eye={trace.right} ink={second} {...{ plot, steps }} />
      {steps.has('smoothed') && (
        <path class="smoothed" d={pathOf(plot, trace.size)} fill="none" stroke={ink} stroke-width="2" />
      )}
    </>
  )
}

/** Draws the blinks of eyes as bars along the axis. */
function Blinks({ blinks }: { blinks: PupilTrace['left']['blinks'] }) {
  const { x, bottom } = useFrame()
  const { ink } = useInks()
  return blinks.map(({ fromMs, toMs }, i) => (
    <rect
      key={i}
      class="blink"
      x={x(fromMs / 1000)}
      y={bottom - 6}
      width={Math.max(1, x(toMs / 1000) - x(fromMs / 1000))}
      height="6"
      fill={ink}
      fill-opacity="0.45"
    />
  ))
}

type EyeLinesProps = {
  name: string
  eye: PupilTrace['left']
  ink: string
  plot: Plot
  steps: ReadonlySet<TraceStep>
}

/** Draws the sizes of an eye after each of its steps. */
function EyeLines({ name, eye, ink, plot, steps }: EyeLinesProps) {
  const kept = eye.size.map((value, i) => (eye.removed[i] === -1 ? value : null))
  const shared = { fill: 'none', stroke: ink }
  return (
    <>
      {steps.has('recorded') && (
        <path
          class={`recorded-${name}`}
          d={dots(plot, eye.recorded)}
          {...shared}
          stroke-opacity="0.4"
          stroke-width="2"
          stroke-linecap="round"
        />
      )}
      {steps.has('interpolated') && (
        <path
          class={`interpolated-${name}`}
          d={pathOf(plot, eye.size)}
          {...shared}
          stroke-width="1"
          stroke-dasharray="2 2"
        />
      )}
      {steps.has('cleaned') && <path class={`cleaned-${name}`} d={pathOf(plot, kept)} {...shared} stroke-width="1" />}
    </>
  )
}

type Of = (value: number) => number
/** Times of points in ms, and the scales of the axes. */
type Plot = { tMs: number[]; x: Of; y: Of }

function pathOf({ tMs, x, y }: Plot, values: (number | null)[]): string {
  const draw = line<number>(x, (_, i) => y(values[i] ?? 0)).defined((_, i) => values[i] !== null)
  return draw(tMs) ?? ''
}

/** Draws points as lines of zero length. */
function dots({ tMs, x, y }: Plot, values: (number | null)[]): string {
  let path = ''
  for (const [i, value] of values.entries())
    if (value !== null) path += `M${x(tMs[i]).toFixed(1)} ${y(value).toFixed(1)}h0`
  return path
}

function rangeOf({ left, right, size }: PupilTrace): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const values of [left.recorded, right.recorded, size])
    for (const value of values) {
      if (value === null) continue
      low = Math.min(low, value)
      high = Math.max(high, value)
    }
  return low < high ? [low, high] : [low - 0.5, low + 0.5]
}

export function traceNumbers({ tMs, left, right, size, baseline }: PupilTrace): Numbers {
  const columnsOf = (eye: string) => [`${eye}_pupil`, `${eye}_pupil_removed`, `${eye}_pupil_cleaned`]
  const reason = (index: number) => REASONS[index] ?? ''
  return {
    columns: ['pupil_timestamp_ms', ...columnsOf('left'), ...columnsOf('right'), 'pupil_size', 'pupil_baseline'],
    rows: tMs.map((t, i) => [
      t,
      ...[left, right].flatMap((eye) => [eye.recorded[i], reason(eye.removed[i]), eye.size[i]]),
      size[i],
      baseline,
    ]),
  }
}
