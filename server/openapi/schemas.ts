import { z } from 'zod'
import { DETECTORS, NUMBER_PARAMETERS, type ParameterName, WINDOW_MAX_MS } from '../../engine/model/parameters.ts'
import { ANALYSIS_REFERENCE } from '../../engine/model/study-analysis.ts'
import { Comparisons, DescribedParticipants, Loss, Quality, Transitions, Within } from '../schemas/analysis.ts'
import * as catalog from '../schemas/catalog.ts'
import * as flow from '../schemas/flow.ts'
import * as imports from '../schemas/import.ts'
import * as job from '../schemas/job.ts'
import * as link from '../schemas/link.ts'
import * as methods from '../schemas/methods.ts'
import * as operations from '../schemas/operations.ts'
import * as problem from '../schemas/problem.ts'
import * as study from '../schemas/study.ts'
import * as analyses from '../schemas/study-analysis.ts'
import * as upload from '../schemas/upload.ts'
import { Parameters, Uuid } from '../schemas/values.ts'
import * as webhook from '../schemas/webhook.ts'
import * as writes from '../schemas/writes.ts'
import type { Json } from './json.ts'

const pathOf = (name: string) => `#/components/schemas/${name}`
export const ref = (name: string): Json => ({ $ref: pathOf(name) })

/** Returns schemas as JSON by name; where one holds another of them, it refers to it. */
function toJson(schemas: Record<string, z.ZodType>): Record<string, Json> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id })
  const made = z.toJSONSchema(registry, {
    uri: pathOf,
    // So objects are described without forbidding what later versions may add.
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  return Object.fromEntries(
    Object.entries(made.schemas).map(([name, { $schema: _, $id: _id, ...schema }]) => [name, schema as Json]),
  )
}

/** Every JSON body, by name. */
export const SCHEMAS = toJson({
  Uuid,
  ...problem,
  ...flow,
  ...study,
  ...analyses,
  Comparisons,
  DescribedParticipants,
  Loss,
  Quality,
  Within,
  Transitions,
  ...catalog,
  ...job,
  ...operations,
  ...methods,
  ...link,
  ...upload,
  ...imports,
  ...writes,
  ...webhook,
})

const numbers = toJson(
  Parameters.omit({ itemId: true, filter: true, analysis: true, ignored: true, fromMs: true, toMs: true }).shape,
)

/** Returns the schema of the values of a parameter. */
export function parameterSchema(name: ParameterName): Json {
  if (name === 'detector') return { type: 'string', enum: DETECTORS, default: DETECTORS[0] }
  if (name === 'analysis') return { type: 'string', pattern: ANALYSIS_REFERENCE.source, examples: ['mine'] }
  if (name === 'fromMs' || name === 'toMs')
    return { type: 'integer', minimum: name === 'toMs' ? 1 : 0, maximum: WINDOW_MAX_MS }
  if (name === 'filter') return { type: 'string', default: '', examples: ['participant_age BETWEEN 20 AND 29'] }
  return name in NUMBER_PARAMETERS
    ? numbers[name]
    : { anyOf: [ref('Uuid'), { type: 'string', pattern: '^(NULL|null)?$' }], default: 'NULL' }
}
