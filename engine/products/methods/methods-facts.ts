import { bothOf, conjunctsOf } from '../../../isomorphic/conditions.ts'
import { leftOutBy } from '../../../isomorphic/quality-words.ts'
import type { ChartRun } from '../../analysis/charts/answer-chart.ts'
import type { PupilCounts, QualityPart } from '../../analysis/charts/quality-chart.ts'
import { runChart } from '../../analysis/charts/run-chart.ts'
import { keptOf } from '../../analysis/charts/selection-counts.ts'
import type { DetectionSteps } from '../../compute/fixation-list.ts'
import { medianOf } from '../../compute/order-statistics.ts'
import type { PointCounts } from '../../compute/quality/count-points.ts'
import { wordsOf } from '../../compute/reading.ts'
import { aoiMeanSizePercent } from '../../exports/columns/aoi-shape.ts'
import { studyFacts } from '../../exports/columns/study-facts.ts'
import { MICROSACCADE_SETTINGS } from '../../exports/columns/test-microsaccades.ts'
import { includesPupils, PUPIL_SETTINGS } from '../../exports/columns/test-pupil.ts'
import { makePlan } from '../../exports/make-plan.ts'
import { ofWindow } from '../../exports/registry.ts'
import { EYE_PAIRS, type EyeColumn, recordedEyes } from '../../model/eye-columns.ts'
import type { Parameters } from '../../model/parameters.ts'
import type { Plan } from '../../model/plan.ts'
import type { About, Recording, Snapshot } from '../../model/study.ts'
import { selectPlanned } from '../../run/estimate.ts'
import { countSamples, selectTests, type TestCondition } from '../../snapshot/selection.ts'
import { roundToPrinted } from '../../text/cells.ts'

/** Median and range of n values. */
export type NumberSummary = { n: number; median: number; min: number; max: number }

/** An exclusion: its reason, and the numbers of remaining tests and participants. */
export type Exclusion = {
  because: 'item' | 'grade' | 'ignored' | 'quality' | 'filter'
  /**
   * By kind of exclusion: file name of the item, minimum grade, number of participants that an analysis ignores,
   * description of tests of low quality, filter.
   */
  value: string
  tests: number
  participants: number
}

/** Measures of the samples of the remaining tests; null if they cannot be measured. */
export type MeasuredQuality = {
  tests: number
  testsWithGaze: number
  rateHz: NumberSummary | null
  lossPercents: NumberSummary | null
  precision: ({ unit: 'deg' | 'percents' } & NumberSummary) | null
  /** The same in percent of the displayed item, as pages show it; absent if precision is in percent. */
  precisionPercents?: NumberSummary
  /** Accuracy over participants. */
  accuracy: ({ unit: 'deg' | 'px'; validations: number } & NumberSummary) | null
  fixations: NumberSummary | null
  /** Measures of each eye, by column of quality-stats; absent if no eye was recorded. */
  eyes?: ({ column: string } & NumberSummary)[]
  /** Gaze points of all tests. */
  points: PointCounts
  /** Steps of the detector of fixations in all tests. */
  steps: DetectionSteps
  /** Pupil sizes of all tests; absent if the methods section tells no steps of pupils. */
  pupils?: PupilCounts
}

export type MethodsFacts = {
  studyId: string
  studyName: string
  snapshotId: string
  version: string
  participants: number
  completed: number
  /** Numbers of all tests and of participants with a test. */
  tests: number
  participantsWithTests: number
  exclusions: Exclusion[]
  recording: Recording | null
  /** Recorded columns of each eye; absent if there are none. */
  eyes?: EyeColumn[]
  /** Absent if the study has none. */
  about?: About
  samples: number
  /** Null for more samples than may be measured. */
  measured: MeasuredQuality | null
  samplesMax: number | null
  parameters: Partial<Parameters>
  /** AOIs, and the items with AOIs, and with words among them. */
  aois: { count: number; items: number; texts: number; sizePercents: NumberSummary | null }
}

/**
 * Returns the plan whose tests and settings the methods section describes: that of `quality-stats`, with the time
 * window in which AOIs are measured and, if pupils were recorded, the settings of their steps.
 *
 * @param tells whether to tell the steps of pupils (by default) and how microsaccades were found
 */
export function methodsPlan(
  snapshot: Snapshot,
  parameters: Parameters,
  { pupils = true, microsaccades = false }: { pupils?: boolean; microsaccades?: boolean } = {},
): Plan {
  const plan = makePlan({ snapshot, exportName: 'quality-stats', parameters, formulaGuard: false })
  const eyes = recordedEyes(snapshot.manifest)
  const told = [
    ...(pupils && includesPupils(eyes) ? PUPIL_SETTINGS : []),
    ...(microsaccades && EYE_PAIRS.flat().every((column) => eyes.includes(column)) ? MICROSACCADE_SETTINGS : []),
  ]
  const { eventType, lines } = parameters
  const own = {
    ...ofWindow(parameters),
    ...(eventType === undefined ? {} : { eventType }),
    ...(lines === undefined ? {} : { lines }),
    ...Object.fromEntries(told.map((name) => [name, parameters[name]])),
  }
  return { ...plan, parameters: { ...plan.parameters, ...own } }
}

/**
 * Collects the known facts about the methods of a study.
 *
 * @param plan of `methodsPlan`
 * @param samplesMax largest number of samples to measure; null for any
 */
export async function collectFacts(
  plan: Plan,
  snapshot: Snapshot,
  samplesMax: number | null,
  run: ChartRun,
): Promise<MethodsFacts> {
  const { manifest, study } = snapshot
  const { participants, completed } = manifest.counts
  const all = await selectTests(snapshot, { itemId: null, gradeMin: 1 })
  const tests = await selectPlanned(plan, snapshot, run.signal)
  const samples = countSamples(tests)
  const isMeasured = samplesMax === null || samples <= samplesMax
  // The numbers are those of quality-stats, over all samples of tests.
  const { fromMs: _from, toMs: _to, eventType: _event, ...parameters } = plan.parameters
  const whole = { ...plan, parameters }
  const measure = async () =>
    (await runChart<QualityPart>({ request: { kind: 'quality' }, plan: whole, snapshot, tests, ...run })).part
  const kept = keptOf(all, all)
  return {
    studyId: study.id,
    studyName: study.name,
    snapshotId: snapshot.id,
    version: plan.version,
    participants,
    completed,
    tests: kept.tests,
    participantsWithTests: kept.participants,
    exclusions: await exclusionsOf(plan, snapshot, run.signal),
    recording: studyFacts(snapshot).recording,
    ...(studyFacts(snapshot).eyes.length > 0 ? { eyes: studyFacts(snapshot).eyes } : {}),
    ...(study.about ? { about: study.about } : {}),
    samples,
    measured: isMeasured ? summarize(await measure()) : null,
    samplesMax,
    parameters: plan.parameters,
    aois: aoiFacts(snapshot, plan.parameters.itemId ?? null),
  }
}

/** Applies the exclusions one after the other, and counts what remains after each. */
async function exclusionsOf({ parameters }: Plan, snapshot: Snapshot, signal: AbortSignal): Promise<Exclusion[]> {
  const { itemId = null, participantQualityGradeItemMin: gradeMin = 1, filter = null } = parameters
  const { analysis = '', ignored = [] } = parameters
  const conjuncts = filter === null ? [] : conjunctsOf(filter)
  const left = async (because: Exclusion['because'], value: string, condition: TestCondition): Promise<Exclusion> => {
    const tests = await selectTests(snapshot, condition, signal)
    const kept = keptOf(tests, tests)
    return { because, value, tests: kept.tests, participants: kept.participants }
  }
  const exclusions: Exclusion[] = []
  const item = snapshot.study.items.find(({ id }) => id === itemId)
  if (item) exclusions.push(await left('item', item.filename || item.id, { itemId, gradeMin: 1 }))
  if (gradeMin > 1) exclusions.push(await left('grade', String(gradeMin), { itemId, gradeMin }))
  if (ignored.length > 0) {
    const value = `${ignored.length} participant${ignored.length === 1 ? '' : 's'}, as the analysis ${analysis} says`
    exclusions.push(await left('ignored', value, { itemId, gradeMin, ignored }))
  }
  const others = conjuncts.filter((each) => leftOutBy(each) === null)
  let before: string | null = null
  for (const each of conjuncts) {
    const words = leftOutBy(each)
    if (words === null) continue
    before = bothOf(before, each)
    exclusions.push(await left('quality', words, { itemId, gradeMin, ignored, filter: before }))
  }
  const rest =
    before === null ? filter : others.length === 1 ? others[0] : others.map((each) => `(${each})`).join(' AND ')
  if (rest) exclusions.push(await left('filter', rest, { itemId, gradeMin, ignored, filter }))
  return exclusions
}

function summarize({ tests, participants, eyes, points, steps, pupils }: QualityPart): MeasuredQuality {
  const rates = tests.sample_interval_median_ms.map((ms) => 1000 / ms)
  const inDegrees = summaryOf(tests.precision_window_rms_s2s_deg)
  const inPercents = summaryOf(tests.precision_window_rms_s2s_percents)
  const precision = inDegrees ? { unit: 'deg' as const, ...inDegrees } : null
  const of = (place: number) => Array.from(participants.values(), (values) => values[place])
  const validations = of(0).reduce((sum, count) => sum + count, 0)
  const [px, degrees] = [summaryOf(of(1)), summaryOf(of(2))]
  const accuracy = degrees ? { unit: 'deg' as const, ...degrees } : px && { unit: 'px' as const, ...px }
  const ofEyes = Object.entries(eyes).flatMap(([column, values]) => {
    const summary = summaryOf(values)
    return summary ? [{ column, ...summary }] : []
  })
  return {
    tests: tests.sample_count.length,
    testsWithGaze: tests.valid_sample_count.filter((count) => count > 0).length,
    rateHz: summaryOf(rates),
    lossPercents: summaryOf(tests.data_loss_percents),
    precision: precision ?? (inPercents && { unit: 'percents', ...inPercents }),
    ...(precision && inPercents ? { precisionPercents: inPercents } : {}),
    accuracy: accuracy && { validations, ...accuracy },
    fixations: summaryOf(tests.fixation_count),
    ...(ofEyes.length > 0 ? { eyes: ofEyes } : {}),
    points,
    steps,
    ...(pupils ? { pupils } : {}),
  }
}

function summaryOf(values: Iterable<number>): NumberSummary | null {
  const known = Float64Array.from(Array.from(values).filter(Number.isFinite)).sort()
  const n = known.length
  if (n === 0) return null
  const [min, max] = [known[0], known[n - 1]].map(roundToPrinted)
  return { n, median: roundToPrinted(medianOf(known)), min, max }
}

function aoiFacts({ study }: Snapshot, itemId: string | null): MethodsFacts['aois'] {
  const items = study.items
    .filter(({ id }) => itemId === null || id === itemId)
    .map((item) => ({ item, aois: study.aois.filter((aoi) => aoi.itemId === item.id) }))
    .filter(({ aois }) => aois.length > 0)
  const sizes = items.flatMap(({ item, aois }) => aois.map((aoi) => aoiMeanSizePercent(aoi, item)))
  const texts = items.filter(({ aois }) => wordsOf(aois.map(({ name }) => name)).length > 0).length
  return { count: sizes.length, items: items.length, texts, sizePercents: summaryOf(sizes) }
}
