import { z } from 'zod'
import type { Json } from '../routes/parameter.ts'
import * as computed from '../schemas/analysis.ts'
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
import { exportName, formatName, Parameters, parameterName, Uuid } from '../schemas/values.ts'
import * as webhook from '../schemas/webhook.ts'
import * as writes from '../schemas/writes.ts'

const pathOf = (name: string) => `#/components/schemas/${name}`
export const ref = (name: string): Json => ({ $ref: pathOf(name) })

const READ = [problem, flow, study, analyses, computed, catalog, job, operations, methods]
const WRITTEN = [link, upload, imports, writes, webhook]
const SHARED = {
  Uuid,
  ExportName: exportName,
  FormatName: formatName,
  ParameterName: parameterName,
  ExportParameters: Parameters,
}
/** Schemas that have a name in the document. */
const NAMED: Record<string, z.ZodType> = Object.assign(SHARED, ...READ, ...WRITTEN)

const names = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries(NAMED)) names.add(schema, { id })

const OPTIONS = {
  // Objects are described without forbidding fields that later versions may add.
  io: 'input',
  override: ({ jsonSchema }: { jsonSchema: Json }) => {
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    // Linters and generators of OpenAPI take `items: false` for an array without a type.
    if (Array.isArray(jsonSchema.prefixItems) && jsonSchema.items === false) {
      const { length } = jsonSchema.prefixItems
      Object.assign(jsonSchema, { items: jsonSchema.prefixItems[0], minItems: length, maxItems: length })
    }
  },
} as const

/** Describes every JSON body by name; a body inside another one is a reference. */
export function describeSchemas(): Record<string, Json> {
  const { schemas } = z.toJSONSchema(names, { ...OPTIONS, uri: pathOf })
  const described = Object.entries(schemas).map(([name, { $schema: _, $id: _id, ...schema }]) => [name, schema as Json])
  return Object.fromEntries(described)
}

/** Returns a schema as JSON: a reference if the schema has a name; named schemas inside it are references, too. */
export function schemaJson(schema: z.ZodType | Json): Json {
  if (!(schema instanceof z.ZodType)) return schema
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    ...OPTIONS,
    override: (part) => {
      OPTIONS.override(part)
      const name = names.get(part.zodSchema as unknown as z.ZodType)?.id
      if (name === undefined) return
      for (const key of Object.keys(part.jsonSchema)) delete part.jsonSchema[key as never]
      part.jsonSchema.$ref = pathOf(name)
    },
  })
  return made
}
