import { type DetectionSteps, NO_STEPS } from '../../compute/fixation-list.ts'
import { REMOVED_REASONS } from '../../compute/pupils/clean-eye.ts'
import { countPoints, type PointCounts } from '../../compute/quality/count-points.ts'
import { columnsOf } from '../../exports/columns/columns-of.ts'
import type { StudyFacts } from '../../exports/columns/study-facts.ts'
import type { ExportContext, TestRun } from '../../exports/columns/test-context.ts'
import { pupilOf } from '../../exports/columns/test-pupil.ts'
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
  /** Sums over tests. */
  points: PointCounts
  steps: DetectionSteps
  /** Sums over tests and eyes; null if the plan has no settings of pupils. */
  pupils: PupilCounts | null
}

/** Numbers of pupil sizes of single eyes: recorded ones, those removed for each reason, and interpolated ones. */
export type PupilCounts = { recorded: number; interpolated: number } & Record<Removed, number>
type Removed = Exclude<(typeof REMOVED_REASONS)[number], 'lost'>

const NO_PUPILS: PupilCounts = { recorded: 0, interpolated: 0, range: 0, eyelid: 0, speed: 0, padding: 0, island: 0 }

/** Counts the pupil sizes of a test, of the chosen eye or of both. */
function countPupils(run: TestRun, context: ExportContext): PupilCounts {
  const counts = { ...NO_PUPILS }
  const measured = pupilOf(run, context)
  if (measured === null) return counts
  const { eye } = context.plan.parameters
  const sides = eye === 'left' || eye === 'right' ? [eye] : (['left', 'right'] as const)
  for (const { removed, isInterpolated } of sides.map((side) => measured.pupil[side])) {
    for (let i = 0; i < measured.pupil.n; i++) {
      const reason = removed[i] === 0 ? null : REMOVED_REASONS[removed[i] - 1]
      if (reason !== 'lost') counts.recorded++
      if (reason !== null && reason !== 'lost') counts[reason]++
      counts.interpolated += isInterpolated[i]
    }
  }
  return counts
}

/** Adds counts to a sum. */
function add<T extends Record<string, number>>(sum: T, more: T): void {
  for (const name of Object.keys(more)) (sum as Record<string, number>)[name] += more[name]
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
      points: { points: 0, interpolated: 0, cuts: 0 },
      steps: { ...NO_STEPS },
      pupils: null,
    }),
    addTest: (part, run, context) => {
      const counted: ExportContext = {
        ...context,
        fixationsOf: (of, gaze) => {
          const found = context.fixationsOf(of, gaze)
          // Those of each eye are found, too.
          if (of === run) add(part.steps, found.steps)
          return found
        },
      }
      const made = qualityStats.kind === 'rows' ? qualityStats.compute(run, counted) : null
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
      add(part.points, countPoints(run.samples))
      if (context.plan.parameters.pupilGapMs === undefined) return
      part.pupils ??= { ...NO_PUPILS }
      add(part.pupils, countPupils(run, context))
    },
    merge: (total, part) => {
      for (const name of TEST_MEASURES) for (const value of part.tests[name]) total.tests[name].push(value)
      for (const [name, values] of Object.entries(part.eyes)) {
        total.eyes[name] ??= []
        for (const value of values) total.eyes[name].push(value)
      }
      for (const [id, values] of part.participants) total.participants.set(id, values)
      add(total.points, part.points)
      add(total.steps, part.steps)
      if (part.pupils === null) return
      total.pupils ??= { ...NO_PUPILS }
      add(total.pupils, part.pupils)
    },
  }
}
