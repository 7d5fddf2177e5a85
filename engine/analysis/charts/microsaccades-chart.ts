import { addMicrosaccades, type MicrosaccadeRates, type MicrosaccadeTimes } from '../../compute/microsaccade-rates.ts'
import { epochsOf } from '../../exports/columns/test-epochs.ts'
import { DISTANCE_COLUMNS } from '../../exports/columns/test-geometry.ts'
import { amplitudeOfPair, microsaccadesOf, peakOfPair } from '../../exports/columns/test-microsaccades.ts'
import { EYE_PAIRS } from '../../model/eye-columns.ts'
import type { Chart } from './chart.ts'

/** Sums of the microsaccades of tests, for rates over participants. */
export type MicrosaccadesPart = {
  /** Tests with gaze of both eyes at 200 Hz or more, and those among them without degrees, which are left out. */
  tests: number
  withoutDegrees: number
  /** Epochs with gaze of both eyes. */
  epochs: number
  /** Saccades in epochs that are larger than microsaccades. */
  larger: number
  /** True if an epoch has gaze after the last bin, which is not summed. */
  isLonger: boolean
  /** Sums by participant id. */
  participants: Map<string, MicrosaccadeRates>
  /** Microsaccades in epochs: amplitude in degrees, peak velocity in degrees per second. */
  amplitudes: number[]
  peaks: number[]
}

/** Returns the chart that counts microsaccades over time, in epochs of the plan. */
export function microsaccadesChart(binsMax: number): Chart<MicrosaccadesPart> {
  return {
    export: 'microsaccades',
    reads: [...EYE_PAIRS.flat(), ...DISTANCE_COLUMNS],
    needsEvents: true,
    start: () => ({
      ...{ tests: 0, withoutDegrees: 0, epochs: 0, larger: 0, isLonger: false },
      ...{ participants: new Map(), amplitudes: [], peaks: [] },
    }),
    addTest: (part, run, context) => {
      const found = microsaccadesOf(run, context)
      if (found === null) return
      const { pairs, px, stepUs, isInDegrees } = found
      const { tUs } = px.left
      const hasGaze = Uint8Array.from(tUs, (_, i) =>
        [px.left, px.right].every(({ x, y }) => !Number.isNaN(x[i]) && !Number.isNaN(y[i])) ? 1 : 0,
      )
      if (!hasGaze.includes(1)) return
      part.tests++
      if (!isInDegrees) {
        part.withoutDegrees++
        return
      }
      const { binMs, microsaccadeMaxDeg } = context.plan.parameters
      const [small, large] = [true, false].map((isSmall) =>
        pairs.filter((pair) => amplitudeOfPair(pair) <= microsaccadeMaxDeg! === isSmall),
      )
      const startOf = ({ left, right }: (typeof pairs)[number]) => tUs[Math.min(left.first, right.first)]
      const times: MicrosaccadeTimes = { tUs, hasGaze, stepUs, startsUs: small.map(startOf) }
      const { id } = run.identity.participant
      for (const epoch of epochsOf(run, context)) {
        const rates = part.participants.get(id) ?? { counts: [], seconds: [] }
        const { within, isLonger } = addMicrosaccades(rates, times, { ...epoch, binUs: binMs! * 1000 }, binsMax)
        if (isLonger) part.isLonger = true
        if (!within) continue
        part.participants.set(id, rates)
        part.epochs++
        const isInside = (us: number) => us >= epoch.fromUs && us < epoch.toUs
        part.larger += large.filter((pair) => isInside(startOf(pair))).length
        for (const pair of small) {
          if (!isInside(startOf(pair))) continue
          part.amplitudes.push(amplitudeOfPair(pair))
          part.peaks.push(peakOfPair(pair))
        }
      }
    },
    merge: (total, part) => {
      for (const name of ['tests', 'withoutDegrees', 'epochs', 'larger'] as const) total[name] += part[name]
      if (part.isLonger) total.isLonger = true
      for (const name of ['amplitudes', 'peaks'] as const) for (const value of part[name]) total[name].push(value)
      for (const [id, rates] of part.participants) {
        const known = total.participants.get(id)
        if (known === undefined) total.participants.set(id, rates)
        else
          for (const name of ['counts', 'seconds'] as const)
            for (const [bin, value] of rates[name].entries()) known[name][bin] = (known[name][bin] ?? 0) + value
      }
    },
  }
}
