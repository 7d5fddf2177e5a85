import { z } from 'zod'
import { AOI_ORDERS } from '../../engine/analysis/statistics/aoi-ranks.ts'
import { TEST_KINDS } from '../../engine/analysis/statistics/compare.ts'
import { FORMATS } from '../../engine/formats/formats.ts'
import { MEASURES } from '../../shared/measures.ts'
import {
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
import { AoiTable, Fixations, Gaze, Heatmap, Preview, PupilTraces, Recordings } from '../schemas/dashboard.ts'
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
    answers: { 200: json('The analysis', StoredAnalysis, 'ETag') },
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

const FORMAT = oneOf('format', 'Format of the response: JSON, or a table of its numbers', ANALYSIS_FORMATS)
const ITEM = inQuery('itemId', 'The item', Uuid, true)
const ITEM_OR_ALL = inQuery('itemId', 'The item. If omitted, all items', Uuid)
const PERSON = inQuery('participantId', 'Only this participant', Uuid)
const NESTED = oneOf('nested', 'AOI to which a fixation in several AOIs belongs', AOI_ORDERS)
const MEASURE = oneOf(
  'measure',
  'The measure: a column of aoi-fixations-stats',
  MEASURES.map(({ column }) => column),
)
const GROUPS = [1, 2, 3, 4].map((g) =>
  inQuery(`group${g}`, 'Condition of the group, in addition to `filter`', { type: 'string' }, g <= 2),
)
const AOIS: Parameter = {
  ...inQuery('aois', 'AOIs to compare, separated by commas', z.array(Uuid).min(2).max(8), true),
  explode: false,
}

/** Returns a route for statistics of a study: docs/analysis.md. */
function computing<const Path extends string>(
  name: Path,
  links: Route['links'],
  summary: string,
  schema: z.ZodType,
  own: Parameter[],
) {
  return route('get', `/studies/:studyId/analysis/${name}`, 'read', {
    links,
    summary,
    planned: [...own, FORMAT, ...ALL_SETTINGS.filter((setting) => setting.name !== 'itemId')],
    headers: [PARAMETERS.ifNoneMatch],
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
        'Content-Disposition?',
      ),
      304: empty('Not modified: the client has this version', 'ETag', 'Vary'),
    },
    problems: ['overloaded', 'canceled'],
  })
}

const CONDITIONS = [1, 2, 3, 4].map((g) =>
  inQuery(`group${g}`, 'Condition of the group, in addition to `filter`. If all are omitted, one group', {
    type: 'string',
  }),
)
const EVENT = inQuery('event', 'Name of the events from which time is measured. If omitted, item onset', {
  type: 'string',
})

export const ANALYSIS_ROUTES = group({ tag: 'Analyses' })({
  getComparisons: computing(
    'comparisons',
    ['groups'],
    'Compare groups of participants in each AOI of an item',
    Comparisons,
    [ITEM, MEASURE, oneOf('test', 'The test between groups', TEST_KINDS), ...GROUPS, PERSON],
  ),
  getWithinComparisons: computing('within', ['study'], 'Compare AOIs that the same participants saw', Within, [
    AOIS,
    MEASURE,
  ]),
  getTransitions: computing(
    'transitions',
    ['transitions'],
    'Count transitions between the AOIs of an item',
    Transitions,
    [ITEM, PERSON, NESTED],
  ),
  getVisits: computing('visits', ['study'], 'Summarize visits of the AOIs of an item', Transitions, [
    ITEM,
    PERSON,
    NESTED,
  ]),
  getSurvival: computing(
    'survival',
    ['study'],
    'Estimate the time to first fixation of the AOIs of an item',
    Transitions,
    [ITEM, PERSON, NESTED],
  ),
  getQuality: computing('quality', ['quality', 'report'], 'Get quality measures of tests', Quality, [ITEM_OR_ALL]),
  getLoss: computing('loss', ['quality'], 'Get the data loss of an item over time', Loss, [ITEM]),
  getTags: computing('tags', ['study'], 'Get measures of AOI tags over items', Tags, [ITEM_OR_ALL]),
  getOffsets: computing('offsets', ['study'], 'Suggest offsets of gaze from validations and clicks', Offsets, [
    ITEM_OR_ALL,
  ]),
  getDescribedParticipants: computing(
    'participants',
    ['groups', 'report'],
    'Get number, age and gender of participants',
    DescribedParticipants,
    [ITEM_OR_ALL],
  ),
  getPupils: computing('pupils', ['pupils'], 'Average pupils over time, for groups of tests', Pupils, [
    ITEM_OR_ALL,
    EVENT,
    ...CONDITIONS,
  ]),
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
  drawFixations: drawing('charts/fixations', ['item', 'replay', 'groups', 'report'], Fixations),
  drawGaze: drawing('charts/gaze', ['item'], Gaze),
  drawHeatmap: drawing('charts/heatmap', ['item', 'groups', 'report'], Heatmap),
  drawAois: drawing('charts/aois', ['item', 'quality', 'report'], AoiTable),
  drawNewAois: route('post', '/studies/:studyId/charts/aois', 'read', {
    planned: [ITEM, PERSON, ...ALL_SETTINGS],
    body: { schema: NewAois },
    answers: { 200: sent('The chart', AoiTable) },
  }),
  drawRecording: drawing('charts/recording', ['replay'], Recordings),
  drawPupils: drawing('charts/pupils', ['pupils'], PupilTraces),
}

/** Routes of the first rows of each export. */
export const PREVIEW_ROUTES = { previewExport: drawing('previews/:exportName', 'downloads', Preview) }
