import {
  ANALYSIS_KINDS,
  type AnalysisName,
  type Bounds,
  CHOICES,
  type ChoiceName,
} from '../../engine/analysis/analysis-kinds.ts'
import type { AnalysisTable } from '../../engine/analysis/charts/table-fields.ts'
import { analysisNamed } from '../../engine/analysis/entries/analyses.ts'
import type { AskedAnalysis, OwnValues } from '../../engine/analysis/entries/analysis-entry.ts'
import { filterFaults } from '../../engine/filter/read-filter.ts'
import { encodeTable } from '../../engine/formats/encode-table.ts'
import { FORMATS } from '../../engine/formats/formats.ts'
import type { Fault } from '../../engine/model/errors.ts'
import { hasFormulas } from '../../engine/model/format-names.ts'
import { trimFilter } from '../../engine/model/parameters.ts'
import { type Plan, planId } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Aoi, Snapshot } from '../../engine/model/study.ts'
import { VERSION } from '../../engine/model/version.ts'
import { findAnalysis } from '../../engine/snapshot/analyses/find-analysis.ts'
import { MEASURES } from '../../isomorphic/measures.ts'
import { chooseName, FILE_TYPES } from '../exports/choose-format.ts'
import { fileNameOf, planRequest } from '../exports/read-request.ts'
import { queryOf, single } from '../http/query.ts'
import { type ANALYSIS_FORMATS, ANALYSIS_ROUTES, analysisAt, GROUP_NAMES } from '../routes/analyses.ts'
import type { Answers, RouteHandler } from '../routes/route.ts'
import { parseChartRequest, TIMES_SMALL } from './chart-routes.ts'
import type { SendComputed, SentFormat } from './send-computed.ts'

type Parts = { config: Config; send: SendComputed }

/** Handlers of the statistics of a study: each sends its answer itself. */
type Compute = RouteHandler<typeof ANALYSIS_ROUTES.getVisits>

/** Returns the handlers of statistics: docs/analysis.md. */
export function analysisRoutes(parts: Parts): Answers<typeof ANALYSIS_ROUTES> {
  const handlers = Object.entries(ANALYSIS_ROUTES).map(([operation, route]) => [
    operation,
    answer(parts, analysisAt(route)),
  ])
  return Object.fromEntries(handlers) as Answers<typeof ANALYSIS_ROUTES>
}

function answer({ config, send }: Parts, name: AnalysisName): Compute {
  return async ({ req, res, snapshot }) => {
    const query = queryOf(req.url)
    const faults: Fault[] = []
    const own = readOwn(name, query, snapshot, faults)
    const format = chooseName(query, req, faults, TYPES)
    const { asked, plan } = await readAsked(name, query, { snapshot, own, formulaGuard: config.formulaGuard }, faults)
    const { key, compute, print } = analysisNamed(name)
    const [first, ...rest] = key(asked)
    const planned = { ...asked, plan, samplesMax: TIMES_SMALL * config.syncMaxSamples }
    res.setHeader('Vary', 'Accept')
    await send(
      ...([req, res, [first, planId(plan), ...rest].join(' ')] as const),
      (run) => compute(planned, run),
      sentAs(format, name, snapshot, config, (json: object) => print(json, asked)),
    )
  }
}

/** Parses the parameters that exports have, too. @throws ProblemError invalid_param with all faults at once */
async function readAsked(
  name: AnalysisName,
  query: Map<string, string[]>,
  { snapshot, own, formulaGuard }: { snapshot: Snapshot; own: OwnValues; formulaGuard: boolean },
  faults: Fault[],
): Promise<{ asked: AskedAnalysis; plan: Plan }> {
  const { plan } = analysisNamed(name)
  const { items, hasParticipant } = ANALYSIS_KINDS[name]
  const names = [...ownNames(name), 'format']
  if (hasParticipant) {
    const { subject } = await parseChartRequest(query, snapshot, formulaGuard, names, faults)
    const asked = { ...own, ...subject }
    return { asked, plan: plan(asked) }
  }
  const itemId = query.get('itemId')?.[0] ?? ''
  const item = snapshot.study.items.find(({ id }) => id === itemId.toLowerCase()) ?? null
  if (items === 'one' && itemId === '')
    faults.push({ parameter: 'itemId', rule: 'must be an item of the study', value: '' })
  if (items === 'of its AOIs' && itemId !== '' && own.aois.some((aoi) => aoi.itemId !== item?.id))
    faults.push({ parameter: 'itemId', rule: 'must be left out, or be the item of all the AOIs', value: itemId })
  const named = await findAnalysis(snapshot, query.get('analysis'))
  const of = { ...own, snapshot, item, participantIndex: null, formulaGuard }
  const request = { query, named, snapshot, own: ['studyId', ...names], faults }
  const { plan: planned, parameters } = planRequest(request, (parameters) => plan({ ...of, parameters }))
  return { asked: { ...of, parameters }, plan: planned }
}

/** Returns the names of an analysis' own parameters in a query. */
function ownNames(name: AnalysisName): string[] {
  const { heeds = [], groups, aois, hasEvent } = ANALYSIS_KINDS[name]
  return [...heeds, ...(groups ? GROUP_NAMES : []), ...(aois ? ['aois'] : []), ...(hasEvent ? ['event'] : [])]
}

/** Parses the parameters of an analysis of its own, and appends what is wrong with them to `faults`. */
function readOwn(name: AnalysisName, query: Map<string, string[]>, snapshot: Snapshot, faults: Fault[]): OwnValues {
  const { heeds = [], groups, aois, hasEvent } = ANALYSIS_KINDS[name]
  const choose = <Name extends ChoiceName>(choice: Name) => {
    const { values } = CHOICES[choice]
    return (
      heeds.includes(choice) ? chosen(query, choice, values, faults) : values[0]
    ) as (typeof CHOICES)[Name]['values'][number]
  }
  const measure = choose('measure')
  return {
    measure: MEASURES.find(({ column }) => column === measure)!,
    test: choose('test'),
    nested: choose('nested'),
    signal: choose('signal'),
    design: choose('design'),
    event: hasEvent ? single(query, 'event', faults) || null : null,
    groups: groups ? readGroups(query, snapshot, groups, faults) : [],
    aois: aois ? readAois(query, snapshot, aois, faults) : [],
  }
}

const TYPES = { json: ['application/json'], ...FILE_TYPES }

/** Returns the format of an answer: JSON, or a table. */
function sentAs(
  name: (typeof ANALYSIS_FORMATS)[number],
  analysis: AnalysisName,
  { study, id }: Snapshot,
  { formulaGuard }: Config,
  print: (answer: object) => AnalysisTable,
): SentFormat | undefined {
  const format = FORMATS.find((each) => each.name === name)
  if (format === undefined) return undefined
  const about = { analysis, study: study.id, snapshot: id, gazette: VERSION }
  return {
    name: `${analysis} ${name}`,
    contentType: format.contentType,
    fileName: fileNameOf(study, { name: analysis }, format),
    print: (json) => encodeTable(print(JSON.parse(json)), format.name, about, formulaGuard && hasFormulas(format.name)),
  }
}

function chosen(query: Map<string, string[]>, name: string, allowed: readonly string[], faults: Fault[]): string {
  const value = single(query, name, faults) ?? allowed[0]
  const found = allowed.find((each) => each === value)
  if (found === undefined) faults.push({ parameter: name, rule: `must be ${allowed.join(', ')}`, value })
  return found ?? allowed[0]
}

/** Parses the conditions of groups. */
function readGroups(query: Map<string, string[]>, snapshot: Snapshot, { min }: Bounds, faults: Fault[]): string[] {
  const given = GROUP_NAMES.map((name) => single(query, name, faults))
  const count = given.indexOf(undefined)
  const groups = (count < 0 ? given : given.slice(0, count)).map((filter) => trimFilter(filter ?? '') ?? '')
  for (const [g, filter] of groups.entries())
    for (const fault of filterFaults(filter === '' ? null : filter, snapshot))
      faults.push({ ...fault, parameter: GROUP_NAMES[g] })
  if (groups.length < min)
    faults.push({ parameter: 'group2', rule: 'must be given after group1: two to four groups are compared', value: '' })
  return groups
}

function readAois(query: Map<string, string[]>, { study }: Snapshot, { min, max }: Bounds, faults: Fault[]): Aoi[] {
  const value = single(query, 'aois', faults) ?? ''
  const ids = value.toLowerCase().split(',').filter(Boolean)
  const aois = ids.flatMap((id) => study.aois.find((aoi) => aoi.id === id) ?? [])
  if (aois.length < ids.length || new Set(ids).size < ids.length || ids.length < min || ids.length > max)
    faults.push({
      parameter: 'aois',
      rule: `must be the ids of ${min} to ${max} AOIs of the study, each once, with commas between`,
      value,
    })
  return aois
}
