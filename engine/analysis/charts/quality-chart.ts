import { columnsOf } from '../../exports/columns/columns-of.ts'
import type { StudyFacts } from '../../exports/columns/study-facts.ts'
import { exportOf } from '../../exports/registry.ts'
import { eyeMeasureNames } from '../../exports/tables/quality-stats.ts'
import type { Chart } from './chart.ts'

/** Columns of `quality-stats` that are shown for a whole study. */
const TEST_MEASURES = [
  'sample_count',
  'valid_sample_count',
  'data_loss_percents',
  'sample_interval_median_ms',
  'fixation_count',
  'precision_window_rms_s2s_percents',
  'precision_window_rms_s2s_deg',
] as const
const PARTICIPANT_MEASURES = [
  'participant_validation_count',
  'participant_accuracy_mean_px',
  'participant_accuracy_mean_deg',
] as const

/** One value for each test in the order of output, or for each participant; NaN for an empty cell. */
export type QualityPart = {
  tests: Record<(typeof TEST_MEASURES)[number], number[]>
  participants: Map<string, number[]>
  /** Values of the columns of each eye, by column. */
  eyes: Record<string, number[]>
}

const { columns, ...qualityStats } = exportOf('quality-stats')

/** Returns the measures of each eye that a study has, with their indexes among the cells. */
function placesOfEyes(facts: StudyFacts): [name: string, place: number][] {
  const all = columnsOf(exportOf('quality-stats'), facts).map(({ name }) => name)
  return eyeMeasureNames(facts).map((name) => [name, all.indexOf(name)])
}

/**
 * Returns the chart that collects cells of `quality-stats`: those of tests, and once for each participant those of
 * participants.
 */
export function qualityChart(): Chart<QualityPart> {
  const placeOf = (name: string) => columns.findIndex((column) => column.name === name)
  let eyePlaces: [name: string, place: number][] | null = null
  const [ofTest, ofParticipant] = [TEST_MEASURES.map(placeOf), PARTICIPANT_MEASURES.map(placeOf)]
  return {
    export: qualityStats.name,
    reads: qualityStats.reads,
    needsValidations: qualityStats.needsValidations,
    start: () => ({
      tests: Object.fromEntries(TEST_MEASURES.map((name) => [name, []])) as unknown as QualityPart['tests'],
      participants: new Map(),
      eyes: {},
    }),
    addTest: (part, run, context) => {
      const made = qualityStats.kind === 'rows' ? qualityStats.compute(run, context) : null
      const valueAt = (place: number) => {
        const cell = made?.cells[place]
        return cell?.kind === 'same' && typeof cell.value === 'number' ? cell.value : Number.NaN
      }
      for (const [i, name] of TEST_MEASURES.entries()) part.tests[name].push(valueAt(ofTest[i]))
      eyePlaces ??= placesOfEyes(context.facts)
      for (const [name, place] of eyePlaces) {
        part.eyes[name] ??= []
        part.eyes[name].push(valueAt(place))
      }
      const { id } = run.identity.participant
      if (!part.participants.has(id)) part.participants.set(id, ofParticipant.map(valueAt))
    },
    merge: (total, part) => {
      for (const name of TEST_MEASURES) for (const value of part.tests[name]) total.tests[name].push(value)
      for (const [name, values] of Object.entries(part.eyes)) {
        total.eyes[name] ??= []
        for (const value of values) total.eyes[name].push(value)
      }
      for (const [id, values] of part.participants) total.participants.set(id, values)
    },
  }
}
