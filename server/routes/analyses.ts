import { z } from 'zod'
import { ANALYSIS_KINDS, type AnalysisName, type Bounds, CHOICES } from '../../engine/analysis/analysis-kinds.ts'
import type { AnswerOf } from '../../engine/analysis/entries/analyses.ts'
import { FORMATS } from '../../engine/formats/formats.ts'
import { FORMAT_NAMES } from '../../engine/model/format-names.ts'
import * as schemas from '../schemas/analysis.ts'
import {
  AoisData,
  FixationsData,
  GazeData,
  HeatmapData,
  Preview,
  PupilTraces,
  Recordings,
} from '../schemas/dashboard.ts'
import { Analysis, AnalysisList, StoredAnalysis } from '../schemas/study-analysis.ts'
import { Uuid } from '../schemas/values.ts'
import { NewAois } from '../schemas/writes.ts'
import type { Parameter } from './parameter.ts'
import { ALL_SETTINGS, ANALYSIS_AT, inHeader, inQuery, oneOf, PARAMETERS } from './parameters.ts'
import { BINARY, empty, group, json, media, type Route, route, sent } from './route.ts'
import { CHANGE } from './writes.ts'

const NAMED = '/studies/:studyId/analyses/:name'
const IF_MATCH = inHeader('If-Match', 'The ETag of the analysis as it was read; `*` for any')

/** Routes of the named analyses of a study. */
export const ANALYSES_ROUTES = group({ tag: 'Analyses' })({
  listAnalyses: route('get', '/studies/:studyId/analyses', 'read', {
    links: ['study'],
    summary: 'List the named analyses of a study',
    answers: { 200: json('Ordered by name', AnalysisList) },
  }),
  getAnalysis: route('get', NAMED, 'read', {
    at: [ANALYSIS_AT],
    links: 'analysis',
    summary: 'Get the current version, or an earlier one, of an analysis',
    headers: [PARAMETERS.ifNoneMatch],
    answers: { 200: json('The analysis', StoredAnalysis, 'ETag'), 304: empty('Not modified', 'ETag') },
  }),
  putAnalysis: route('put', NAMED, 'write', {
    summary: 'Store an analysis under a name, as a new version',
    description:
      'Changes no data and no existing version: `analysis=name@version` always means the same, until the analysis is deleted or a participant whom it names is removed. To replace an existing analysis, send `If-Match`.',
    headers: [IF_MATCH],
    body: { schema: Analysis, maxBytes: 256 * 1024 },
    answers: {
      200: json('Replaced', StoredAnalysis, 'ETag'),
      201: json('Created', StoredAnalysis, 'ETag', 'Location'),
    },
    problems: [...CHANGE, 'precondition_needed', 'bound_reached'],
  }),
  deleteAnalysis: route('delete', NAMED, 'write', {
    summary: 'Delete an analysis with all of its versions',
    headers: [IF_MATCH],
    answers: { 204: empty('Deleted') },
    problems: CHANGE,
  }),
})

/** Formats of the answers: JSON, or a table. */
export const ANALYSIS_FORMATS = ['json', ...FORMAT_NAMES] as const
const FORMAT = oneOf('format', 'Format of the response: JSON, or a table of its numbers', ANALYSIS_FORMATS)
const ITEM = inQuery('itemId', 'The item', Uuid, true)
const ITEM_OF_AOIS = inQuery('itemId', 'The item of all the AOIs. May be omitted', Uuid)
const ITEM_OR_ALL = inQuery('itemId', 'The item. If omitted, all items', Uuid)
const PERSON = inQuery('participantId', 'Only this participant', Uuid)
const EVENT = inQuery('event', 'Name of the events from which time is measured. If omitted, item onset', {
  type: 'string',
})
/** Names of the parameters that hold the conditions of groups. */
export const GROUP_NAMES = ['group1', 'group2', 'group3', 'group4']

/** Returns the query parameters of an analysis, besides those of all exports. */
function parametersOf(name: AnalysisName): Parameter[] {
  const { items, hasParticipant, heeds = [], groups, aois, hasEvent } = ANALYSIS_KINDS[name]
  return [
    { one: ITEM, any: ITEM_OR_ALL, 'of its AOIs': ITEM_OF_AOIS }[items],
    ...(hasParticipant ? [PERSON] : []),
    ...(aois ? [aoisParameter(aois)] : []),
    ...heeds.map((choice) => oneOf(choice, CHOICES[choice].meaning, CHOICES[choice].values)),
    ...(hasEvent ? [EVENT] : []),
    ...(groups ? GROUP_NAMES.slice(0, groups.max).map((own, g) => groupParameter(own, g < groups.min, groups)) : []),
  ]
}

function aoisParameter({ min, max }: Bounds): Parameter {
  const ids = z.array(Uuid).min(min).max(max)
  return { ...inQuery('aois', 'AOIs to compare, separated by commas', ids, true), explode: false }
}

function groupParameter(name: string, isNeeded: boolean, { min }: Bounds): Parameter {
  const otherwise = min === 0 ? '. If all are omitted, one group' : ''
  const meaning = `Condition of the group, in addition to \`filter\`${otherwise}`
  return inQuery(name, meaning, { type: 'string' }, isNeeded)
}

/** Path of the statistics of a study: docs/analysis.md. */
const STATISTICS = '/studies/:studyId/analysis/'

/** Returns a route for statistics of a study. @param schema of its answer */
function computing<const Name extends AnalysisName, Schema extends z.ZodType>(
  name: Name,
  links: Route['links'],
  schema: AnswerOf<Name> extends z.infer<Schema> ? Schema : never,
) {
  return route('get', `${STATISTICS}${name}`, 'read', {
    links,
    summary: ANALYSIS_KINDS[name].summary,
    planned: [...parametersOf(name), FORMAT, ...ALL_SETTINGS.filter((setting) => setting.name !== 'itemId')],
    headers: [PARAMETERS.ifNoneMatch, PARAMETERS.acceptEncoding],
    answers: {
      200: media(
        'The analysis',
        {
          'application/json': schema,
          ...Object.fromEntries(FORMATS.flatMap(({ mediaTypes: [type] }) => (type ? [[type, BINARY]] : []))),
        },
        'ETag',
        'Vary',
        'Content-Length',
        'Content-Encoding?',
        'Content-Disposition?',
      ),
      304: empty('Not modified: the client has this version', 'ETag', 'Vary'),
    },
    problems: ['overloaded', 'canceled'],
  })
}

/** Returns the analysis of a route. */
export function analysisAt({ path }: Pick<Route, 'path'>): AnalysisName {
  return path.slice(STATISTICS.length) as AnalysisName
}

export const ANALYSIS_ROUTES = group({ tag: 'Analyses' })({
  getComparisons: computing('comparisons', ['groups', 'report'], schemas.Comparisons),
  getWithinComparisons: computing('within', ['groups', 'report'], schemas.Within),
  getMixedComparisons: computing('mixed', ['groups', 'report'], schemas.Mixed),
  getTransitions: computing('transitions', ['transitions', 'report'], schemas.Transitions),
  getVisits: computing('visits', ['study'], schemas.Transitions),
  getSurvival: computing('survival', ['study'], schemas.Transitions),
  getQuality: computing('quality', ['quality', 'report'], schemas.Quality),
  getLoss: computing('loss', ['quality'], schemas.Loss),
  getReading: computing('reading', ['reading', 'report'], schemas.Reading),
  getTags: computing('tags', ['study'], schemas.Tags),
  getOffsets: computing('offsets', ['study'], schemas.Offsets),
  getDescribedParticipants: computing('participants', ['groups', 'report'], schemas.DescribedParticipants),
  getPupils: computing('pupils', ['pupils'], schemas.Pupils),
  getClusters: computing('clusters', ['groups', 'report'], schemas.Clusters),
  getMicrosaccades: computing('microsaccades', ['microsaccades'], schemas.Microsaccades),
  getScanpaths: computing('scanpaths', ['scanpaths'], schemas.Scanpaths),
  getLooks: computing('looks', ['groups', 'report'], schemas.Looks),
})

/** Returns a route for data of the dashboard's charts. */
function drawing<const Path extends string>(path: Path, links: Route['links'], schema: z.ZodType) {
  const planned = [ITEM, PERSON, ...ALL_SETTINGS]
  return route('get', `/studies/:studyId/${path}`, 'read', {
    links,
    planned,
    answers: { 200: sent('The chart', schema) },
  })
}

export const CHART_ROUTES = {
  drawFixations: drawing('charts/fixations', ['item', 'replay', 'groups', 'report'], FixationsData),
  drawGaze: drawing('charts/gaze', ['item'], GazeData),
  drawHeatmap: drawing('charts/heatmap', ['item', 'groups', 'report'], HeatmapData),
  drawAois: drawing('charts/aois', ['item', 'quality', 'report'], AoisData),
  drawNewAois: route('post', '/studies/:studyId/charts/aois', 'read', {
    planned: [ITEM, PERSON, ...ALL_SETTINGS],
    body: { schema: NewAois },
    answers: { 200: sent('The chart', AoisData) },
  }),
  drawRecording: drawing('charts/recording', ['replay'], Recordings),
  drawPupils: drawing('charts/pupils', ['pupils'], PupilTraces),
}

/** Routes of the first rows of each export. */
export const PREVIEW_ROUTES = { previewExport: drawing('previews/:exportName', 'downloads', Preview) }
