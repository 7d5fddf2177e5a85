import type { Request } from 'express'
import type { z } from 'zod'
import type { ExportEntry } from '../../engine/exports/columns/export-entry.ts'
import type { StudyFacts } from '../../engine/exports/columns/study-facts.ts'
import { answeredBy, QUESTION_TEXTS } from '../../engine/exports/questions.ts'
import { EXPORTS, findExport } from '../../engine/exports/registry.ts'
import { tableSchema } from '../../engine/exports/table-schema.ts'
import { FORMATS } from '../../engine/formats/formats.ts'
import { EXPORT_NAMES } from '../../engine/model/export-names.ts'
import { EYE_COLUMN_NAMES } from '../../engine/model/eye-columns.ts'
import { nearest } from '../../engine/model/nearest.ts'
import {
  ANALYSIS_MEANING,
  CHOICE_PARAMETERS,
  EXTRAS,
  EXTRAS_MEANING,
  type Extra,
  FILTER_MEANING,
  isChoice,
  LOOK_NAMES,
  NUMBER_PARAMETERS,
  PARAMETER_NAMES,
  WINDOW_PARAMETERS,
} from '../../engine/model/parameters.ts'
import { type FixedAnswer, fixedAnswer } from '../http/fixed-answer.ts'
import { ProblemError } from '../http/problems.ts'
import { openApiDocument } from '../openapi/document.ts'
import type { CATALOG_ROUTES } from '../routes/catalog.ts'
import type { Answers } from '../routes/route.ts'
import type { Export, ExportList, ParameterDescription, TableSchema } from '../schemas/catalog.ts'

/** Returns the handlers that list exports and their columns. They are the same for everybody, so they need no token. */
export function catalogRoutes(formulaGuard: boolean): Answers<typeof CATALOG_ROUTES> {
  const schemas = new Map(
    EXPORTS.map((entry) => [
      entry.name as string,
      fixedJson(() => tableSchema(entry, ANY_STUDY, formulaGuard) satisfies z.infer<typeof TableSchema>),
    ]),
  )
  const sendList = fixedJson(() => CATALOG)
  const sendDocument = fixedJson(openApiDocument)
  return {
    listExports: ({ req, res }) => sendList(req, res),
    getExportSchema: ({ req, res }) => schemas.get(String(req.params.exportName))!(req, res),
    getOpenApi: ({ req, res }) => sendDocument(req, res),
  }
}

/** @throws ProblemError not_found */
export async function findNamedExport({ params }: Request): Promise<{ entry: ExportEntry }> {
  const entry = findExport(String(params.exportName))
  if (entry !== undefined) return { entry }
  const near = nearest(String(params.exportName), EXPORT_NAMES).nearest
  const meant = near === undefined ? '' : ` (did you mean ${near}?)`
  throw new ProblemError('not_found', { detail: `There is no such export${meant}; GET /api2/exports lists them.` })
}

const CATALOG: z.infer<typeof ExportList> = {
  exports: EXPORTS.map(describe),
  questions: QUESTION_TEXTS,
  parameters: parameterList(),
  formats: FORMATS.map(({ name, title, extension }) => ({ name, title, extension })),
}

function fixedJson(make: () => unknown): FixedAnswer {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'public, max-age=300' }
  return fixedAnswer(headers, () => JSON.stringify(make()))
}

function describe({ name, title, rowPer, path, variant, listed, extras = {} }: ExportEntry): z.infer<typeof Export> {
  return {
    name,
    title,
    rowPer,
    ...answeredBy(name),
    path: `/api2/studies/{studyId}/collected-data/${path}`,
    variant,
    settings: listed,
    extras: Object.keys(extras) as Extra[],
    schema: `/api2/exports/${name}/schema`,
  }
}

/**
 * Describes the parameters of exports. Every export accepts all of them; `settings` of an export are those in its
 * notes.
 */
function parameterList(): z.infer<typeof ParameterDescription>[] {
  return PARAMETER_NAMES.map((name) => {
    if (name === 'itemId')
      return { name, kind: 'uuid', default: null, meaning: 'One item; empty, NULL or null for all' }
    if (isChoice(name)) {
      const { values, meaning } = CHOICE_PARAMETERS[name]
      return { name, kind: 'choice', choices: [...values], default: values[0], meaning }
    }
    if (name === 'extras')
      return { name, kind: 'choices', choices: [...EXTRAS], default: null, meaning: EXTRAS_MEANING }
    if (name === 'filter') return { name, kind: 'condition', default: null, meaning: FILTER_MEANING }
    if (name === 'fromMs' || name === 'toMs')
      return { name, kind: 'moment', unit: 'ms', default: null, meaning: WINDOW_PARAMETERS[name] }
    if (name === 'eventType' || name === 'aoiNames')
      return { name, kind: name === 'eventType' ? 'event' : 'names', default: null, meaning: LOOK_NAMES[name] }
    if (name === 'analysis') return { name, kind: 'analysis', default: null, meaning: ANALYSIS_MEANING }
    return { name, ...NUMBER_PARAMETERS[name] }
  })
}

/** Facts of an imaginary study that has every optional column, named `*`. */
const ANY_STUDY: StudyFacts = {
  hasTags: true,
  externalDataNames: ['*'],
  aoiNames: ['*'],
  recording: null,
  eyes: EYE_COLUMN_NAMES,
}
