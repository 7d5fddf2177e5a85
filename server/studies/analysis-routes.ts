import type { z } from 'zod'
import {
  type AnalysisTable,
  comparisonsTable,
  pupilsTable,
  survivalTable,
  transitionsTable,
  visitsTable,
  withinTable,
} from '../../engine/analysis/charts/analysis-tables.ts'
import { chartPlan } from '../../engine/analysis/charts/answer-chart.ts'
import { comparisonsAnswer } from '../../engine/analysis/charts/comparisons-answer.ts'
import { courseAnswer } from '../../engine/analysis/charts/course-answer.ts'
import { PLANNED_ANALYSES, type PlannedAnalysis } from '../../engine/analysis/charts/planned-analyses.ts'
import { pupilsAnswer, pupilsPlan } from '../../engine/analysis/charts/pupils-answer.ts'
import { withinAnswer } from '../../engine/analysis/charts/within-answer.ts'
import { AOI_ORDERS } from '../../engine/analysis/statistics/aoi-ranks.ts'
import { TEST_KINDS } from '../../engine/analysis/statistics/compare.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { filterFaults } from '../../engine/filter/read-filter.ts'
import { encodeTable } from '../../engine/formats/encode-table.ts'
import { FORMATS } from '../../engine/formats/formats.ts'
import type { Fault } from '../../engine/model/errors.ts'
import { hasFormulas } from '../../engine/model/format-names.ts'
import { trimFilter } from '../../engine/model/parameters.ts'
import { planId } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Aoi, Snapshot } from '../../engine/model/study.ts'
import { VERSION } from '../../engine/model/version.ts'
import { findAnalysis } from '../../engine/snapshot/analyses/find-analysis.ts'
import { MEASURES, type Measure } from '../../shared/measures.ts'
import { chooseName, FILE_TYPES } from '../exports/choose-format.ts'
import { fileNameOf, planRequest } from '../exports/read-request.ts'
import { queryOf, single } from '../http/query.ts'
import type { ANALYSIS_ROUTES } from '../routes/analyses.ts'
import type { Answers, RouteHandler } from '../routes/route.ts'
import type {
  ANALYSIS_FORMATS,
  Comparisons,
  DescribedParticipants,
  Loss,
  Offsets,
  Pupils,
  Quality,
  Tags,
  Transitions,
  Within,
} from '../schemas/analysis.ts'
import { parseChartRequest, TIMES_SMALL } from './chart-routes.ts'
import type { SendComputed, SentFormat } from './send-computed.ts'

type Parts = { config: Config; send: SendComputed }

const GROUPS = ['group1', 'group2', 'group3', 'group4']
/** Number of AOIs that can be compared within participants. */
const AOIS_MIN = 2
const AOIS_MAX = 8

/** Handlers of the statistics of a study: each path has its own ending, and each handler sends its answer itself. */
type Compute = RouteHandler<typeof ANALYSIS_ROUTES.getVisits>

/** Returns the handlers of statistics: docs/analysis.md. */
export function analysisRoutes(parts: Parts): Answers<typeof ANALYSIS_ROUTES> {
  return {
    getComparisons: answerComparisons(parts),
    getWithinComparisons: answerWithin(parts),
    getTransitions: answerCourse(parts, 'transitions', transitionsTable),
    getVisits: answerCourse(parts, 'visits', visitsTable),
    getSurvival: answerCourse(parts, 'survival', survivalTable),
    getQuality: answerPlanned(parts, 'quality', PLANNED_ANALYSES.quality),
    getLoss: answerPlanned(parts, 'loss', PLANNED_ANALYSES.loss),
    getTags: answerPlanned(parts, 'tags', PLANNED_ANALYSES.tags),
    getOffsets: answerPlanned(parts, 'offsets', PLANNED_ANALYSES.offsets),
    getDescribedParticipants: answerPlanned(parts, 'participants', PLANNED_ANALYSES.participants),
    getPupils: answerPupils(parts),
  }
}

function answerComparisons({ config, send }: Parts): Compute {
  return async ({ req, res, snapshot }) => {
    const query = queryOf(req.url)
    const faults: Fault[] = []
    const own = readComparison(query, snapshot, faults)
    const format = chooseName(query, req, faults, TYPES)
    const names = ['measure', 'test', 'format', ...GROUPS]
    const { subject } = await parseChartRequest(query, snapshot, config.formulaGuard, names, faults)
    const { measure, ...others } = own
    const key = [
      'comparisons',
      planId(chartPlan(subject, 'aoi-fixations-stats')),
      measure.column,
      JSON.stringify(others),
    ]
    const asked = { ...own, samplesMax: TIMES_SMALL * config.syncMaxSamples }
    const compute = (run: Run): Promise<z.infer<typeof Comparisons>> => comparisonsAnswer(subject, asked, run)
    const print = (answer: Awaited<ReturnType<typeof comparisonsAnswer>>) =>
      comparisonsTable(answer, own.groups, snapshot.study)
    res.setHeader('Vary', 'Accept')
    await send(req, res, key.join(' '), compute, sentAs(format, 'comparisons', snapshot, config, print))
  }
}

/** Answers with averages of pupils, for up to four groups of tests. */
function answerPupils({ config, send }: Parts): Compute {
  return async ({ req, res, snapshot }) => {
    const query = queryOf(req.url)
    const faults: Fault[] = []
    const event = single(query, 'event', faults) || null
    const groups = readGroups(query, snapshot, faults)
    const format = chooseName(query, req, faults, TYPES)
    const { formulaGuard } = config
    const named = await findAnalysis(snapshot, query.get('analysis'))
    const own = ['studyId', 'event', 'format', ...GROUPS]
    const { plan, parameters } = planRequest({ query, named, snapshot, own, faults }, (asked) =>
      pupilsPlan({ snapshot, parameters: asked, groups, event, formulaGuard }),
    )
    const asked = { snapshot, parameters, groups, event, formulaGuard, samplesMax: TIMES_SMALL * config.syncMaxSamples }
    const key = ['pupils', planId(plan), JSON.stringify([event, groups])].join(' ')
    const compute = (run: Run): Promise<z.infer<typeof Pupils>> => pupilsAnswer(asked, run)
    res.setHeader('Vary', 'Accept')
    await send(req, res, key, compute, sentAs(format, 'pupils', snapshot, config, pupilsTable))
  }
}

type Run = Parameters<typeof courseAnswer>[1]

function answerWithin({ config, send }: Parts): Compute {
  return async ({ req, res, snapshot }) => {
    const query = queryOf(req.url)
    const faults: Fault[] = []
    const measure = measureOf(query, faults)
    const aois = readAois(query, snapshot, faults)
    const format = chooseName(query, req, faults, TYPES)
    if ((query.get('itemId')?.[0] ?? '') !== '')
      faults.push({
        parameter: 'itemId',
        rule: 'must be left out: AOIs tell their items',
        value: query.get('itemId')![0],
      })
    const { formulaGuard } = config
    const named = await findAnalysis(snapshot, query.get('analysis'))
    const own = ['studyId', 'measure', 'aois', 'format']
    const { plan, parameters } = planRequest({ query, named, snapshot, own, faults }, (asked) =>
      makePlan({ snapshot, exportName: 'aoi-fixations-stats', parameters: asked, formulaGuard }),
    )
    const key = ['within', planId(plan), measure.column, ...aois.map(({ id }) => id)].join(' ')
    const asked = { snapshot, aois, measure, parameters, formulaGuard, samplesMax: TIMES_SMALL * config.syncMaxSamples }
    const compute = (run: Run): Promise<z.infer<typeof Within>> => withinAnswer(asked, run)
    const print = (answer: Awaited<ReturnType<typeof withinAnswer>>) => withinTable(answer, snapshot.study)
    res.setHeader('Vary', 'Accept')
    await send(req, res, key, compute, sentAs(format, 'within', snapshot, config, print))
  }
}

/** Answers with transitions, visits and survival for the AOIs of an item; the JSON of each path has all three. */
function answerCourse(
  { config, send }: Parts,
  name: 'transitions' | 'visits' | 'survival',
  table: (answer: Awaited<ReturnType<typeof courseAnswer>>, study: Snapshot['study']) => AnalysisTable,
): Compute {
  return async ({ req, res, snapshot }) => {
    const query = queryOf(req.url)
    const faults: Fault[] = []
    const nested = choose(query, 'nested', AOI_ORDERS, faults)
    const format = chooseName(query, req, faults, TYPES)
    const { subject } = await parseChartRequest(query, snapshot, config.formulaGuard, ['nested', 'format'], faults)
    const key = ['course', planId(chartPlan(subject, 'aoi-visits')), subject.participantIndex, nested].join(' ')
    const compute = (run: Run): Promise<z.infer<typeof Transitions>> => courseAnswer(subject, run, { nested })
    const print = (answer: Awaited<ReturnType<typeof courseAnswer>>) => table(answer, snapshot.study)
    res.setHeader('Vary', 'Accept')
    await send(req, res, key, compute, sentAs(format, name, snapshot, config, print))
  }
}

type Planned =
  | z.infer<typeof Quality>
  | z.infer<typeof Loss>
  | z.infer<typeof Offsets>
  | z.infer<typeof Tags>
  | z.infer<typeof DescribedParticipants>

/** Answers with statistics of the tests that the plan of an export selects. */
function answerPlanned<Sent extends Planned>(
  { config, send }: Parts,
  name: keyof typeof PLANNED_ANALYSES,
  { exportName, needsItem, compute, print }: PlannedAnalysis<Sent>,
): Compute {
  return async ({ req, res, snapshot }) => {
    const query = queryOf(req.url)
    const faults: Fault[] = []
    const format = chooseName(query, req, faults, TYPES)
    if (needsItem && (query.get('itemId')?.[0] ?? '') === '')
      faults.push({ parameter: 'itemId', rule: 'must be an item of the study', value: '' })
    const { formulaGuard, syncMaxSamples } = config
    const named = await findAnalysis(snapshot, query.get('analysis'))
    const { plan } = planRequest({ query, named, snapshot, own: ['studyId', 'format'], faults }, (parameters) =>
      makePlan({ snapshot, exportName, parameters, formulaGuard }),
    )
    const computed = (run: Run) => compute(plan, snapshot, TIMES_SMALL * syncMaxSamples, run)
    res.setHeader('Vary', 'Accept')
    await send(req, res, `${name} ${planId(plan)}`, computed, sentAs(format, name, snapshot, config, print))
  }
}

type FormatName = (typeof ANALYSIS_FORMATS)[number]

const TYPES = { json: ['application/json'], ...FILE_TYPES }

/** Returns the format of an answer: JSON, or a table. */
function sentAs<Answer>(
  name: FormatName,
  analysis: string,
  { study, id }: Snapshot,
  { formulaGuard }: Config,
  print: (answer: Answer) => AnalysisTable,
): SentFormat | undefined {
  const format = FORMATS.find((each) => each.name === name)
  if (format === undefined) return undefined
  const about = { analysis, study: study.id, snapshot: id, gazette: VERSION }
  return {
    name: `${analysis} ${name}`,
    contentType: format.contentType,
    fileName: fileNameOf(study, { name: analysis }, format),
    print: (json) =>
      encodeTable(print(JSON.parse(json) as Answer), format.name, about, formulaGuard && hasFormulas(format.name)),
  }
}

function choose<Name extends string>(
  query: Map<string, string[]>,
  name: string,
  allowed: readonly Name[],
  faults: Fault[],
): Name {
  const value = single(query, name, faults) ?? allowed[0]
  const found = allowed.find((each) => each === value)
  if (found === undefined) faults.push({ parameter: name, rule: `must be ${allowed.join(', ')}`, value })
  return found ?? allowed[0]
}

function measureOf(query: Map<string, string[]>, faults: Fault[]): Measure {
  const columns = MEASURES.map(({ column }) => column)
  const measure = choose(query, 'measure', columns, faults)
  return MEASURES.find(({ column }) => column === measure)!
}

/** Parses the measure of a comparison, and appends what is wrong with it to `faults`. */
function readComparison(query: Map<string, string[]>, snapshot: Snapshot, faults: Fault[]) {
  const measure = measureOf(query, faults)
  const kind = choose(query, 'test', TEST_KINDS, faults)
  const groups = readGroups(query, snapshot, faults)
  if (groups.length < 2)
    faults.push({ parameter: 'group2', rule: 'must be given after group1: two to four groups are compared', value: '' })
  return { measure, kind, groups }
}

/** Parses the conditions of groups. */
function readGroups(query: Map<string, string[]>, snapshot: Snapshot, faults: Fault[]): string[] {
  const given = GROUPS.map((name) => single(query, name, faults))
  const count = given.indexOf(undefined)
  const groups = (count < 0 ? given : given.slice(0, count)).map((filter) => trimFilter(filter ?? '') ?? '')
  for (const [g, filter] of groups.entries())
    for (const fault of filterFaults(filter === '' ? null : filter, snapshot))
      faults.push({ ...fault, parameter: GROUPS[g] })
  return groups
}

function readAois(query: Map<string, string[]>, { study }: Snapshot, faults: Fault[]): Aoi[] {
  const value = single(query, 'aois', faults) ?? ''
  const ids = value.toLowerCase().split(',').filter(Boolean)
  const aois = ids.flatMap((id) => study.aois.find((aoi) => aoi.id === id) ?? [])
  if (aois.length < ids.length || new Set(ids).size < ids.length || ids.length < AOIS_MIN || ids.length > AOIS_MAX)
    faults.push({
      parameter: 'aois',
      rule: `must be the ids of ${AOIS_MIN} to ${AOIS_MAX} AOIs of the study, each once, with commas between`,
      value,
    })
  return aois
}
