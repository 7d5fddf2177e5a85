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
import type { Parameters } from '../../engine/model/parameters.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Aoi, Snapshot } from '../../engine/model/study.ts'
import { VERSION } from '../../engine/model/version.ts'
import { createPool } from '../../engine/run/pool/pool.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { MEASURES, type Measure } from '../../shared/measures.ts'
import { readParameters } from '../shared/export-options.ts'
import { findStudy } from '../shared/find-study.ts'
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

type Computed = (run: ChartRun) => Promise<{ answer: object; table: AnalysisTable }>

/** Statistics of a study are never refused for their size. */
const samplesMax = Number.POSITIVE_INFINITY

/** Returns the function that computes the statistics. @throws ServiceError usage, invalid_param */
async function prepare(snapshot: Snapshot, options: Options): Promise<Computed> {
  const { what, study: _, group, aoi = [], event = null, measure, test, nested, format: _format, ...more } = options
  const { config, ...others } = more
  const parameters = await readParameters(others, snapshot)
  const asked = { snapshot, parameters, formulaGuard: config.formulaGuard }
  if (what === 'within') {
    const within = { ...asked, aois: aoi.map((wanted) => aoiOf(snapshot, wanted)), measure: measureOf(measure) }
    return async (run) => {
      const answer = await withinAnswer({ ...within, samplesMax }, run)
      return { answer, table: withinTable(answer, snapshot.study) }
    }
  }
  if (what === 'pupils')
    return async (run) => {
      const answer = await pupilsAnswer({ ...asked, groups: group ?? [], event, samplesMax }, run)
      return { answer, table: pupilsTable(answer) }
    }
  if (what === 'quality') return planned(PLANNED_ANALYSES.quality, asked)
  if (what === 'tags') return planned(PLANNED_ANALYSES.tags, asked)
  if (what === 'offsets') return planned(PLANNED_ANALYSES.offsets, asked)
  if (what === 'participants') return planned(PLANNED_ANALYSES.participants, asked)
  const item = snapshot.study.items.find(({ id }) => id === parameters.itemId)
  if (item === undefined) throw new ServiceError('usage', 'this analysis needs one item: give --item')
  if (what === 'loss') return planned(PLANNED_ANALYSES.loss, asked)
  const subject: ChartSubject = { ...asked, item, participantIndex: null }
  if (what === 'comparisons') return comparing(subject, { measure, test, group })
  const tables = { transitions: transitionsTable, visits: visitsTable, survival: survivalTable }
  return async (run) => {
    const answer = await courseAnswer(subject, run, { nested })
    return { answer, table: tables[what](answer, snapshot.study) }
  }
}

function planned<Answer extends object>(
  { exportName, compute, print }: PlannedAnalysis<Answer>,
  asked: { snapshot: Snapshot; parameters: Parameters; formulaGuard: boolean },
): Computed {
  const plan = makePlan({ exportName, ...asked })
  return async (run) => {
    const answer = await compute(plan, asked.snapshot, samplesMax, run)
    return { answer, table: print(answer) }
  }
}

function comparing(subject: ChartSubject, { measure, test, group = [] }: Pick<Options, 'measure' | 'test' | 'group'>) {
  const asked = { measure: measureOf(measure), kind: test, groups: group, samplesMax }
  return async (run: ChartRun) => {
    const answer = await comparisonsAnswer(subject, asked, run)
    return { answer, table: comparisonsTable(answer, group, subject.snapshot.study) }
  }
}

function measureOf(wanted: string): Measure {
  return MEASURES.find(({ column }) => column === wanted)!
}

/** Finds an AOI by its id, or by its name if no other AOI has that name. @throws ServiceError usage */
function aoiOf({ study: { aois } }: Snapshot, wanted: string): Aoi {
  const own = aois.filter(({ id, name }) => id === wanted.toLowerCase() || name === wanted)
  if (own.length === 1) return own[0]
  const several = own.length > 1 ? `${own.length} AOIs are called` : 'the study has no AOI'
  throw new ServiceError(
    'usage',
    `${several} ${wanted}${own.length > 1 ? `: ${own.map(({ id }) => id).join(', ')}` : ''}`,
  )
}
