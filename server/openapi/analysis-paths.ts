import { AOI_ORDERS } from '../../engine/analysis/aoi-ranks.ts'
import { TEST_KINDS } from '../../engine/analysis/compare.ts'
import { MEASURES } from '../../engine/analysis/measures.ts'
import { FORMATS } from '../../engine/formats/formats.ts'
import { PARAMETER_NAMES } from '../../engine/model/parameters.ts'
import { ANALYSIS_FORMATS } from '../schemas/analysis.ts'
import { headers } from './answers.ts'
import type { Json } from './json.ts'
import { ref } from './schemas.ts'

const LIMITS = ['RateLimit', 'RateLimit-Policy']

const inQuery = (name: string, description: string, schema: Json, required = false): Json => ({
  name,
  in: 'query',
  description,
  required,
  schema,
})
const oneOf = (name: string, description: string, values: readonly string[]): Json =>
  inQuery(name, description, { type: 'string', enum: values, default: values[0] })

const FORMAT = oneOf('format', 'Format of the response: JSON, or a table of its numbers', ANALYSIS_FORMATS)
const ITEM = inQuery('itemId', 'The item', ref('Uuid'), true)
const ITEM_OR_ALL = inQuery('itemId', 'The item; all without it', ref('Uuid'))
const PERSON = inQuery('participantId', 'Only this participant', ref('Uuid'))
const NESTED = oneOf('nested', 'Which AOI a fixation in several stands for in transitions', AOI_ORDERS)
const MEASURE = oneOf(
  'measure',
  'The measure: a column of aoi-fixations-stats',
  MEASURES.map(({ column }) => column),
)
const GROUPS = [1, 2, 3, 4].map((g) =>
  inQuery(`group${g}`, 'Whose tests are in the group: a condition besides `filter`', { type: 'string' }, g <= 2),
)
const AOIS = {
  ...inQuery(
    'aois',
    'The AOIs that are compared, between commas',
    { type: 'array', items: ref('Uuid'), minItems: 2, maxItems: 8 },
    true,
  ),
  explode: false,
}

/** Lists the operations that compute statistics of a study (docs/analysis.md). */
export function describeAnalysisPaths(
  guarded: (operation: Json) => Json,
  parameters: (...names: string[]) => Json[],
): Record<string, Json> {
  const settings = parameters(...PARAMETER_NAMES.filter((name) => name !== 'itemId'))
  const get = (name: string, operationId: string, summary: string, schema: string, own: Json[]) => ({
    [`/studies/{studyId}/analysis/${name}`]: {
      get: guarded({
        tags: ['Analyses'],
        operationId,
        summary,
        parameters: [...parameters('studyId'), ...own, FORMAT, ...settings, ...parameters('ifNoneMatch')],
        responses: {
          200: {
            description: 'The analysis',
            headers: headers(...LIMITS, 'ETag', 'Vary', 'Content-Length', 'Content-Disposition?'),
            content: {
              'application/json': { schema: ref(schema) },
              ...Object.fromEntries(FORMATS.map(({ mediaTypes: [type] }) => [type, {}])),
            },
          },
          304: {
            description: 'Not modified: the client has this version',
            headers: headers(...LIMITS, 'ETag', 'Vary'),
          },
        },
      }),
    },
  })
  return {
    ...get('comparisons', 'getComparisons', 'Compare groups of participants in each AOI of an item', 'Comparisons', [
      ITEM,
      MEASURE,
      oneOf('test', 'The test between groups', TEST_KINDS),
      ...GROUPS,
      PERSON,
    ]),
    ...get('within', 'getWithinComparisons', 'Compare AOIs that the same participants saw', 'Within', [AOIS, MEASURE]),
    ...get('transitions', 'getTransitions', 'Count transitions between the AOIs of an item', 'Transitions', [
      ITEM,
      PERSON,
      NESTED,
    ]),
    ...get('visits', 'getVisits', 'Summarize visits of the AOIs of an item', 'Transitions', [ITEM, PERSON, NESTED]),
    ...get('quality', 'getQuality', 'Describe the quality of tests', 'Quality', [ITEM_OR_ALL]),
    ...get('loss', 'getLoss', 'Average the loss of gaze of an item over time', 'Loss', [ITEM]),
    ...get('participants', 'getDescribedParticipants', 'Describe participants', 'DescribedParticipants', [ITEM_OR_ALL]),
    ...get('survival', 'getSurvival', 'Estimate the time to first fixation of the AOIs of an item', 'Transitions', [
      ITEM,
      PERSON,
      NESTED,
    ]),
  }
}
