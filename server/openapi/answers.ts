import { PROBLEMS, type ProblemCode, ProblemError, problemBody } from '../http/problems.ts'
import type { Json } from '../routes/parameter.ts'
import { ref } from './schemas.ts'

const header = (description: string, schema: Json = { type: 'string' }): Json => ({ description, schema })
const patterned = (description: string, pattern: string): Json => header(description, { type: 'string', pattern })
const exactly = (value: string): Json => ({ type: 'string', const: value })

/** Headers of answers, by name, without the security headers that every answer has (helmet). */
export const HEADERS: Record<string, Json> = {
  'X-Request-Id': header('The id of this request, which is also in the log', { type: 'string', format: 'uuid' }),
  RateLimit: header('Requests left for this token, and the seconds until the window ends'),
  'RateLimit-Policy': header('Requests allowed per token, and the length of the window in seconds'),
  'Cache-Control': header('Cache policy: who may store the response, and when to revalidate it'),
  'Retry-After': header('Seconds after which to retry', { type: 'integer', minimum: 1 }),
  'WWW-Authenticate': header('Means of authentication'),
  Allow: header('Methods that this path accepts'),
  'Content-Length': header('Bytes of the body', { type: 'integer', minimum: 0 }),
  'Content-Encoding': header('gzip (one member), if the client accepts it', exactly('gzip')),
  'Content-Disposition': patterned(
    '`study-<slug of the name>-<study id>-<export>.csv`, or the extension of another format',
    '^attachment; filename="study-[a-z0-9-]*-[0-9a-f-]{36}-[a-z-]+(-\\d+-of-\\d+)?\\.(csv|ndjson|arrow|parquet|xlsx|semicolon\\.csv|zip)"$',
  ),
  'Content-Range': patterned('Range and length of the file, bytes', '^bytes (\\d+-\\d+|\\*)/\\d+$'),
  'Accept-Ranges': header('Byte ranges are supported', exactly('bytes')),
  ETag: patterned('Strong validator: equal tags mean equal bytes', '^"[!-~]+"$'),
  Vary: header('Request headers that select the response', {
    type: 'string',
    enum: ['Accept, Accept-Encoding', 'Accept-Encoding', 'Accept'],
  }),
  'Repr-Digest': patterned(
    'SHA-256 of the whole file in its content coding (RFC 9530)',
    '^sha-256=:[A-Za-z0-9+/]{43}=:$',
  ),
  Link: patterned(
    "The export's Table Schema; of a package, the list of exports",
    '^</api2/exports(/[a-z-]+/schema)?>; rel="describedby"$',
  ),
  'X-Snapshot': patterned('Snapshot of the study that the file was computed from', '^[0-9a-f]{64}$'),
  Location: header('Address of the created resource', { type: 'string', format: 'uri-reference' }),
  'Tus-Resumable': header('The version of tus', exactly('1.0.0')),
  'Upload-Offset': header('Bytes received so far', { type: 'integer', minimum: 0 }),
  'Upload-Length': header('The length of the upload, bytes', { type: 'integer', minimum: 0 }),
  'Upload-Metadata': header('Metadata of the upload'),
  'Upload-Expires': header('Expiry of an unfinished upload'),
  'Preference-Applied': header('Preferences that were honoured'),
}

/** Returns the named headers of an answer; a name with `?` is optional. */
export function headers(...names: string[]): Json {
  return Object.fromEntries(
    ['X-Request-Id', 'Cache-Control', ...names].map((name) => {
      const isOptional = name.endsWith('?')
      const known = isOptional ? name.slice(0, -1) : name
      return [known, isOptional ? { $ref: `#/components/headers/${known}` } : { ...HEADERS[known], required: true }]
    }),
  )
}

const ALWAYS_TOO: Partial<Record<number, string[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
  507: ['Retry-After'],
}
/** Problems that can occur before the requests of a token are counted. */
const UNCOUNTED = [401, 408, 414, 431]

export type ProblemAnswers = { responses: (codes: ProblemCode[]) => Json; components: Record<string, Json> }

/** Builds the answers that are problems; each distinct set of problems is one component. */
export function collectProblems(): ProblemAnswers {
  const components: Record<string, Json> = {}
  const responses = (codes: ProblemCode[]) => {
    const refs = [...new Set(codes.map((code) => PROBLEMS[code].status))].map((status) => {
      const own = codes.filter((code) => PROBLEMS[code].status === status)
      const name = own.map(pascalCase).join('Or')
      components[name] ??= problemAnswer(status, own)
      return [status, { $ref: `#/components/responses/${name}` }]
    })
    return Object.fromEntries(refs)
  }
  return { components, responses }
}

function problemAnswer(status: number, codes: ProblemCode[]): Json {
  const kinds = codes.map((code) => ({ code, ...PROBLEMS[code] }))
  const retry = status === 409 && kinds.every(({ retryAfter }) => retryAfter !== undefined) ? ['Retry-After'] : []
  const limits = UNCOUNTED.includes(status) ? [] : ['RateLimit?', 'RateLimit-Policy?']
  const examples = kinds.map(({ code, slug, title }) => [
    slug,
    { summary: title, value: { ...problemBody(new ProblemError(code, exampleOf(code))), instance: EXAMPLE_ID } },
  ])
  return {
    description: kinds.map(({ slug, title, meaning }) => `[${title}](/docs/problems/${slug}). ${meaning}`).join('\n\n'),
    headers: headers('Content-Length', ...(ALWAYS_TOO[status] ?? []), ...retry, ...limits),
    content: { 'application/problem+json': { schema: ref('Problem'), examples: Object.fromEntries(examples) } },
  }
}

const EXAMPLE_ID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'

function exampleOf(code: ProblemCode) {
  if (code !== 'invalid_param') return {}
  const rule = 'must be a whole number from 20 to 1000'
  const parameter = 'movingMedianRangeMs'
  return { detail: `${parameter} ${rule}, got "10"`, faults: [{ parameter, rule, value: '10' }] }
}

function pascalCase(code: string): string {
  return code.replace(/(^|_)([a-z])/g, (_all, _before, letter: string) => letter.toUpperCase())
}
