import { type BinocularSaccade, type EyeGaze, findEyeSaccades, pairSaccades } from '../../compute/microsaccades.ts'
import { medianOf } from '../../compute/order-statistics.ts'
import { fickAngles, type ScreenGeometry } from '../../compute/quality/degrees.ts'
import { clearScratch } from '../../compute/quality/scratch.ts'
import type { ParameterName } from '../../model/parameters.ts'
import type { ExportContext, TestRun } from './test-context.ts'
import { screenOf } from './test-geometry.ts'

export const MICROSACCADE_SETTINGS: ParameterName[] = ['microsaccadeLambda', 'microsaccadeMinSamples']

/** Least sampling rate: slower recordings have no samples within a microsaccade. */
export const RATE_MIN_HZ = 200
/** Longest median step between samples. */
const STEP_MAX_US = 1e6 / RATE_MIN_HZ

/** Binocular saccades of a test, with the gaze of each eye in px of the window; in degrees if the screen is known. */
type TestMicrosaccades = {
  pairs: BinocularSaccade[]
  px: Record<'left' | 'right', EyeGaze>
  isInDegrees: boolean
  /** Median step between the times. */
  stepUs: number
}

/** Finds the microsaccades of a test: docs/microsaccades.md. Null without gaze of both eyes at 200 Hz or more. */
export function microsaccadesOf(run: TestRun, { plan, facts }: ExportContext): TestMicrosaccades | null {
  const { samples } = run
  const { leftGazeXPx, leftGazeYPx, rightGazeXPx, rightGazeYPx } = samples.eyes ?? {}
  if (!leftGazeXPx || !leftGazeYPx || !rightGazeXPx || !rightGazeYPx) return null
  const times = timesFromOnset(samples.tUs)
  const stepUs = medianOf(times.tUs.slice(1).map((t, i) => t - times.tUs[i]))
  if (!(stepUs <= STEP_MAX_US)) return null
  const px = {
    left: gazeAt(times, leftGazeXPx, leftGazeYPx),
    right: gazeAt(times, rightGazeXPx, rightGazeYPx),
  }
  const screen = screenOf(run.samples, facts)
  clearScratch()
  const { microsaccadeLambda: lambda, microsaccadeMinSamples: minSamples } = plan.parameters
  const [left, right] = [px.left, px.right].map((gaze) =>
    findEyeSaccades(inDegrees(gaze, screen), stepUs, { lambda: lambda!, minSamples: minSamples! }),
  )
  return { pairs: pairSaccades(left, right), px, isInDegrees: screen !== null, stepUs }
}

type Amplitudes = { amplitudeX: number; amplitudeY: number }

/** Returns the size of an amplitude, in its unit. */
export function sizeOfAmplitudes({ amplitudeX, amplitudeY }: Amplitudes): number {
  return Math.hypot(amplitudeX, amplitudeY)
}

/** Returns the mean of the amplitudes of both eyes. */
export function meanAmplitudes(left: Amplitudes, right: Amplitudes): Amplitudes {
  return {
    amplitudeX: (left.amplitudeX + right.amplitudeX) / 2,
    amplitudeY: (left.amplitudeY + right.amplitudeY) / 2,
  }
}

/** Returns the size of the mean amplitude of both eyes. */
export function amplitudeOfPair({ left, right }: BinocularSaccade): number {
  return sizeOfAmplitudes(meanAmplitudes(left, right))
}

/** Returns the mean of the peak velocities of both eyes. */
export function peakOfPair({ left, right }: BinocularSaccade): number {
  return (left.peakVelocity + right.peakVelocity) / 2
}

/** Returns the gaze in Fick angles; as it is if the screen is unknown. */
function inDegrees(gaze: EyeGaze, screen: ScreenGeometry | null): EyeGaze {
  return screen === null ? gaze : { tUs: gaze.tUs, ...fickAngles(screen, gaze) }
}

/** Distinct times from item onset on, ascending; the samples in this order, and the index of the time of each. */
type Times = { tUs: Float64Array; order: Int32Array; timeOf: Int32Array }

function timesFromOnset(tUs: Float64Array): Times {
  const order = Int32Array.from(tUs.keys())
    .filter((i) => tUs[i] >= 0)
    .sort((a, b) => tUs[a] - tUs[b] || a - b)
  let last = -1
  const timeOf = order.map((i, k) => (k > 0 && tUs[i] === tUs[order[k - 1]] ? last : ++last))
  const times = new Float64Array(last + 1)
  for (const [k, i] of order.entries()) times[timeOf[k]] = tUs[i]
  return { tUs: times, order, timeOf }
}

/** Returns the mean gaze of an eye at each time, over the samples with both coordinates; NaN without one. */
function gazeAt({ tUs, order, timeOf }: Times, xPx: Float64Array, yPx: Float64Array): EyeGaze {
  const [x, y, count] = [0, 1, 2].map(() => new Float64Array(tUs.length))
  for (const [k, i] of order.entries()) {
    if (Number.isNaN(xPx[i]) || Number.isNaN(yPx[i])) continue
    x[timeOf[k]] += xPx[i]
    y[timeOf[k]] += yPx[i]
    count[timeOf[k]]++
  }
  for (let i = 0; i < tUs.length; i++) {
    x[i] /= count[i]
    y[i] /= count[i]
  }
  return { tUs, x, y }
}
