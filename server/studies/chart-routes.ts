import { createHash } from 'node:crypto'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { z } from 'zod'
import {
  aoisAnswer,
  type ChartRun,
  type ChartSubject,
  chartPlan,
  fixationsAnswer,
  gazeAnswer,
  heatmapAnswer,
} from '../../engine/charts/answer-chart.ts'
import type { HeatmapOf, HeatmapWeighting } from '../../engine/charts/heatmap.ts'
import { previewExport } from '../../engine/charts/preview.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { findExport } from '../../engine/exports/registry.ts'
import { filterFaults } from '../../engine/filter/read-filter.ts'
import type { Fault } from '../../engine/model/errors.ts'
import { checkParameters, trimFilter, UUID } from '../../engine/model/parameters.ts'
import { planId } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import type { EnginePool } from '../../engine/run/pool.ts'
import { findParticipant } from '../../engine/snapshot/list-participants.ts'
import type { Store } from '../../engine/snapshot/snapshots.ts'
import { tokenOf } from '../access/authorize.ts'
import { chooseFormat } from '../exports/choose-format.ts'
import { namesTag } from '../exports/send-file.ts'
import { leaving } from '../http/leaving.ts'
import { invalidParameters, onlyMethods, ProblemError } from '../http/problems.ts'
import { queryOf, single } from '../http/query.ts'
import type { AoiTable, Fixations, Gaze, Heatmap, Preview } from '../schemas/dashboard.ts'
import { openLine } from '../waiting/line.ts'
import { shareWork } from '../waiting/shared-work.ts'
import { readableStudy, studyIdFaults } from './study-routes.ts'

type Parts = { config: Config; store: Store; pool: EnginePool }
/** What some charts may be asked beside the parameters of all. */
type Choices = { of: HeatmapOf; weighting: HeatmapWeighting; hasPoints: boolean }

/** Answers with a chart's data: from the cache, or computed by `compute` in the token's turn. */
type Send = (req: Request, res: Response, key: string, compute: (run: ChartRun) => Promise<unknown>) => Promise<void>

/** Returns the routes of the data of charts, as JSON, with the parameters of exports and `participantId`. */
export function chartRoutes({ config, store, pool }: Parts): Router {
  const router = Router({ caseSensitive: true })
  const send = sendingCharts(pool)
  const get = (path: string, handler: RequestHandler) =>
    router.route(`/studies/:studyId/${path}`).get(handler).all(onlyMethods('GET', 'HEAD'))

  get('charts/fixations', chart<z.infer<typeof Fixations>>('fixations', fixationsAnswer))
  get('charts/gaze', chart<z.infer<typeof Gaze>>('gazes-split', gazeAnswer, ['points']))
  get('charts/heatmap', chart<z.infer<typeof Heatmap>>('gazes-split', heatmapAnswer, ['of', 'weighting']))
  get('charts/aois', chart<z.infer<typeof AoiTable>>('aoi-overall-stats', aoisAnswer))
  get('previews/:exportName', answerPreview({ config, store }, send))

  /** Returns the handler of a chart. @param planned the export whose plan tells charts of different settings apart */
  function chart<Body>(
    planned: 'fixations' | 'gazes-split' | 'aoi-overall-stats',
    answer: (subject: ChartSubject, run: ChartRun, choices: Choices) => Promise<Body>,
    own: string[] = [],
  ): RequestHandler {
    return async (req, res) => {
      const snapshot = await readableStudy(store, res, String(req.params.studyId))
      const { subject, choices } = await understand(queryOf(req.url), snapshot, config.formulaGuard, own)
      const plan = chartPlan(subject, choices.of === 'fixations' ? 'fixations' : planned)
      const key = [req.route.path, planId(plan), subject.participantIndex, ...Object.values(choices)].join(' ')
      await send(req, res, key, (run) => answer(subject, run, choices))
    }
  }

  return router
}

function answerPreview({ config, store }: Omit<Parts, 'pool'>, send: Send): RequestHandler {
  const { formulaGuard, syncMaxSamples, syncMaxBytes } = config
  return async (req, res) => {
    const snapshot = await readableStudy(store, res, String(req.params.studyId))
    const entry = findExport(String(req.params.exportName))
    if (entry === undefined) throw new ProblemError('not_found')
    const query = queryOf(req.url)
    const { parameters, faults } = checkParameters(query, ['studyId', 'format'])
    const format = chooseFormat(query, req, faults).name
    faults.push(...studyIdFaults(query, snapshot.study.id), ...filterFaults(parameters?.filter ?? null, snapshot))
    if (parameters === null || faults.length > 0) throw invalidParameters(faults)
    const plan = makePlan({ snapshot, exportName: entry.name, parameters, formulaGuard, format })
    await send(req, res, `preview ${planId(plan)}`, async (run): Promise<z.infer<typeof Preview>> => {
      const preview = await previewExport(plan, snapshot, syncMaxSamples, run)
      const { samples, bytes } = preview.estimate
      return { ...preview, isSmall: samples <= syncMaxSamples && bytes <= syncMaxBytes }
    })
  }
}

const LINE_MAX = 64
const CACHED_CHARACTERS_MAX = 8 * 2 ** 20

function sendingCharts(pool: EnginePool): Send {
  const line = openLine({ places: pool.threads + 1, waitingMax: LINE_MAX })
  const work = shareWork<string>({ line, sizeOf: (text) => text.length, cachedEachMax: CACHED_CHARACTERS_MAX })
  return async (req, res, key, compute) => {
    const tag = `"${createHash('sha256').update(key).digest('base64url').slice(0, 22)}"`
    res.setHeader('Cache-Control', 'private, no-cache')
    res.setHeader('ETag', tag)
    if (namesTag(req, tag)) return void res.status(304).end()
    const { value, release } = await work.ask({
      keys: [key],
      owner: tokenOf(res).id,
      signal: leaving(res),
      compute: async (signal) => JSON.stringify(await compute({ pool, signal })),
    })
    res.once('close', release)
    if (res.closed) return release()
    res.setHeader('Content-Type', 'application/json; charset=utf-8')
    res.send(value)
  }
}

/** Parses a request for a chart. @throws ProblemError invalid_param, with all faults at once */
async function understand(
  query: Map<string, string[]>,
  snapshot: Snapshot,
  formulaGuard: boolean,
  own: string[],
): Promise<{ subject: ChartSubject; choices: Choices }> {
  const { parameters, faults } = checkParameters(query, ['studyId', 'participantId', ...own])
  faults.push(...studyIdFaults(query, snapshot.study.id))
  const itemId = parameters?.itemId ?? query.get('itemId')?.[0]?.toLowerCase()
  const item = snapshot.study.items.find(({ id }) => id === itemId)
  if (item === undefined && !faults.some(({ parameter }) => parameter === 'itemId'))
    faults.push({ parameter: 'itemId', rule: 'must be an item of the study', value: itemId ?? '' })
  const filters = query.get('filter') ?? []
  if (filters.length === 1) faults.push(...filterFaults(trimFilter(filters[0]), snapshot))
  const participantIndex = await readParticipant(query, snapshot, faults)
  const choose = (name: string, first: string, second: string) => {
    const value = (own.includes(name) && single(query, name, faults)) || first
    if (value !== first && value !== second)
      faults.push({ parameter: name, rule: `must be ${first} or ${second}`, value })
    return value
  }
  const of = choose('of', 'gazes', 'fixations') as Choices['of']
  const weighting = choose('weighting', 'counts', 'participants') as Choices['weighting']
  const hasPoints = choose('points', 'false', 'true') === 'true'
  if (parameters === null || item === undefined || faults.length > 0) throw invalidParameters(faults)
  return {
    subject: { snapshot, item, participantIndex, parameters, formulaGuard },
    choices: { of, weighting, hasPoints },
  }
}

async function readParticipant(
  query: Map<string, string[]>,
  snapshot: Snapshot,
  faults: Fault[],
): Promise<number | null> {
  const value = single(query, 'participantId', faults)
  if (value === undefined || value === '') return null
  const row = UUID.test(value) ? await findParticipant(snapshot, value.toLowerCase()) : null
  if (row === null) faults.push({ parameter: 'participantId', rule: 'must be a participant of the study', value })
  return row
}
