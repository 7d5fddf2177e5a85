import { type RequestHandler, Router } from 'express'
import type { z } from 'zod'
import { AOI_ORDERS } from '../../engine/analysis/aoi-ranks.ts'
import { TEST_KINDS } from '../../engine/analysis/compare.ts'
import { MEASURES } from '../../engine/analysis/measures.ts'
import { chartPlan } from '../../engine/charts/answer-chart.ts'
import { comparisonsAnswer } from '../../engine/charts/comparisons-answer.ts'
import { courseAnswer } from '../../engine/charts/course-answer.ts'
import { filterFaults } from '../../engine/filter/read-filter.ts'
import type { Fault } from '../../engine/model/errors.ts'
import { trimFilter } from '../../engine/model/parameters.ts'
import { planId } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import type { Store } from '../../engine/snapshot/snapshots.ts'
import { readableStudy } from '../access/readable-study.ts'
import { onlyMethods } from '../http/problems.ts'
import { queryOf, single } from '../http/query.ts'
import type { Comparisons, Transitions } from '../schemas/analysis.ts'
import { TIMES_SMALL, understand } from './chart-routes.ts'
import type { SendComputed } from './send-computed.ts'

type Parts = { config: Config; store: Store; send: SendComputed }

const GROUPS = ['group1', 'group2', 'group3', 'group4']

/** Returns the routes of what is computed of a study: docs/analysis.md. */
export function analysisRoutes(parts: Parts): Router {
  const router = Router({ caseSensitive: true })
  router.route('/studies/:studyId/analysis/comparisons').get(answerComparisons(parts)).all(onlyMethods('GET', 'HEAD'))
  router.route('/studies/:studyId/analysis/transitions').get(answerTransitions(parts)).all(onlyMethods('GET', 'HEAD'))
  return router
}

function answerComparisons({ config, store, send }: Parts): RequestHandler {
  return async (req, res) => {
    const snapshot = await readableStudy(store, res, String(req.params.studyId))
    const query = queryOf(req.url)
    const faults: Fault[] = []
    const own = readComparison(query, snapshot, faults)
    const names = ['measure', 'test', ...GROUPS]
    const { subject } = await understand(query, snapshot, config.formulaGuard, names, faults)
    const key = ['comparisons', planId(chartPlan(subject, 'aoi-fixations-stats')), JSON.stringify(own)].join(' ')
    const measure = MEASURES.find(({ column }) => column === own.measure)!
    const asked = { measure, kind: own.kind, groups: own.groups, samplesMax: TIMES_SMALL * config.syncMaxSamples }
    await send(req, res, key, (run): Promise<z.infer<typeof Comparisons>> => comparisonsAnswer(subject, asked, run))
  }
}

function answerTransitions({ config, store, send }: Parts): RequestHandler {
  return async (req, res) => {
    const snapshot = await readableStudy(store, res, String(req.params.studyId))
    const query = queryOf(req.url)
    const faults: Fault[] = []
    const nested = choose(query, 'nested', AOI_ORDERS, faults)
    const { subject } = await understand(query, snapshot, config.formulaGuard, ['nested'], faults)
    const key = ['transitions', planId(chartPlan(subject, 'aoi-visits')), subject.participantIndex, nested].join(' ')
    await send(req, res, key, (run): Promise<z.infer<typeof Transitions>> => courseAnswer(subject, run, { nested }))
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

/** Parses what is compared; what is wrong goes to `faults`. */
function readComparison(query: Map<string, string[]>, snapshot: Snapshot, faults: Fault[]) {
  const columns = MEASURES.map(({ column }) => column)
  const measure = choose(query, 'measure', columns, faults)
  const kind = choose(query, 'test', TEST_KINDS, faults)
  const given = GROUPS.map((name) => single(query, name, faults))
  const count = given.indexOf(undefined)
  const groups = (count < 0 ? given : given.slice(0, count)).map((filter) => trimFilter(filter ?? '') ?? '')
  if (groups.length < 2)
    faults.push({ parameter: 'group2', rule: 'must be given after group1: two to four groups are compared', value: '' })
  for (const [g, filter] of groups.entries())
    for (const fault of filterFaults(filter === '' ? null : filter, snapshot))
      faults.push({ ...fault, parameter: GROUPS[g] })
  return { measure, kind, groups }
}
