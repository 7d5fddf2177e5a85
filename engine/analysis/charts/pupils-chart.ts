import { addEpoch, binsOf, type EpochSums, mergeEpochs, noEpochs } from '../../compute/pupils/pupil-epochs.ts'
import { PUPIL_COLUMNS, pupilOf } from '../../exports/columns/test-pupil.ts'
import { defaultParameters, type Parameters } from '../../model/parameters.ts'
import type { Chart } from './chart.ts'

/** Sums of the pupils of tests, for averages over participants. */
export type PupilsPart = {
  /** Number of tests with recorded sizes. */
  testsWithSizes: number
  /** Number of epochs with a size, and of those with a baseline. */
  epochs: number
  epochsWithBaseline: number
  /** Sums by participant id. */
  participants: Map<string, EpochSums>
  /** Names of the events of these tests. */
  eventNames: Set<string>
}

/** Returns the chart that sums pupils over time, from item onset or from events with a name. */
export function pupilsChart(event: string | null): Chart<PupilsPart> {
  return {
    export: 'pupils',
    reads: PUPIL_COLUMNS,
    needsEvents: true,
    start: () => ({
      testsWithSizes: 0,
      epochs: 0,
      epochsWithBaseline: 0,
      participants: new Map(),
      eventNames: new Set(),
    }),
    addTest: (part, run, context) => {
      const measured = pupilOf(run, context)
      if (measured === null) return
      part.testsWithSizes++
      const { span, baseline } = timesOfBins(context.plan.parameters)
      const { test, participant } = run.identity
      const sums = part.participants.get(participant.id) ?? noEpochs(binsOf(span))
      const { tUs: eventsUs, name } = context.eventsOf(test)
      for (const each of name) part.eventNames.add(each)
      const locks = event === null ? [0] : [...eventsUs].filter((_, i) => name[i] === event)
      for (const lockUs of locks) {
        const added = addEpoch(sums, measured.recorded.tUs, measured.pupil, lockUs, span, baseline)
        if (!added.hasSize) continue
        part.participants.set(participant.id, sums)
        part.epochs++
        if (added.hasBaseline) part.epochsWithBaseline++
      }
    },
    merge: (total, part) => {
      total.testsWithSizes += part.testsWithSizes
      total.epochs += part.epochs
      total.epochsWithBaseline += part.epochsWithBaseline
      for (const name of part.eventNames) total.eventNames.add(name)
      for (const [id, sums] of part.participants) {
        const known = total.participants.get(id)
        if (known) mergeEpochs(known, sums)
        else total.participants.set(id, sums)
      }
    },
  }
}

/** Returns the averaged span and the window of the baseline, in µs. */
export function timesOfBins(given: Partial<Parameters>) {
  const settings = { ...defaultParameters(), ...given }
  const [fromUs, toUs, binUs] = [settings.pupilFromMs, settings.pupilToMs, settings.pupilBinMs].map((ms) => ms * 1000)
  const { pupilBaselineFromMs, pupilBaselineToMs } = settings
  return {
    span: { fromUs, toUs, binUs },
    baseline: { fromUs: pupilBaselineFromMs * 1000, toUs: pupilBaselineToMs * 1000 },
  }
}
