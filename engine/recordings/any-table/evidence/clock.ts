import { unitOfStep } from '../../../../isomorphic/time-unit.ts'
import { valueAt } from './quantiles.ts'
import type { Sample } from './sample.ts'

/** Advance of a column from row to row. Shares are of the steps between rows that follow each other. */
type ClockEvidence = {
  steps: number
  grows: number
  falls: number
  /** Share of growing steps that are within half of the usual one. */
  even: number
  /** Median of growing steps; NaN for none. */
  usual: number
  /** True if each step is 1, as of a row number, or of ms at 1000 Hz. */
  isCount: boolean
}

/** Measures how a column of numbers advances. */
export function clockEvidence({ numbers }: { numbers: Float64Array }, { n, isStart }: Sample): ClockEvidence {
  const grown: number[] = []
  let [steps, falls, ones] = [0, 0, 0]
  for (let i = 1; i < n; i++) {
    const step = numbers[i] - numbers[i - 1]
    if (isStart[i] || step - step !== 0) continue
    steps++
    if (step > 0) grown.push(step)
    else if (step < 0) falls++
    if (step === 1) ones++
  }
  const usual = valueAt(Float64Array.from(grown).sort(), 0.5)
  const even = grown.filter((step) => Math.abs(step - usual) <= usual / 2).length
  return {
    steps,
    grows: steps === 0 ? 0 : grown.length / steps,
    falls: steps === 0 ? 0 : falls / steps,
    even: grown.length === 0 ? 0 : even / grown.length,
    usual,
    isCount: grown.length > 0 && ones === grown.length,
  }
}

const [STEPS_LEAST, GROWS_LEAST, FALLS_MOST, EVEN_LEAST] = [9, 0.3, 0.12, 0.6]

/** Returns whether a column advances as the clock of a tracker does. */
export function isLikeClock({ steps, grows, falls, even, usual }: ClockEvidence): boolean {
  const isSteady = steps >= STEPS_LEAST && grows >= GROWS_LEAST && falls <= FALLS_MOST && even >= EVEN_LEAST
  return isSteady && unitOfStep(usual) !== null
}
