import { z } from 'zod'
import { EYES } from '../../engine/model/eye-columns.ts'
import { FORMAT_NAMES } from '../../engine/model/format-names.ts'
import {
  ANALYSIS_MEANING,
  CHOICE_PARAMETERS,
  EXTRAS_MEANING,
  FILTER_MEANING,
  isChoice,
  LINE_CHOICES,
  LOOK_NAMES,
  NUMBER_PARAMETERS,
  PARAMETER_NAMES,
  type ParameterName,
  READING_STARTS,
  WINDOW_MAX_MS,
  WINDOW_PARAMETERS,
} from '../../engine/model/parameters.ts'
import { PROJECT_RULE } from '../../engine/model/projects.ts'
import { ANALYSIS_NAME, ANALYSIS_REFERENCE } from '../../engine/model/study-analysis.ts'
import { METHODS_FORMAT_NAMES } from '../../engine/products/methods/print-methods.ts'
import { PACKAGE_FORMATS } from '../../engine/products/package/make-package-plan.ts'
import { PRESET_NAMES } from '../../isomorphic/presets.ts'
import { PAGE_MAX, readCursor } from '../http/query.ts'
import { ImportId } from '../schemas/import.ts'
import { JobId, JobState } from '../schemas/job.ts'
import { LinkId } from '../schemas/link.ts'
import { UploadId } from '../schemas/upload.ts'
import { exportName, Parameters, ProjectName, Uuid } from '../schemas/values.ts'
import { WebhookId } from '../schemas/webhook.ts'
import type { Checked, Json, Parameter } from './parameter.ts'

type Schema = Parameter['schema']

/** Characters of a search. */
const SEARCH_MAX = 200

const inPath = (name: string, schema: Schema, description?: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
})
export const inQuery = (name: string, description: string, schema: Schema, required = false): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
  ...(required ? { required } : {}),
})
export const inHeader = (name: string, description: string, required = false): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
  ...(required ? { required } : {}),
})
/** Returns a parameter with a fixed set of values; the first is the default. */
export const oneOf = (name: string, description: string, values: readonly string[]): Parameter =>
  inQuery(name, description, z.enum(values as [string, ...string[]]).meta({ default: values[0] }))

/** Returns a parameter whose values a schema defines; numbers are converted. */
function checked<const Name extends string, T, Missing>(
  name: Name,
  description: string,
  schema: z.ZodType<T>,
  rule: string,
  otherwise: Missing,
): Checked<Name, T | Missing> {
  const isNumber = schema instanceof z.ZodNumber
  const read = (text: string) => {
    const value = isNumber && /^\d{1,9}$/.test(text) ? Number(text) : text
    return schema.safeParse(value).data ?? null
  }
  return { name, in: 'query', description, schema, rule, otherwise, read }
}

/** Returns a cursor parameter. @param isKey validates the decoded key */
export function cursor(length: number, isKey: (key: string[]) => boolean = () => true) {
  return {
    ...CURSOR,
    rule: 'must be a nextCursor as it came',
    otherwise: undefined,
    read: (text) => {
      const key = readCursor(text, length)
      return key !== null && isKey(key) ? key : null
    },
  } satisfies Checked<'cursor', string[] | undefined>
}

const CURSOR = {
  name: 'cursor',
  in: 'query',
  description: 'Cursor: `nextCursor` of the previous page',
  schema: { type: 'string' },
} as const

export const LIMIT = checked(
  'limit',
  `Largest number of entries: 1 to ${PAGE_MAX} (default)`,
  z.int().min(1).max(PAGE_MAX).meta({ default: PAGE_MAX }),
  `must be a whole number from 1 to ${PAGE_MAX}`,
  PAGE_MAX,
)
export const SEARCHED_TEXT = checked(
  'q',
  'Words that a name contains, in any order and case',
  z.string().max(SEARCH_MAX),
  `must have at most ${SEARCH_MAX} characters`,
  '',
)
export const SEARCH_LIMIT = checked(
  'limit',
  'Largest number of names of each kind: 1 to 50, 8 by default',
  z.int().min(1).max(50).meta({ default: 8 }),
  'must be a whole number from 1 to 50',
  8,
)
export const SEARCHED_STUDY = checked(
  'studyId',
  'Study whose participants are searched, too',
  Uuid,
  'must be a UUID',
  undefined,
)
export const OF_PROJECT = checked(
  'project',
  'Only studies of this project, by its name',
  ProjectName,
  PROJECT_RULE,
  undefined,
)
export const STATE = checked(
  'state',
  'Only jobs in this state',
  JobState,
  `must be one of ${JobState.options.join(', ')}`,
  undefined,
)
export const OF_STUDY = checked('study', 'Only jobs on this study', Uuid, 'must be a UUID', undefined)
const flag = <const Name extends string>(name: Name, description: string) =>
  checked(
    name,
    description,
    z.enum(['true', 'false']).meta({ default: 'false' }),
    'must be true or false',
    'false' as const,
  )
export const PICTURE_RENAMES = flag(
  'rename',
  '`true` changes the extension in the name of the item to that of the picture, if it differs or is missing',
)
export const PICTURE_SIZES = flag(
  'resize',
  '`true` gives an item without a size the size of the picture; the displayed rectangles of its tests are then computed again: whole, as large as their windows allowed',
)
export const LOSSES = checked(
  'losses',
  '`true` adds the samples that were lost on each item; `known` does so only if no samples need to be read for it',
  z.enum(['true', 'known', 'false']).meta({ default: 'false' }),
  'must be true, known or false',
  'false',
)
export const DRY_RUN = checked(
  'dryRun',
  '`true` reports what would change, and changes nothing',
  z.enum(['true', 'false']).meta({ default: 'false' }),
  'must be true or false',
  'false',
)
/** The study again in the query, equal to that of the path; not in the document. */
export const SAME_STUDY: Checked<'studyId', string | undefined> = {
  name: 'studyId',
  in: 'query',
  schema: Uuid,
  rule: "must be the path's study",
  otherwise: undefined,
  read: (text, snapshot) => (text.toLowerCase() === snapshot?.study.id ? text : null),
}

/** Form of the columns of an export. */
export const SCHEMA_FORMAT = checked(
  'format',
  'Table Schema as JSON (default), or SPSS syntax',
  z.enum(['json', 'sps']),
  'must be json or sps',
  'json' as const,
)

function meaningOf(name: ParameterName): string {
  if (name === 'itemId')
    return 'Only this item, in upper or lower case; empty, `NULL` or `null` for all items of the study'
  if (isChoice(name)) return `${CHOICE_PARAMETERS[name].meaning}; \`${CHOICE_PARAMETERS[name].values[0]}\` by default`
  if (name === 'filter') return FILTER_MEANING
  if (name === 'extras') return `${EXTRAS_MEANING}. None by default.`
  if (name === 'fromMs' || name === 'toMs') return WINDOW_PARAMETERS[name]
  if (name === 'analysis') return ANALYSIS_MEANING
  if (name === 'eventType' || name === 'aoiNames') return LOOK_NAMES[name]
  const { meaning, unit, min, max, default: value } = NUMBER_PARAMETERS[name]
  return `${meaning}. From ${min} to ${max} ${unit}; ${value} by default.`
}

function schemaOf(name: ParameterName): Schema {
  if (name === 'preset') return z.enum(PRESET_NAMES).meta({ default: PRESET_NAMES[0] })
  if (name === 'detector') return Parameters.shape.detector
  if (name === 'eye') return z.enum(EYES).meta({ default: EYES[0] })
  if (name === 'extras') return { type: 'string', default: '', examples: ['degrees,microseconds'] }
  if (name === 'readingFrom')
    return z.union([z.enum(READING_STARTS), z.int().min(0).max(WINDOW_MAX_MS)]).meta({ default: READING_STARTS[0] })
  if (name === 'lines') return z.enum(LINE_CHOICES).meta({ default: LINE_CHOICES[0] })
  if (name === 'analysis') return { type: 'string', pattern: ANALYSIS_REFERENCE.source, examples: ['mine'] }
  if (name === 'fromMs' || name === 'toMs') return { type: 'integer', minimum: -WINDOW_MAX_MS, maximum: WINDOW_MAX_MS }
  if (name === 'eventType') return { type: 'string', examples: ['stimulus on'] }
  if (name === 'aoiNames') return { type: 'string', examples: ['Target,Distractor'] }
  if (name === 'filter') return { type: 'string', default: '', examples: ['participant_age BETWEEN 20 AND 29'] }
  if (name === 'itemId') return z.union([Uuid, z.string().regex(/^(NULL|null)?$/)]).meta({ default: 'NULL' })
  return Parameters.shape[name]
}

const SETTINGS = Object.fromEntries(
  PARAMETER_NAMES.map((name) => [name, inQuery(name, meaningOf(name), schemaOf(name))]),
) as Record<ParameterName, Parameter>

/** Values of `output`; the first is the default. */
export const OUTPUTS = ['file', 'parts'] as const

/** Parameters that several operations share, by their key in the document's components. */
export const PARAMETERS = {
  studyId: inPath('studyId', Uuid, 'Id of the study, in upper or lower case'),
  exportName: inPath('export', exportName, 'Name of the export'),
  jobId: inPath('jobId', JobId, 'The job'),
  limit: LIMIT,
  cursor: CURSOR,
  variant: oneOf('variant', 'Export, among those on this path', ['raw', 'normalized', 'mouse']),
  format: oneOf('format', 'Format of the file; every format holds the same rows. If omitted, `Accept` decides', [
    ...FORMAT_NAMES,
  ]),
  output: oneOf(
    'output',
    'One `file`, or `parts`: a job makes several files, each complete by itself, and the answer is that job, which lists them once it has succeeded. Not for XLSX, nor for tables that add up all tests',
    OUTPUTS,
  ),
  exports: {
    ...inQuery(
      'exports',
      'Tables, separated by commas. If omitted, all tables with rows, except `participants-wide`',
      z.array(exportName).min(1).meta({ uniqueItems: true }),
    ),
    explode: false,
  },
  packageFormat: oneOf('format', 'Format of the tables', PACKAGE_FORMATS),
  methodsFormat: oneOf('format', 'Format of the text. If omitted, `Accept` decides', METHODS_FORMAT_NAMES),
  ...SETTINGS,
  ifNoneMatch: inHeader('If-None-Match', 'Entity tags of the client: 304 if one of them is still current'),
  acceptEncoding: inHeader('Accept-Encoding', '`gzip` for a compressed body'),
  prefer: inHeader(
    'Prefer',
    '`respond-async` returns 202 at once unless the file exists; `wait=N` (0 to 60 seconds) sets how long the request waits for the file; `return=manifest` is like `output=parts` for a table of more than `SPLIT_SAMPLES` samples that can have parts. Other preferences are ignored.',
  ),
  range: inHeader('Range', 'One byte range, of a picture or of the uncompressed file'),
  ifRange: inHeader(
    'If-Range',
    'The range applies if this is the tag of the uncompressed file; otherwise the whole file is sent',
  ),
} satisfies Record<string, Parameter>

/** Settings that every export accepts. */
export const ALL_SETTINGS: readonly Parameter[] = Object.values(SETTINGS)

/** Parameters of paths, by their name in the table. */
export const PATH_PARAMETERS: Record<string, Parameter> = {
  studyId: PARAMETERS.studyId,
  exportName: PARAMETERS.exportName,
  jobId: PARAMETERS.jobId,
  part: inPath('part', z.int().min(1), 'Number of the part, from 1'),
  itemId: inPath('itemId', Uuid, 'Id of the item, in upper or lower case'),
  participantId: inPath('participantId', Uuid, 'Id of the participant, in upper or lower case'),
  name: inPath('name', pattern(ANALYSIS_NAME), 'Name of the analysis'),
  linkId: inPath('linkId', LinkId, 'The link'),
  secret: inPath('secret', { type: 'string' }, 'Secret of the link, with `dl-` before it'),
  uploadId: inPath('uploadId', UploadId),
  importId: inPath('importId', ImportId),
  webhookId: inPath('webhookId', WebhookId, 'The webhook'),
}

/** Name of an analysis, with or without a version. */
export const ANALYSIS_AT = inPath('name', pattern(ANALYSIS_REFERENCE), 'Name of the analysis, or `name@version`')

function pattern({ source }: RegExp): Json {
  return { type: 'string', pattern: source }
}

export const IF_MATCH = inHeader('If-Match', 'The ETag of the study as it was read; `*` for any', true)
export const IF_MATCH_PERHAPS = inHeader('If-Match', 'The ETag of the study as it was read')
