import { createHash } from 'node:crypto'
import type { z } from 'zod'
import {
  aoisAnswer,
  type ChartRun,
  type ChartSubject,
  chartPlan,
  fixationsAnswer,
  gazeAnswer,
  heatmapAnswer,
  pupilTracesAnswer,
  recordingAnswer,
} from '../../engine/analysis/charts/answer-chart.ts'
import type { HeatmapOf, HeatmapWeighting } from '../../engine/analysis/charts/chart.ts'
import { previewExport } from '../../engine/analysis/charts/preview.ts'
import { withDrawnAois } from '../../engine/exports/columns/drawn-aois.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { filterFaults } from '../../engine/filter/read-filter.ts'
import { checkParameters } from '../../engine/model/check-parameters.ts'
import type { Fault } from '../../engine/model/errors.ts'
import { trimFilter, UUID } from '../../engine/model/parameters.ts'
import { planId } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { findAnalysis } from '../../engine/snapshot/analyses/find-analysis.ts'
import { findParticipant } from '../../engine/snapshot/rows/list-participants.ts'
import { studyIdFaults } from '../access/readable-study.ts'
import { chooseFormat } from '../exports/choose-format.ts'
import { planRequest } from '../exports/read-request.ts'
import { invalidParameters } from '../http/problems.ts'
import { queryOf, single } from '../http/query.ts'
import { CHART_ROUTES, PREVIEW_ROUTES } from '../routes/analyses.ts'
import { type Bound, bind, type RouteHandler } from '../routes/route.ts'
import type {
  AoisData,
  FixationsData,
  GazeData,
  HeatmapData,
  Preview,
  PupilTraces,
  Recordings,
} from '../schemas/dashboard.ts'
import type { SendComputed } from './send-computed.ts'
import { descriptionOf, type WriteParts } from './write-parts.ts'

type Parts = { config: Config; send: SendComputed }
/** Handlers of charts; each sends its answer itself. */
type Draw = RouteHandler<typeof CHART_ROUTES.drawGaze>
type DrawnParts = Parts & Pick<WriteParts, 'room' | 'rateLimiter' | 'live'>
/** Parameters of some charts, besides those of all. */
type Choices = { of: HeatmapOf; weighting: HeatmapWeighting; hasPoints: boolean; isListed: boolean }

/** Returns the handlers of chart data: JSON, with the parameters of exports and `participantId`. */
export function chartRoutes(drawnParts: DrawnParts): Bound[] {
  const { config, send } = drawnParts
  return [
    ...bind(CHART_ROUTES, {
      drawFixations: chart<z.infer<typeof FixationsData>>('fixations', fixationsAnswer, ['listed']),
      drawGaze: chart<z.infer<typeof GazeData>>('gazes-split', gazeAnswer, ['points']),
      drawHeatmap: chart<z.infer<typeof HeatmapData>>('gazes-split', heatmapAnswer, ['of', 'weighting']),
      drawAois: chart<z.infer<typeof AoisData>>('aoi-overall-stats', aoisAnswer),
      drawNewAois: answerDrawn(drawnParts),
      drawPupils: chart<z.infer<typeof PupilTraces>>('pupils', pupilTracesAnswer),
      drawRecording: chart<z.infer<typeof Recordings>>('gazes-split', recordingAnswer),
    }),
    ...bind(PREVIEW_ROUTES, { previewExport: answerPreview(drawnParts) }),
  ]

  /** Returns the handler of a chart. @param planned export whose plan distinguishes charts with different settings */
  function chart<Body>(
    planned: 'fixations' | 'gazes-split' | 'aoi-overall-stats' | 'pupils',
    answer: (subject: ChartSubject, run: ChartRun, choices: Choices) => Promise<Body>,
    own: string[] = [],
  ): Draw {
    return async ({ req, res, snapshot }) => {
      const { subject, choices } = await parseChartRequest(queryOf(req.url), snapshot, config.formulaGuard, own)
      const plan = chartPlan(subject, choices.of === 'fixations' ? 'fixations' : planned)
      const key = [req.route.path, planId(plan), subject.participantIndex, ...Object.values(choices)].join(' ')
      await send(req, res, key, (run) => answer(subject, run, choices))
    }
  }
}

/**
 * Computes the numbers of drawn, unsaved AOIs, which come in the body. It changes nothing, so a token that can read may
 * use it.
 */
function answerDrawn({ config, send, room, rateLimiter, live }: DrawnParts): Draw {
  return async ({ req, res, snapshot }) => {
    const { subject } = await parseChartRequest(queryOf(req.url), snapshot, config.formulaGuard, [])
    const bytes = await descriptionOf({ room, rateLimiter }, req, res)
    const hash = createHash('sha256').update(bytes).digest('hex')
    const { item, participantIndex } = subject
    const study = withDrawnAois(snapshot.study, item, await live.drawAois(snapshot.directory, item.id, bytes))
    const drawn = { ...subject, snapshot: { ...snapshot, study } }
    const key = ['drawn aois', planId(chartPlan(subject, 'aoi-overall-stats')), participantIndex, hash].join(' ')
    await send(req, res, key, (run): Promise<z.infer<typeof AoisData>> => aoisAnswer(drawn, run))
  }
}

function answerPreview({ config, send }: Parts): RouteHandler<typeof PREVIEW_ROUTES.previewExport> {
  const { formulaGuard, syncMaxSamples, syncMaxBytes } = config
  return async ({ req, res, snapshot, entry }) => {
    const query = queryOf(req.url)
    const faults: Fault[] = []
    const format = chooseFormat(query, req, faults).name
    const named = await findAnalysis(snapshot, query.get('analysis'))
    const { plan } = planRequest({ query, named, snapshot, own: ['studyId', 'format'], faults }, (parameters) =>
      makePlan({ snapshot, exportName: entry.name, parameters, formulaGuard, format }),
    )
    await send(req, res, `preview ${planId(plan)}`, async (run): Promise<z.infer<typeof Preview>> => {
      const preview = await previewExport(plan, snapshot, syncMaxSamples, run)
      const { samples, bytes } = preview.estimate
      return { ...preview, isSmall: samples <= syncMaxSamples && bytes <= syncMaxBytes }
    })
  }
}

/** Largest number of samples that is measured while the client waits, as for the methods section. */
export const TIMES_SMALL = 16

/**
 * Parses a request for a chart.
 *
 * @throws ProblemError invalid_param with all faults at once, including those that were found before
 */
export async function parseChartRequest(
  query: Map<string, string[]>,
  snapshot: Snapshot,
  formulaGuard: boolean,
  own: string[],
  before: Fault[] = [],
): Promise<{ subject: ChartSubject; choices: Choices }> {
  const named = await findAnalysis(snapshot, query.get('analysis'))
  const { parameters, faults } = checkParameters(query, ['studyId', 'participantId', ...own], named)
  faults.push(...before, ...studyIdFaults(query, snapshot.study.id))
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
  const isListed = choose('listed', 'true', 'false') === 'true'
  if (parameters === null || item === undefined || faults.length > 0) throw invalidParameters(faults)
  return {
    subject: { snapshot, item, participantIndex, parameters, formulaGuard },
    choices: { of, weighting, hasPoints, isListed },
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
