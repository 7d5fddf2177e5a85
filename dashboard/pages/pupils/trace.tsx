import { scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import type { PupilTrace, PupilTracesData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { AxisBottom, AxisLeft } from '../../figures/axis.tsx'
import { Drawing } from '../../figures/drawing.tsx'
import { EventLines } from '../../figures/event-lines.tsx'
import { BaselineWindow, LEFT, RIGHT, unitText } from './averages.tsx'

/** Steps of docs/pupils.md that a trace shows. */
export const STEPS = { recorded: 'Recorded', cleaned: 'Cleaned', interpolated: 'Interpolated', smoothed: 'Smoothed' }
export type Step = keyof typeof STEPS
/** Names of the values of `removed`, in the order of the steps. */
const REASONS = ['lost', 'range', 'eyelid', 'speed', 'padding', 'island']

const TOP = 40
const BOTTOM = 320

export type TraceWindow = { pupilBaselineFromMs: number; pupilBaselineToMs: number }

type TraceProps = {
  trace: PupilTrace
  unit: PupilTracesData['unit']
  steps: ReadonlySet<Step>
  times: TraceWindow
  width: number
  colors: Colors
}

/** Draws the pupils of a test after each step, with its blinks, events and baseline. */
export function Trace({ trace, unit, steps, times, width, colors }: TraceProps) {
  const { tMs, left, right, size, baseline, events } = trace
  const x = scaleLinear([tMs[0] / 1000, Math.max(tMs[0] + 1, tMs.at(-1)!) / 1000], [LEFT, width - RIGHT])
  const y = scaleLinear(rangeOf(trace), [BOTTOM, TOP]).nice()
  const px = (ms: number) => Math.min(width - RIGHT, Math.max(LEFT, x(ms / 1000)))
  const plot = { tMs, x: (ms: number) => x(ms / 1000), y }
  const eyes = [
    { name: 'left', eye: left, ink: colors.accent },
    { name: 'right', eye: right, ink: colors.second },
  ]
  return (
    <Drawing
      width={width}
      height={BOTTOM + 44}
      class="pupil-trace"
      label={`Pupils of a test over time, ${tMs.length} points: ${[...steps].map((step) => STEPS[step].toLowerCase()).join(', ')}`}
    >
      <AxisBottom
        scale={x}
        y={BOTTOM}
        top={TOP}
        n={width < 500 ? 4 : 8}
        label="Time from item onset, s"
        colors={colors}
      />
      <AxisLeft
        scale={y}
        x={LEFT}
        right={width - RIGHT}
        n={5}
        label={`Pupil size, ${unitText(unit)}`}
        colors={colors}
      />
      {eyes.map(({ name, eye }) => (
        <Blinks key={name} blinks={eye.blinks} px={px} colors={colors} />
      ))}
      <BaselineWindow times={times} px={px} top={TOP} bottom={BOTTOM} colors={colors} />
      {baseline !== null && (
        <line
          class="baseline"
          x1={LEFT}
          x2={width - RIGHT}
          y1={y(baseline)}
          y2={y(baseline)}
          stroke={colors.muted}
          stroke-dasharray="6 3"
        />
      )}
      {eyes.map((each) => (
        <EyeLines key={each.name} {...each} {...{ plot, steps }} />
      ))}
      {steps.has('smoothed') && (
        <path class="smoothed" d={pathOf(plot, size)} fill="none" stroke={colors.ink} stroke-width="2" />
      )}
      <EventLines {...{ events, px, colors }} top={TOP - 10} bottom={BOTTOM} right={width - RIGHT} />
    </Drawing>
  )
}

type BlinksProps = { blinks: PupilTrace['left']['blinks']; px: Of; colors: Colors }

/** Draws the blinks of an eye as bars along the axis. */
function Blinks({ blinks, px, colors }: BlinksProps) {
  return (
    <>
      {blinks.map(({ fromMs, toMs }) => (
        <rect
          key={fromMs}
          class="blink"
          x={px(fromMs)}
          y={BOTTOM - 6}
          width={Math.max(1, px(toMs) - px(fromMs))}
          height="6"
          fill={colors.ink}
          fill-opacity="0.45"
        />
      ))}
    </>
  )
}

type EyeLinesProps = {
  name: string
  eye: PupilTrace['left']
  ink: string
  plot: Plot
  steps: ReadonlySet<Step>
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
