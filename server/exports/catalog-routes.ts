import { type RequestHandler, Router } from 'express'
import type { z } from 'zod'
import { columnsOf } from '../../engine/exports/columns-of.ts'
import type { ExportEntry } from '../../engine/exports/export-entry.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import type { StudyFacts } from '../../engine/exports/study-facts.ts'
import { FORMATS } from '../../engine/formats/formats.ts'
import type { Column } from '../../engine/model/columns.ts'
import {
  DETECTOR_MEANING,
  DETECTORS,
  FILTER_MEANING,
  NUMBER_PARAMETERS,
  PARAMETER_NAMES,
} from '../../engine/model/parameters.ts'
import { fixedAnswer } from '../http/fixed-answer.ts'
import { onlyMethods, ProblemError } from '../http/problems.ts'
import { queryOf, refuseUnknown } from '../http/query.ts'
import { openApiDocument } from '../openapi/document.ts'
import type { Export, ExportList, ParameterDescription, TableField, TableSchema } from '../schemas/catalog.ts'

/** Returns the routes that list exports and their columns: the same for everybody, so without a token. */
export function catalogRoutes(limit: RequestHandler): Router {
  const router = Router({ caseSensitive: true })
  const get = (path: string, handler: RequestHandler) =>
    router.route(path).get(limit, handler).all(onlyMethods('GET', 'HEAD'))
  const schemas = new Map<string, RequestHandler>(EXPORTS.map((entry) => [entry.name, openJson(tableSchema(entry))]))
  get('/exports', openJson(CATALOG))
  get('/exports/:exportName/schema', (req, res, next) => {
    const answer = schemas.get(String(req.params.exportName))
    if (answer === undefined)
      throw new ProblemError('not_found', { detail: 'There is no such export; GET /api2/exports lists them.' })
    return answer(req, res, next)
  })
  get('/openapi.json', openJson(openApiDocument()))
  return router
}

const CATALOG: z.infer<typeof ExportList> = {
  exports: EXPORTS.map(describe),
  parameters: parameterList(),
  formats: FORMATS.map(({ name, title, extension }) => ({ name, title, extension })),
}

function openJson(body: unknown): RequestHandler {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'public, max-age=300' }
  const answer = fixedAnswer(headers, JSON.stringify(body))
  return (req, res, next) => {
    refuseUnknown(queryOf(req.url), [])
    return answer(req, res, next)
  }
}

function describe({ name, title, rowPer, path, variant, listed }: ExportEntry): z.infer<typeof Export> {
  return {
    name,
    title,
    rowPer,
    path: `/api2/studies/{studyId}/collected-data/${path}`,
    variant,
    settings: listed,
    schema: `/api2/exports/${name}/schema`,
  }
}

/**
 * Lists the parameters. Every export takes all of them; `settings` of an export are those that it echoes in its notes.
 */
function parameterList(): z.infer<typeof ParameterDescription>[] {
  return PARAMETER_NAMES.map((name) => {
    if (name === 'itemId')
      return { name, kind: 'uuid', default: null, meaning: 'One item; empty, NULL or null for all' }
    if (name === 'detector')
      return { name, kind: 'choice', choices: [...DETECTORS], default: DETECTORS[0], meaning: DETECTOR_MEANING }
    if (name === 'filter') return { name, kind: 'condition', default: null, meaning: FILTER_MEANING }
    return { name, ...NUMBER_PARAMETERS[name] }
  })
}

const FIELD_TYPES: Record<Column['type'], Pick<z.infer<typeof TableField>, 'type' | 'format'>> = {
  uuid: { type: 'string', format: 'uuid' },
  string: { type: 'string' },
  url: { type: 'string', format: 'uri' },
  int: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  datetime: { type: 'datetime', format: 'any' },
  json: { type: 'array' },
}

/** The facts of a study that has every column which depends on the study, under the name `*`. */
const ANY_STUDY: StudyFacts = { hasTags: true, externalDataNames: ['*'], aoiNames: ['*'], recording: null }

/** Returns the Table Schema (Frictionless) of an export; `unit` and `optional` are our additions. */
function tableSchema(entry: ExportEntry): z.infer<typeof TableSchema> {
  const { columns, rowPer, title } = entry
  return {
    $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
    title,
    description: `One row per ${rowPer}`,
    fields: columnsOf(entry, ANY_STUDY).map(({ name, type, unit, meaning, missing }) => ({
      name,
      ...FIELD_TYPES[type],
      unit: unit === '' ? null : unit,
      description: meaning,
      missingValues: missing === null ? [] : [missing],
      ...(missing === null ? { constraints: { required: true } } : {}),
      ...(columns.some((column) => column.name === name) ? {} : { optional: true }),
    })),
    missingValues: [''],
  }
}
