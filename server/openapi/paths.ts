import type { ExportEntry } from '../../engine/exports/columns/export-entry.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { FORMATS } from '../../engine/formats/formats.ts'
import { METHODS_FORMAT_NAMES, METHODS_FORMATS } from '../../engine/methods/print-methods.ts'
import { FORMAT_NAMES } from '../../engine/model/format-names.ts'
import {
  ANALYSIS_MEANING,
  DETECTOR_MEANING,
  FILTER_MEANING,
  NUMBER_PARAMETERS,
  PARAMETER_NAMES,
  type ParameterName,
  WINDOW_PARAMETERS,
} from '../../engine/model/parameters.ts'
import { PACKAGE_FORMATS } from '../../engine/package/make-package-plan.ts'
import type { ProblemCode } from '../http/problems.ts'
import { PAGE_MAX } from '../http/query.ts'
import { describeAnalysisPaths } from './analysis-paths.ts'
import { headers, jsonAnswer, type Problems } from './answers.ts'
import { describeImportPaths } from './import-paths.ts'
import type { Json } from './json.ts'
import { describeOperations } from './operation-paths.ts'
import { parameterSchema, ref } from './schemas.ts'
import { describeWebhookPaths } from './webhook-paths.ts'
import { describeWrites } from './write-paths.ts'

/** What any request may meet, what one with a token may, and what one for a study or a job may. */
const OPEN: ProblemCode[] = [
  'bad_request',
  'https_required',
  'method_not_allowed',
  'request_timeout',
  'body_too_large',
  'query_too_long',
  'headers_too_large',
  'internal',
]
const OPEN_QUERY: ProblemCode[] = ['invalid_param', 'too_many_requests', ...OPEN]
const TOKEN: ProblemCode[] = [...OPEN_QUERY, 'unauthorized', 'corrupt', 'other_format', 'store_away']
const NAMED: ProblemCode[] = [...TOKEN, 'not_found']
const EXPORT: ProblemCode[] = [
  ...NAMED,
  'canceled',
  'range_not_satisfiable',
  'too_many_jobs',
  'set_aside',
  'overloaded',
  'queue_away',
  'disk_full',
]
const LIMITS = ['RateLimit', 'RateLimit-Policy']
/** Of what is the same for everybody. */
const FIXED = [...LIMITS, 'Content-Length', 'Content-Encoding?', 'Vary']
const FILE = ['Content-Disposition', 'ETag', 'Vary', 'Link', 'Content-Encoding?', 'Accept-Ranges?']
const SENT = [...FILE, 'Content-Length', 'Repr-Digest']

/** Parameters that several operations share, by the key that they have under components. */
export const PARAMETERS: Record<string, Json> = {
  // Flow and exports take it in the query, too, if it is the same: nothing that a reader needs to know twice.
  studyId: inPath('studyId', 'The study, in any case', ref('Uuid')),
  exportName: inPath('export', 'The kind of CSV', { type: 'string', enum: EXPORTS.map(({ name }) => name) }),
  jobId: inPath('jobId', 'The job', ref('JobId')),
  limit: inQuery('limit', `Largest number of entries: 1 to ${PAGE_MAX} (default)`, {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_MAX,
    default: PAGE_MAX,
  }),
  cursor: inQuery('cursor', 'Cursor: `nextCursor` of the previous page', { type: 'string' }),
  variant: inQuery('variant', 'Which of the exports on this path', {
    type: 'string',
    enum: ['raw', 'normalized', 'mouse'],
    default: 'raw',
  }),
  format: inQuery('format', 'Format of the file; every format holds the same rows. If omitted, `Accept` decides', {
    type: 'string',
    enum: FORMAT_NAMES,
    default: 'csv',
  }),
  exports: {
    ...inQuery('exports', 'The tables, between commas; without it, all that have rows', {
      type: 'array',
      items: { type: 'string', enum: EXPORTS.map(({ name }) => name) },
      minItems: 1,
      uniqueItems: true,
    }),
    explode: false,
  },
  packageFormat: inQuery('format', 'Format of the tables', { type: 'string', enum: PACKAGE_FORMATS, default: 'csv' }),
  methodsFormat: inQuery('format', 'Format of the text. If omitted, `Accept` decides', {
    type: 'string',
    enum: METHODS_FORMAT_NAMES,
    default: 'json',
  }),
  ...Object.fromEntries(PARAMETER_NAMES.map((name) => [name, inQuery(name, meaningOf(name), parameterSchema(name))])),
  ifNoneMatch: inHeader('If-None-Match', 'Tags that the client has: 304 if one of them is still right'),
  acceptEncoding: inHeader('Accept-Encoding', 'With `gzip` the body is compressed'),
  prefer: inHeader(
    'Prefer',
    '`respond-async` answers 202 at once unless the file is there; `wait=N` (0 to 60 seconds) sets how long an answer may wait for its file. Others are ignored.',
  ),
  range: inHeader('Range', 'One range of bytes: of a picture, or of the plain file'),
  ifRange: inHeader('If-Range', 'The range counts if this is the tag of the plain file; else the whole is sent'),
}

function inPath(name: string, description: string, schema: Json): Json {
  return { name, in: 'path', required: true, description, schema }
}

function inQuery(name: string, description: string, schema: Json): Json {
  return { name, in: 'query', description, schema }
}

function inHeader(name: string, description: string): Json {
  return { name, in: 'header', description, schema: { type: 'string' } }
}

function meaningOf(name: ParameterName): string {
  if (name === 'itemId') return 'Only this item, in any case; empty, `NULL` or `null` for all items of the study'
  if (name === 'detector') return `${DETECTOR_MEANING}; \`velocity\` by default`
  if (name === 'filter') return FILTER_MEANING
  if (name === 'fromMs' || name === 'toMs') return WINDOW_PARAMETERS[name]
  if (name === 'analysis') return ANALYSIS_MEANING
  const { meaning, unit, min, max, default: value } = NUMBER_PARAMETERS[name]
  return `${meaning}. From ${min} to ${max} ${unit}; ${value} by default.`
}

const parameters = (...names: string[]): Json[] => names.map((name) => ({ $ref: `#/components/parameters/${name}` }))

/** How a token comes; the first is what pages and clients of ours send. */
export const WITH_TOKEN: Json[] = [{ 'X-AUTH-TOKEN': [] }, { Bearer: [] }]
/** What is read by programs that know no other way. */
const FOR_PROGRAMS = [...WITH_TOKEN, { Basic: [] }]

/** Lists every path below /api2 (docs/http.md). */
export function describePaths(problems: Problems): Record<string, Json> {
  const open = (operation: Json, codes: ProblemCode[]): Json => ({
    ...operation,
    security: [],
    responses: { ...(operation.responses as Json), ...problems.responses(codes) },
  })
  const guarded = (operation: Json, codes: ProblemCode[]): Json => ({
    ...operation,
    responses: { ...(operation.responses as Json), ...problems.responses(codes) },
  })
  const reads: Record<string, Json> = {
    '/studies/{studyId}/flow': { get: guarded(FLOW, NAMED) },
    ...exportPaths((operation, codes) => guarded({ ...operation, security: FOR_PROGRAMS }, codes)),
    '/studies/{studyId}/package': {
      get: guarded({ ...packageOperation(false), security: FOR_PROGRAMS }, EXPORT),
      head: guarded({ ...packageOperation(true), security: FOR_PROGRAMS }, EXPORT.filter(isForHead)),
    },
    '/studies-all/drop-rate': { get: guarded(DROP_RATE, TOKEN) },
    '/studies': { get: guarded(STUDIES, TOKEN) },
    '/studies/{studyId}': { get: guarded(STUDY, NAMED) },
    '/studies/{studyId}/methods': { get: guarded(METHODS, [...NAMED, 'overloaded', 'canceled']) },
    '/studies/{studyId}/items/{itemId}/image': { get: guarded(IMAGE, [...NAMED, 'range_not_satisfiable']) },
    '/jobs': { get: guarded(JOBS, TOKEN) },
    '/jobs/{jobId}': {
      get: guarded({ ...JOB, security: FOR_PROGRAMS }, NAMED),
      delete: guarded(DELETE_JOB, [...NAMED, 'change_token_needed', 'disk_full']),
    },
    '/jobs/{jobId}/events': { get: guarded(EVENTS, NAMED) },
    '/jobs/{jobId}/file': {
      get: guarded({ ...jobFile(false), security: FOR_PROGRAMS }, [
        ...NAMED,
        'not_ready',
        'gone',
        'range_not_satisfiable',
      ]),
      head: guarded({ ...jobFile(true), security: FOR_PROGRAMS }, [...NAMED, 'not_ready', 'gone']),
    },
    ...describeAnalysisPaths((operation) => guarded(operation, [...NAMED, 'overloaded', 'canceled']), parameters),
    ...describeImportPaths(problems),
    ...describeWebhookPaths(problems, TOKEN),
    ...describeOperations(guarded, parameters, LIST_OF_JOBS, NAMED),
    '/exports': { get: open(EXPORT_LIST, OPEN_QUERY) },
    '/exports/{export}/schema': { get: open(SCHEMA, [...OPEN_QUERY, 'not_found']) },
    '/openapi.json': { get: open(OPENAPI, OPEN_QUERY) },
  }
  const paths = { ...reads }
  for (const [path, operations] of Object.entries(describeWrites(guarded, parameters, NAMED)))
    paths[path] = { ...paths[path], ...operations }
  return paths
}

const FLOW = {
  operationId: 'getFlow',
  tags: ['Study data'],
  summary: 'Get the study flow: the ordered steps of a test',
  parameters: parameters('studyId'),
  responses: { 200: jsonAnswer('The flow', 'Flow', ...LIMITS, 'Content-Length') },
}

const DROP_RATE = {
  operationId: 'getDropRates',
  tags: ['Study data'],
  summary: 'List drop rates: participants who started and completed each study',
  responses: {
    200: jsonAnswer('Drop rates of the studies that the token may read', 'DropRates', ...LIMITS, 'Content-Length'),
  },
}

const STUDIES = {
  operationId: 'listStudies',
  tags: ['Study data'],
  summary: 'List the studies that your token may read',
  parameters: parameters('limit', 'cursor'),
  responses: { 200: jsonAnswer('One page', 'StudyPage', ...LIMITS, 'Content-Length') },
}

const STUDY = {
  operationId: 'getStudy',
  tags: ['Study data'],
  summary: 'Get a study with its items, AOIs and counts',
  parameters: parameters('studyId', 'ifNoneMatch'),
  responses: {
    200: jsonAnswer('The study', 'StudyDetails', ...FIXED, 'ETag'),
    304: { description: 'Not modified', headers: headers(...LIMITS, 'ETag') },
  },
}

const METHODS = {
  operationId: 'getMethods',
  tags: ['Study data'],
  summary: 'Describe the methods of a study in words',
  description:
    'A paragraph for a report: participants before and after each exclusion, apparatus, what was measured of the data, fixations with every setting, areas of interest. It claims nothing that is not known, and `toAdd` lists that.',
  parameters: parameters('studyId', 'methodsFormat', ...PARAMETER_NAMES, 'ifNoneMatch'),
  responses: {
    200: {
      description: 'The methods',
      headers: headers(...LIMITS, 'ETag', 'Vary', 'Content-Length'),
      content: {
        [METHODS_FORMATS.json]: { schema: ref('Methods') },
        ...Object.fromEntries(
          [METHODS_FORMATS.text, METHODS_FORMATS.markdown, METHODS_FORMATS.bibtex].map((type) => [
            type,
            { schema: { type: 'string' } },
          ]),
        ),
      },
    },
    304: { description: 'Not modified: the client has this version', headers: headers(...LIMITS, 'ETag', 'Vary') },
  },
}

const IMAGE_TYPES = ['image/svg+xml', 'image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']
const IMAGE_CONTENT = Object.fromEntries(IMAGE_TYPES.map((type) => [type, {}]))
const IMAGE = {
  operationId: 'getItemImage',
  tags: ['Study data'],
  summary: 'Get the picture of an item',
  parameters: [
    ...parameters('studyId', 'ifNoneMatch', 'range', 'ifRange'),
    inPath('itemId', 'The item, in any case', ref('Uuid')),
  ],
  responses: {
    200: {
      description: 'The picture as it was imported; an SVG may not run scripts or load anything',
      headers: headers(...LIMITS, 'ETag', 'Content-Length', 'Accept-Ranges'),
      content: IMAGE_CONTENT,
    },
    206: {
      description: 'The requested range',
      headers: headers(...LIMITS, 'ETag', 'Content-Length', 'Accept-Ranges', 'Content-Range'),
      content: IMAGE_CONTENT,
    },
    304: { description: 'Not modified: the client has this version', headers: headers(...LIMITS, 'ETag') },
  },
}

const LIST_OF_JOBS = [
  inQuery('state', 'Only those in this state', ref('JobState')),
  inQuery('study', 'Only those on this study', ref('Uuid')),
  ...parameters('limit', 'cursor'),
]

const JOBS = {
  operationId: 'listJobs',
  tags: ['Jobs'],
  summary: 'List jobs on studies that your token may read, newest first',
  parameters: LIST_OF_JOBS,
  responses: { 200: jsonAnswer('One page', 'JobPage', ...LIMITS, 'Content-Length') },
}

const JOB = {
  operationId: 'getJob',
  tags: ['Jobs'],
  summary: 'Get a job',
  parameters: parameters('jobId', 'ifNoneMatch'),
  responses: {
    200: jsonAnswer(
      'The job; with Retry-After until it ends',
      'Job',
      ...LIMITS,
      'ETag',
      'Retry-After?',
      'Content-Length',
    ),
    304: { description: 'Not modified', headers: headers(...LIMITS, 'ETag', 'Retry-After?') },
  },
}

const DELETE_JOB = {
  operationId: 'withdrawJob',
  tags: ['Jobs'],
  summary: "Withdraw your token's interest in a job",
  description:
    'The work stops, or the file goes, once nobody is interested any more; an `ops` token ends it for everybody. The job can still be asked for, as `canceled` or `expired`, for a week.',
  parameters: parameters('jobId'),
  responses: { 204: { description: 'Withdrawn', headers: headers(...LIMITS) } },
}

const EVENTS = {
  operationId: 'followJob',
  tags: ['Jobs'],
  summary: "Stream a job's progress (server-sent events)",
  description:
    'The job as it is, then after each change (at most two a second), as `data:` lines of JSON; a comment every 15 seconds; at last the event `end` with the job as it ended.',
  parameters: parameters('jobId'),
  responses: {
    200: {
      description: 'Events until the job ends',
      headers: headers(...LIMITS),
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    204: { description: 'The job has ended', headers: headers(...LIMITS) },
  },
}

function jobFile(isHead: boolean): Json {
  const content = { ...FILE_CONTENT, ...ZIP_CONTENT }
  return {
    operationId: isHead ? 'headJobFile' : 'getJobFile',
    tags: ['Jobs'],
    summary: isHead ? "Get the headers of a job's file" : "Download a job's file",
    parameters: parameters('jobId', 'acceptEncoding', 'ifNoneMatch', ...(isHead ? [] : ['range', 'ifRange'])),
    responses: {
      200: fileAnswer('The file', SENT, isHead ? null : content),
      ...(isHead ? {} : { 206: fileAnswer('A range of the plain file', [...SENT, 'Content-Range'], content) }),
      304: NOT_MODIFIED,
    },
  }
}

const EXPORT_LIST = {
  operationId: 'listExports',
  tags: ['Catalog'],
  summary: 'List exports, their parameters and formats',
  responses: { 200: jsonAnswer('All exports', 'ExportList', ...FIXED) },
}

const SCHEMA = {
  operationId: 'getExportSchema',
  tags: ['Catalog'],
  summary: 'Get the Table Schema of an export',
  parameters: parameters('exportName'),
  responses: { 200: jsonAnswer('Columns, in order', 'TableSchema', ...FIXED) },
}

const OPENAPI = {
  operationId: 'getOpenApi',
  tags: ['Catalog'],
  summary: 'Get this document',
  responses: {
    200: {
      description: 'OpenAPI 3.1',
      headers: headers(...FIXED),
      content: {
        'application/json': {
          schema: { type: 'object', required: ['openapi', 'info', 'paths'], additionalProperties: true },
        },
      },
    },
  },
}

const NOT_MODIFIED = {
  description: 'Not modified: the client has this version',
  headers: headers(...LIMITS, 'ETag', 'Vary'),
}
const EXPORT_NOT_MODIFIED = { ...NOT_MODIFIED, headers: headers(...LIMITS, 'ETag', 'Vary', 'X-Snapshot') }

/** Text has a schema; what is binary has none, as OpenAPI 3.1 says it. */
const FILE_CONTENT = Object.fromEntries(
  FORMATS.map(({ name, mediaTypes }) => [
    mediaTypes[0],
    name === 'csv' || name === 'ndjson' ? { schema: { type: 'string' } } : {},
  ]),
)

const ZIP_CONTENT = { 'application/zip': {} }

/** @param content null for that of a HEAD */
function fileAnswer(description: string, names: string[], content: Json | null): Json {
  const answer = { description, headers: headers(...LIMITS, ...names) }
  return content === null ? answer : { ...answer, content }
}

const isForHead = (code: ProblemCode) => code !== 'range_not_satisfiable'

function exportPaths(guarded: (operation: Json, codes: ProblemCode[]) => Json): Record<string, Json> {
  const paths = [...new Set(EXPORTS.map(({ path }) => path))]
  return Object.fromEntries(
    paths.map((path) => {
      const entries = EXPORTS.filter((entry) => entry.path === path)
      return [
        `/studies/{studyId}/collected-data/${path}`,
        {
          get: guarded(exportOperation(entries, false), EXPORT),
          head: guarded(exportOperation(entries, true), EXPORT.filter(isForHead)),
        },
      ]
    }),
  )
}

function exportOperation(entries: ExportEntry[], isHead: boolean): Json {
  const isShared = entries.length > 1
  const name = isShared ? 'gazes' : entries[0].name
  const id = name.replace(/(^|-)([a-z])/g, (_all, _before, letter: string) => letter.toUpperCase())
  const titles = entries.map(({ title }) => title).join('; ')
  return {
    operationId: isHead ? `head${id}` : `export${id}`,
    tags: [entries[0].path.startsWith('eye-tracking/') ? 'Eye-tracking exports' : 'Keyboard and mouse exports'],
    summary: isHead ? `The headers of: ${titles}` : titles,
    description: isHead
      ? 'Computes and queues nothing: length and digest are there once the file is, and while the answer is in the cache.'
      : entries.map((entry) => describeExport(entry, isShared)).join('\n\n'),
    parameters: parameters(
      'studyId',
      ...(isShared ? ['variant'] : []),
      'format',
      ...PARAMETER_NAMES,
      'ifNoneMatch',
      'acceptEncoding',
      ...(isHead ? [] : ['prefer', 'range', 'ifRange']),
    ),
    responses: exportAnswers(rowsOf(entries), FILE_CONTENT, isHead),
  }
}

/** Describes the answers of a path that computes a file, or has a job make it. */
function exportAnswers(about: string, content: Json, isHead: boolean): Json {
  if (isHead)
    return {
      200: fileAnswer('Headers only', [...FILE, 'X-Snapshot', 'Content-Length?', 'Repr-Digest?'], null),
      304: EXPORT_NOT_MODIFIED,
    }
  return {
    200: fileAnswer(about, [...SENT, 'X-Snapshot', 'Preference-Applied?'], content),
    202: jsonAnswer(
      'It takes longer: the job will make the file',
      'Job',
      ...LIMITS,
      'Location',
      'Retry-After',
      'X-Snapshot',
      'Preference-Applied?',
      'Content-Length',
    ),
    206: fileAnswer(
      'A range of the plain file',
      [...SENT, 'X-Snapshot', 'Content-Range', 'Preference-Applied?'],
      content,
    ),
    304: EXPORT_NOT_MODIFIED,
  }
}

function packageOperation(isHead: boolean): Json {
  return {
    operationId: isHead ? 'headPackage' : 'exportPackage',
    tags: ['Packages'],
    summary: isHead ? 'Get the headers of a package' : 'Export several tables as one ZIP file, with metadata',
    description: isHead
      ? 'Computes and queues nothing: length and digest are there once the file is.'
      : 'Always made by a job. Tables lie in `data/`; `datapackage.json` (Data Package 2.0), `ro-crate-metadata.json` (RO-Crate 1.3), `croissant.json` (Croissant 1.1) and `CITATION.cff` tell of version, settings, snapshot, columns and digests; `methods.md` has the methods in words.',
    parameters: parameters(
      'studyId',
      'exports',
      'packageFormat',
      ...PARAMETER_NAMES,
      'ifNoneMatch',
      ...(isHead ? [] : ['prefer', 'range', 'ifRange']),
    ),
    responses: exportAnswers('The package', ZIP_CONTENT, isHead),
  }
}

function describeExport({ name, title, variant, listed, columns }: ExportEntry, isShared: boolean): string {
  const which = isShared ? `\`variant=${variant}\` — ${title}. ` : ''
  const echoed = listed.length > 0 ? ` Its \`notes\` echo ${listed.map((each) => `\`${each}\``).join(', ')}.` : ''
  const names = columns.map((column) => `\`${column.name}\``).join(', ')
  return `${which}Columns, in order ([what they mean](/api2/exports/${name}/schema)): ${names}.${echoed}`
}

function rowsOf(entries: ExportEntry[]): string {
  const rows = entries.map(({ variant, rowPer }) => (variant === null ? rowPer : `${rowPer} (\`${variant}\`)`))
  return `A row per ${rows.join(', ')}`
}
