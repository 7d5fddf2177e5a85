import {
  type AnalysisTable,
  comparisonsTable,
  pupilsTable,
  survivalTable,
  transitionsTable,
  visitsTable,
  withinTable,
} from '../../engine/analysis/charts/analysis-tables.ts'
import type { ChartRun, ChartSubject } from '../../engine/analysis/charts/answer-chart.ts'
import { comparisonsAnswer } from '../../engine/analysis/charts/comparisons-answer.ts'
import { courseAnswer } from '../../engine/analysis/charts/course-answer.ts'
import { PLANNED_ANALYSES, type PlannedAnalysis } from '../../engine/analysis/charts/planned-analyses.ts'
import { pupilsAnswer } from '../../engine/analysis/charts/pupils-answer.ts'
import { withinAnswer } from '../../engine/analysis/charts/within-answer.ts'
import type { AoiOrder } from '../../engine/analysis/statistics/aoi-ranks.ts'
import type { ANALYSIS_KINDS, TestKind } from '../../engine/analysis/statistics/compare.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { encodeTable } from '../../engine/formats/encode-table.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { type FormatName, hasFormulas } from '../../engine/model/format-names.ts'
import type { Plan } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { VERSION } from '../../engine/model/version.ts'
import { createPool } from '../../engine/run/pool/pool.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { MEASURES } from '../../shared/measures.ts'
import { readParameters } from '../shared/export-options.ts'
import { aoiOf, findStudy } from '../shared/find-study.ts'
import { flagOf } from '../shared/flag-of.ts'
import { withStudies } from '../shared/open-studies.ts'
import { stoppable } from '../terminal/stoppable.ts'

/** Runs `gazette analyse`: prints statistics of a study, in the same form as the server. */
export function analyse(options: Options): Promise<void> {
  return stoppable((signal) => withStudies(options.config, (studies) => analyseStudy(studies, options, signal), signal))
}

type Options = {
  what: (typeof ANALYSIS_KINDS)[number]
  study: string
  group?: string[]
  aoi?: string[]
  event?: string
  measure: string
  test: TestKind
  nested: AoiOrder
  format: FormatName | 'json'
  config: Config
} & Record<string, unknown>

/** Options that only some analyses heed. */
const HEEDED_BY: Record<string, Options['what'][]> = {
  aoi: ['within'],
  group: ['comparisons', 'pupils'],
  event: ['pupils'],
  measure: ['comparisons', 'within'],
  test: ['comparisons'],
  nested: ['transitions', 'visits', 'survival'],
}

/** Refuses an option that the analysis would ignore. @throws ServiceError usage */
export function refuseUnheeded(what: Options['what'], given: string[]): void {
  const unheeded = given.find((option) => HEEDED_BY[option] && !HEEDED_BY[option].includes(what))
  if (unheeded !== undefined)
    throw new ServiceError(
      'usage',
      `${flagOf(unheeded)} applies only to gazette analyse ${HEEDED_BY[unheeded].join(', ')}, not to ${what}`,
    )
}

async function analyseStudy(studies: Studies, options: Options, signal: AbortSignal): Promise<void> {
  const { what, study, group = [], aoi = [], format, config } = options
  if (what === 'comparisons') refuseCount('comparisons need --group two to four times', group, 4)
  if (what === 'pupils' && group.length > 4)
    throw new ServiceError('usage', `pupils accepts --group up to four times, got ${group.length}`)
  if (what === 'within') refuseCount('within needs --aoi two to eight times', aoi, 8)
  const snapshot = await findStudy(studies, study)
  const computed = await prepare(snapshot, options)
  const pool = createPool({ threads: config.engineThreads })
  try {
    const { answer, table } = await computed({ pool, signal })
    if (format === 'json') return void process.stdout.write(`${JSON.stringify(answer)}\n`)
    const about = { analysis: what, study: snapshot.study.id, snapshot: snapshot.id, gazette: VERSION }
    process.stdout.write(await encodeTable(table, format, about, config.formulaGuard && hasFormulas(format)))
  } finally {
    await pool.close()
  }
}

function refuseCount(rule: string, given: string[], max: number): void {
  if (given.length < 2 || given.length > max) throw new ServiceError('usage', `${rule}, got ${given.length}`)
}

/** On the command line, nobody else waits. */
const SAMPLES_MAX = Number.POSITIVE_INFINITY

type Computed = (run: ChartRun) => Promise<{ answer: object; table: AnalysisTable }>

/** Returns the function that computes the statistics. @throws ServiceError usage, invalid_param */
async function prepare(snapshot: Snapshot, options: Options): Promise<Computed> {
  const {
    what,
    study: _,
    group = [],
    aoi = [],
    event = null,
    measure,
    test,
    nested,
    format: _format,
    config,
    ...others
  } = options
  const { study } = snapshot
  const parameters = await readParameters(others, snapshot)
  const found = MEASURES.find(({ column }) => column === measure)!
  const { formulaGuard } = config
  if (what === 'within') {
    const aois = aoi.map((wanted) => aoiOf(snapshot, wanted))
    const asked = { snapshot, aois, measure: found, parameters, formulaGuard, samplesMax: SAMPLES_MAX }
    return async (run) => {
      const answer = await withinAnswer(asked, run)
      return { answer, table: withinTable(answer, study) }
    }
  }
  if (what === 'pupils') {
    const asked = { snapshot, parameters, groups: group, event, formulaGuard, samplesMax: SAMPLES_MAX }
    return async (run) => {
      const answer = await pupilsAnswer(asked, run)
      return { answer, table: pupilsTable(answer) }
    }
  }
  const planned = <Answer extends object>(analysis: PlannedAnalysis<Answer>) =>
    computing(analysis, makePlan({ snapshot, exportName: analysis.exportName, parameters, formulaGuard }), snapshot)
  if (what === 'quality') return planned(PLANNED_ANALYSES.quality)
  if (what === 'tags') return planned(PLANNED_ANALYSES.tags)
  if (what === 'offsets') return planned(PLANNED_ANALYSES.offsets)
  if (what === 'participants') return planned(PLANNED_ANALYSES.participants)
  const item = study.items.find(({ id }) => id === parameters.itemId)
  if (item === undefined) throw new ServiceError('usage', 'this analysis needs one item: give --item')
  const subject: ChartSubject = { snapshot, item, participantIndex: null, parameters, formulaGuard }
  if (what === 'comparisons')
    return async (run) => {
      const asked = { measure: found, kind: test, groups: group, samplesMax: SAMPLES_MAX }
      const answer = await comparisonsAnswer(subject, asked, run)
      return { answer, table: comparisonsTable(answer, group, study) }
    }
  if (what === 'loss') return planned(PLANNED_ANALYSES.loss)
  const tables = { transitions: transitionsTable, visits: visitsTable, survival: survivalTable }
  return async (run) => {
    const answer = await courseAnswer(subject, run, { nested })
    return { answer, table: tables[what](answer, study) }
  }
}

/** Returns the function that computes an analysis of one plan. */
function computing<Answer extends object>(
  { compute, print }: PlannedAnalysis<Answer>,
  plan: Plan,
  snapshot: Snapshot,
): Computed {
  return async (run) => {
    const answer = await compute(plan, snapshot, SAMPLES_MAX, run)
    return { answer, table: print(answer) }
  }
}
