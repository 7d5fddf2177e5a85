import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { type BundleProblem, type ErrorCode, type Fault, ServiceError } from '../../engine/model/errors.ts'
import { isDiskFull, isReadOnly, isShortage } from '../../engine/model/system-errors.ts'
import type { ProblemBody } from '../schemas/problem.ts'
import { loudJson } from './loud-json.ts'
import { nearPath } from './near-path.ts'
import { requestIdOf } from './request-log.ts'

/** Codes of problems of requests; the engine has codes of its own. */
type RequestCode =
  | 'unauthorized'
  | 'https_required'
  | 'bound_reached'
  | 'invalid_body'
  | 'precondition_needed'
  | 'unsupported_type'
  | 'change_token_needed'
  | 'method_not_allowed'
  | 'bad_request'
  | 'not_ready'
  | 'range_not_satisfiable'
  | 'too_many_requests'
  | 'too_many_jobs'
  | 'body_too_large'
  | 'query_too_long'
  | 'invalid_upload'
  | 'unreadable_files'
  | 'upload_conflict'
  | 'upload_too_large'
  | 'too_many_uploads'
  | 'headers_too_large'
  | 'request_timeout'
  | 'internal'

/** A kind of problem; `slug` is its stable page under /docs/problems/. */
export type ProblemKind = {
  status: number
  slug: string
  title: string
  /**
   * Default detail, unless something more precise is known. Never the text of an error, which may contain paths or SQL.
   */
  detail: string
  meaning: string
  advice: string
  /** Seconds after which a retry makes sense. */
  retryAfter?: number
}

const INTERNAL: ProblemKind = {
  status: 500,
  slug: 'internal-error',
  title: 'Internal error',
  detail: 'Gazette failed to answer this request. The log has the cause under the id in `instance`.',
  meaning: 'An unexpected error happened inside Gazette.',
  advice: 'Try again. If it persists, give the operator the id in `instance`: the log has the cause under it.',
}

/** All problems. Codes that should never reach HTTP are internal errors if they do. */
export const PROBLEMS: Record<ErrorCode | RequestCode, ProblemKind> = {
  invalid_param: {
    status: 400,
    slug: 'invalid-parameter',
    title: 'Invalid parameter',
    detail: 'A parameter breaks its rule; `errors` lists every one that does.',
    meaning:
      'At least one query parameter is unknown, given twice, malformed or out of its range. Nothing was computed.',
    advice:
      'Read `errors`: each entry names the parameter, the rule it broke, the value and, for a misspelt name, the nearest one that exists. Gazette never clamps or ignores a setting, since a setting that is silently ignored is a wrong result.',
  },
  invalid_body: {
    status: 400,
    slug: 'invalid-data',
    title: 'Invalid data',
    detail: 'The data breaks rules; `errors` lists the first hundred.',
    meaning:
      'The body is incomplete, not valid JSON, or breaks the rules of a study bundle. Nothing from it was stored, and the study is unchanged.',
    advice:
      'Read `errors`: each entry names the place in the body, such as `tests[0].samples.t_ms[17]`, the rule it broke and the value. docs/live.md and docs/bundle.md have all the rules.',
  },
  bad_request: {
    status: 400,
    slug: 'malformed-request',
    title: 'Malformed request',
    detail: 'The request is malformed, for example by a broken % escape in its path.',
    meaning: 'The request is not valid HTTP, or its path has a broken % escape.',
    advice: 'Check the address: every % must be followed by two hexadecimal digits.',
  },
  invalid_upload: {
    status: 400,
    slug: 'invalid-upload',
    title: 'Not a tus request',
    detail: 'The request does not follow tus 1.0.',
    meaning: 'Uploads are sent by the protocol tus 1.0; a header of it is missing or malformed.',
    advice:
      'Use a tus client, or see docs/live.md for the requests: Tus-Resumable, Upload-Length on POST, Upload-Offset and Content-Type: application/offset+octet-stream on PATCH.',
  },
  unauthorized: {
    status: 401,
    slug: 'unauthorized',
    title: 'Valid token required',
    detail: 'The request carries no valid token: send it as X-AUTH-TOKEN: TOKEN, or as Authorization: Bearer TOKEN.',
    meaning: 'The token is missing, malformed, unknown, expired or revoked; the answer is the same for each.',
    advice:
      'Send the token in the header X-AUTH-TOKEN, or as Authorization: Bearer. For reading, HTTP Basic takes it, too, as the password with any name. Pages under /ops need an ops token. `gazette token create` makes a new one.',
  },
  https_required: {
    status: 403,
    slug: 'https-required',
    title: 'HTTPS required',
    detail: 'The request came over plain HTTP.',
    meaning:
      'The request reached Gazette, or the proxy before it, over plain HTTP, so that its token could be read on the way.',
    advice: 'Use the https:// address. Revoke a token that was sent over plain HTTP, and create a new one.',
  },
  forbidden: {
    status: 403,
    slug: 'forbidden',
    title: 'Not permitted for this token',
    detail: "The token's role does not allow this.",
    meaning:
      'The token is valid, but its role is not sufficient: `read` reads, `write` also changes studies, `ops` does everything, and `collect` sends participants of one study and reads nothing.',
    advice: 'Use a token with a higher role: `gazette token create --role write` creates one.',
  },
  bound_reached: {
    status: 403,
    slug: 'bound-reached',
    title: 'Quota of this token reached',
    detail: 'This token has reached its quota of studies, participants or bytes.',
    meaning:
      'TOKEN_MAX_STUDIES, TOKEN_MAX_PARTICIPANTS and TOKEN_MAX_GIB limit what a token may create, so that a stolen token cannot fill the disk.',
    advice: 'Use a new token (`gazette token create`), or ask the operator to raise the limits.',
  },
  change_token_needed: {
    status: 403,
    slug: 'change-token-needed',
    title: 'Change token missing',
    detail: "A request that changes something in a session needs the session's change token in X-Change-Token.",
    meaning:
      'The request came with the cookie of a session and would change something, but without the change token of that session, so another site may have made the browser send it.',
    advice:
      'Send `changeToken` of GET /api2/session as the header X-Change-Token, or use X-AUTH-TOKEN in place of the cookie. In the dashboard, reload the page.',
  },
  not_found: {
    status: 404,
    slug: 'not-found',
    title: 'Not found',
    detail: 'The resource does not exist, or this token may not read it.',
    meaning:
      'The path, study, export or job does not exist, or the token may not read it; the answer is the same for both.',
    advice: 'Check the spelling of the path and the id. GET /api2/studies lists the studies that the token may read.',
  },
  method_not_allowed: {
    status: 405,
    slug: 'method-not-allowed',
    title: 'Method not allowed',
    detail: 'This path does not accept this method; the header Allow lists those that it accepts.',
    meaning: 'The path exists, but not for this method.',
    advice: 'Use one of the methods in the header Allow.',
  },
  request_timeout: {
    status: 408,
    slug: 'request-timeout',
    title: 'Request timed out',
    detail: 'The request did not arrive in time.',
    meaning: 'The request line, headers or body came too slowly.',
    advice: 'Try again.',
  },
  not_ready: {
    status: 409,
    slug: 'not-ready',
    title: 'File not ready',
    detail: 'The job has not ended yet.',
    meaning: 'The job is still queued or running, so there is no file yet.',
    advice: 'Poll the job until its state is `succeeded`, not more often than Retry-After says.',
    retryAfter: 2,
  },
  conflict: {
    status: 409,
    slug: 'conflict',
    title: 'Conflict with the current state',
    detail: 'What is there now does not allow this.',
    meaning:
      'The study, the participant, one of its tests or the name of a picture already exists; the last change cannot be undone, or the job cannot be retried; or the Idempotency-Key was used before with another body. `detail` says which. Nothing was changed.',
    advice:
      'If this is a retry of a request that got no answer, it has succeeded; send retries with the same Idempotency-Key and the same body to get the first answer again. Otherwise use a new id, or a new key. Of an undo, GET the history of the study: `undoable` is what can be undone now.',
  },
  moved_on: {
    status: 412,
    slug: 'changed-meanwhile',
    title: 'Study changed in the meantime',
    detail: 'The study, or its analysis, is no longer at the version that If-Match names.',
    meaning: 'Somebody has changed the study, or added to it, since the client read it. Nothing was changed.',
    advice: 'GET the study again, look at what has changed, and send the request with its new ETag in If-Match.',
  },
  precondition_needed: {
    status: 428,
    slug: 'precondition-needed',
    title: 'If-Match required',
    detail: 'To change a study, send If-Match with the ETag of GET /api2/studies/{studyId}.',
    meaning: 'Without If-Match, the request could overwrite another change unnoticed.',
    advice: 'Send the ETag of GET /api2/studies/{studyId} in If-Match; `*` matches any version.',
  },
  unsupported_type: {
    status: 415,
    slug: 'unsupported-type',
    title: 'Unsupported media type',
    detail: 'This path does not accept the Content-Type or Content-Encoding of the body.',
    meaning: 'The path accepts other types of bodies, or the encoding of the body is not gzip.',
    advice:
      'Send the Content-Type that /docs names for the path: application/json or application/x-ndjson for data, image/png, image/jpeg, image/webp or image/svg+xml for pictures.',
  },
  gone: {
    status: 410,
    slug: 'gone',
    title: 'File no longer available',
    detail: 'The job ended without a file, or its file has expired.',
    meaning:
      'The job failed, was canceled, or its file has expired; or participants, or all of its study, were deleted after it was requested.',
    advice: 'Request the export again: it is computed anew, from the study as it is now.',
  },
  upload_conflict: {
    status: 409,
    slug: 'upload-conflict',
    title: 'Upload offset mismatch',
    detail: 'Upload-Offset differs from the bytes received so far; get the current offset with HEAD.',
    meaning: 'The request does not continue where the received bytes end.',
    advice: 'Send HEAD to the upload, and continue at the Upload-Offset of its answer.',
    retryAfter: 1,
  },
  upload_too_large: {
    status: 413,
    slug: 'upload-too-large',
    title: 'Upload too large',
    detail: 'The upload exceeds its declared length or the allowed size.',
    meaning: 'The setting UPLOADS_MAX_GIB limits uploads, and an upload may have no more bytes than its Upload-Length.',
    advice: 'Send less at once or compress it (zip, tar.gz), or ask the operator to raise the limit.',
  },
  canceled: {
    status: 410,
    slug: 'canceled',
    title: 'Export canceled',
    detail: 'The job was canceled before it ended.',
    meaning: 'Every client that requested this export withdrew its request, or an operator canceled the job.',
    advice: 'Request the export again: it is computed anew.',
  },
  body_too_large: {
    status: 413,
    slug: 'body-too-large',
    title: 'Request body too large',
    detail: 'The request body exceeds the limit of this path.',
    meaning:
      'The body, compressed or uncompressed, is larger than the path accepts; the rest was not read. Paths that need no body accept none.',
    advice:
      'Send parameters in the query string. Send each participant in a request of its own; the operator can raise PARTICIPANT_MAX_MIB.',
  },
  query_too_long: {
    status: 414,
    slug: 'query-too-long',
    title: 'Query too long',
    detail: 'The query string is longer than 8192 characters.',
    meaning: 'The part of the address after the question mark is longer than Gazette accepts.',
    advice:
      'Give each parameter once; no meaningful query has more than a few hundred characters, apart from its filter.',
  },
  range_not_satisfiable: {
    status: 416,
    slug: 'range-not-satisfiable',
    title: 'Range not satisfiable',
    detail: 'The range begins beyond the end of the file; Content-Range gives its length.',
    meaning: 'The header Range requests bytes beyond the end of the file.',
    advice: 'If you resume a download, you have all of it: compare its SHA-256 with Repr-Digest.',
  },
  too_many_requests: {
    status: 429,
    slug: 'too-many-requests',
    title: 'Too many requests',
    detail: 'Too many requests in a minute.',
    meaning:
      'The token made more requests in a minute than it may, or too many requests without a token, or without a valid one, came from this address; or it sends large descriptions of studies, or AOIs, faster than they are validated.',
    advice: 'Wait as long as Retry-After says. To follow a job, use its events instead of polling.',
  },
  too_many_jobs: {
    status: 429,
    slug: 'too-many-jobs',
    title: 'Too many open jobs',
    detail: 'This token has reached its limit of unfinished jobs.',
    meaning: 'The token has as many unfinished jobs as it may have.',
    advice: 'Wait until some end, or delete those that you no longer need (DELETE /api2/jobs/{id}).',
    retryAfter: 30,
  },
  too_many_uploads: {
    status: 429,
    slug: 'too-many-uploads',
    title: 'Too many uploads',
    detail: 'This token has reached its limit of uploads or of uploaded bytes.',
    meaning: 'UPLOADS_PER_TOKEN and UPLOADS_MAX_GIB limit the uploads of a token that are not imported yet.',
    advice: 'Import the existing uploads, delete them (GET, DELETE /api2/uploads), or wait until they expire.',
    retryAfter: 60,
  },
  headers_too_large: {
    status: 431,
    slug: 'headers-too-large',
    title: 'Request headers too large',
    detail: 'The request line and headers are too large.',
    meaning: 'The request line and headers together are larger than 16 KiB.',
    advice: 'Send fewer headers and shorter parameters.',
  },
  internal: INTERNAL,
  invalid_bundle: {
    status: 422,
    slug: 'invalid-study-data',
    title: 'Invalid study data',
    detail: 'The data breaks the rules of a study bundle; `problems` lists the first 100 violations.',
    meaning: 'A study, its participants, tests or samples break the rules in docs/bundle.md. Nothing was published.',
    advice:
      'Read `problems`: each names file, line, column, value and the rule. Correct all of them and send the data again.',
  },
  exists: {
    status: 409,
    slug: 'exists',
    title: 'Study already exists',
    detail: 'A study with this id already exists and has different contents.',
    meaning: 'The id of the new study belongs to an existing study with other data. Gazette does not replace it.',
    advice: 'Add to the study (POST /api2/studies/{id}/imports), give the new one another id, or delete the old one.',
    retryAfter: 60,
  },
  unreadable_files: {
    status: 422,
    slug: 'unreadable-files',
    title: 'Files cannot be imported',
    detail: 'The files have no known format, or lack facts that cannot be guessed.',
    meaning:
      'The files are neither a study bundle nor recordings in a known format, or need more information: a mapping, the size of the screen, the format. Nothing was published.',
    advice:
      'Read the detail; docs/formats.md says what each format needs. The options of `gazette import` are fields of the request here: `--screen 800x600` is `"screen": {"widthPx": 800, "heightPx": 600}`.',
  },
  format_limit: {
    status: 422,
    slug: 'format-limit',
    title: 'Table too large for the format',
    detail: 'The table is larger than a file of this format can be.',
    meaning:
      'A worksheet of XLSX holds 1,048,575 rows besides its header and 16,384 columns, and a cell 32,767 characters. Nothing is cut to fit.',
    advice: 'Choose another format, or export one item, or fewer tests by a filter.',
  },
  invalid_setting: INTERNAL,
  usage: INTERNAL,
  too_large: INTERNAL,
  corrupt: {
    status: 500,
    slug: 'damaged-data',
    title: 'Stored data is damaged',
    detail: 'Stored data differs from what was written, so it was neither used nor sent.',
    meaning:
      'Gazette compares stored data with the checksums from when it was written; here they differ, and a wrong file would be worse than none.',
    advice:
      'Request the export again: if only its file was damaged, it is computed anew. If that fails too, the operator should run `gazette check`, then import the study again.',
  },
  other_format: {
    status: 501,
    slug: 'other-format',
    title: 'Stored by another version',
    detail: 'The stored data has a format that this version of Gazette does not read.',
    meaning:
      'Another version of Gazette stored the data, in a format that this one does not read. The data is not damaged, and was left unchanged.',
    advice:
      'Read the detail. The operator imports the bundle again, or reads it with the version that stored it: docs/operations.md, "Upgrading and downgrading".',
  },
  set_aside: {
    status: 500,
    slug: 'set-aside',
    title: 'Set aside',
    detail:
      'This job ended its worker repeatedly, and also a process that ran it alone, so it is set aside for an hour.',
    meaning:
      'A job that crashes its worker, for example for lack of memory, would crash the next one, too. After JOB_DEATHS_MAX deaths it runs alone; if that process ends by a fault of its own, the job is set aside, and other jobs continue.',
    advice:
      'Request an export of one item, or with a filter: it is smaller and may succeed. After an hour, a request tries this job again; DELETE of the job makes the next request start anew. The log and /ops/queues tell the operator why it ended, and "Try again" on the Operations page starts it at once.',
  },
  busy: {
    status: 503,
    slug: 'busy',
    title: 'Busy',
    detail: 'Another change to this study is in progress.',
    meaning: 'An import or a removal holds the lock that this request needs.',
    advice: 'Try again after Retry-After.',
    retryAfter: 5,
  },
  overloaded: {
    status: 503,
    slug: 'overloaded',
    title: 'Overloaded',
    detail: 'Too many exports are being computed right now.',
    meaning:
      'All slots for immediate exports are taken and their queue is full, or the memory for answers in progress is used up.',
    advice: 'Try again after Retry-After, or send `Prefer: respond-async` to put the export into the queue.',
    retryAfter: 2,
  },
  queue_away: {
    status: 503,
    slug: 'queue-away',
    title: 'Queue unavailable',
    detail: 'The queue cannot be reached, so no new job was started.',
    meaning:
      'Large exports need the queue, and it does not answer. Small exports, downloads and finished jobs still work.',
    advice: 'Try again after Retry-After. The operator should check the queue that QUEUE_URL names.',
    retryAfter: 5,
  },
  store_away: {
    status: 503,
    slug: 'store-away',
    title: 'Store unavailable',
    detail: 'The object store of studies and jobs cannot be reached.',
    meaning:
      'Studies and jobs are in an object store that does not answer or is too busy, or on a disk that has become read-only. No job is lost.',
    advice:
      'Try again after Retry-After. The operator should check the store that STORE_URL names, or the disk of DATA_DIR.',
    retryAfter: 5,
  },
  disk_full: {
    status: 507,
    slug: 'disk-full',
    title: 'Disk full',
    detail: 'Not enough free disk space for another file.',
    meaning: 'The disk that holds the exports is full or nearly so.',
    advice: 'Delete exports that you no longer need (DELETE /api2/jobs/{id}), or ask the operator for more space.',
    retryAfter: 60,
  },
}

export type ProblemCode = keyof typeof PROBLEMS

/**
 * The problem of one request. `detail` is written for the user, so it contains no path, SQL or text of a foreign error.
 */
export class ProblemError extends Error {
  readonly code: ProblemCode
  readonly headers: Record<string, string>
  readonly faults: Fault[]
  readonly problems: BundleProblem[]
  constructor(
    code: ProblemCode,
    details: {
      detail?: string
      headers?: Record<string, string>
      faults?: Fault[]
      problems?: BundleProblem[]
      cause?: unknown
    } = {},
  ) {
    super(details.detail ?? PROBLEMS[code].detail, { cause: details.cause })
    this.name = 'ProblemError'
    this.code = code
    this.headers = details.headers ?? {}
    this.faults = details.faults ?? []
    this.problems = details.problems ?? []
  }
}

/**
 * Returns the body of a problem.
 *
 * @param instance the request's id; none inside a job, which is the same for all clients
 */
export function problemBody(problem: ProblemError, instance?: string): ProblemBody {
  const { slug, title, status } = PROBLEMS[problem.code]
  return {
    type: `/docs/problems/${slug}`,
    title,
    status,
    detail: problem.message,
    ...(instance === undefined ? {} : { instance }),
    ...(problem.faults.length > 0 ? { errors: problem.faults } : {}),
    ...(problem.problems.length > 0 ? { problems: problem.problems } : {}),
  }
}

/** Maps an error to a problem; any unknown error is an internal error. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof ServiceError && error.code === 'invalid_param') return invalidParameters(error.faults, error)
  // These messages name what conflicts, in the client's own words, or the format.
  if (error instanceof ServiceError && ['forbidden', 'conflict', 'other_format', 'format_limit'].includes(error.code))
    return new ProblemError(error.code, { detail: `${sentence(error.message)}.`, cause: error })
  if (error instanceof ServiceError) return new ProblemError(error.code, { cause: error })
  if (isDiskFull(error)) return new ProblemError('disk_full', { cause: error })
  if (isReadOnly(error))
    return new ProblemError('store_away', { detail: 'The disk of studies and jobs is read-only.', cause: error })
  // More files are open than the system allows, or memory is short at the moment.
  if (isShortage(error)) return new ProblemError('overloaded', { cause: error })
  // From the router, for a path that cannot be decoded.
  if (error instanceof URIError) return new ProblemError('bad_request', { cause: error })
  return new ProblemError('internal', { cause: error })
}

/** Returns the problem of a body that breaks its rules, with every location as a parameter. */
export function invalidBody(error: ServiceError): ProblemError {
  const faults = error.problems.map(({ file, line, column, value, rule }) => ({
    parameter: column ?? (line === null ? file : `${file}, line ${line}`),
    rule: column === null || line === null ? rule : `${rule} (line ${line})`,
    value: value ?? '',
  }))
  return new ProblemError('invalid_body', { faults, detail: `${sentence(error.message)}.`, cause: error })
}

/** Begins a sentence with a capital letter, unless its first word is a name: of a file, or of a parameter. */
function sentence(text: string): string {
  return /^[a-z]+(?![\w.-])/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

export function invalidParameters(faults: Fault[], cause?: unknown): ProblemError {
  const shown = faults.map((fault) => ({ ...fault, value: fault.value.slice(0, 200) }))
  return new ProblemError('invalid_param', { faults: shown, detail: shown.map(inWords).join('; ') || undefined, cause })
}

function inWords({ parameter, rule, value, position, nearest }: Fault): string {
  const place = position === undefined ? '' : ` (character ${position})`
  const guess = nearest === undefined ? '' : ` (did you mean ${nearest}?)`
  return `${parameter} ${rule}${place}, got ${JSON.stringify(value)}${guess}`
}

/** Sends a problem with its headers. Nothing may have been sent before. */
export function sendProblem(req: Request, res: Response, problem: ProblemError): void {
  const { status, retryAfter } = PROBLEMS[problem.code]
  // Headers that a handler prepared for a success do not describe this body.
  for (const name of REPRESENTATION_HEADERS) res.removeHeader(name)
  if (retryAfter !== undefined) res.setHeader('Retry-After', String(retryAfter))
  for (const [name, value] of Object.entries(problem.headers)) res.setHeader(name, value)
  const body = Buffer.from(loudJson(problemBody(problem, requestIdOf(res))))
  res.setHeader('Content-Type', 'application/problem+json')
  res.setHeader('Content-Length', String(body.byteLength))
  res.setHeader('Cache-Control', 'no-store')
  res.status(status).end(req.method === 'HEAD' ? undefined : body)
}

const REPRESENTATION_HEADERS = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Range',
  'ETag',
  'Link',
  'Preference-Applied',
  'Repr-Digest',
  'Vary',
  'X-Snapshot',
]

/** Returns the last handler: it answers every error with a problem; after the first byte, it breaks the connection. */
export function answerErrors(log: Logger): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const problem = asProblem(error)
    logProblem(log, requestIdOf(res), problem, error)
    if (res.headersSent) return void res.destroy()
    sendProblem(req, res, problem)
  }
}

/** Logs a problem: a bug with its stack, a refusal for lack of resources on one line, since there may be thousands. */
function logProblem(log: Logger, requestId: string, problem: ProblemError, error: unknown): void {
  const { code, cause, message } = problem
  const { status } = PROBLEMS[code]
  if (status === 500) log.error({ requestId, err: error }, message)
  else if (status > 500)
    log.warn({ requestId, code, cause: String((cause as Error | undefined)?.cause ?? cause) }, message)
}

/** Longest path that an answer repeats. */
const SHOWN_MAX = 200

/**
 * Answers 404 for unknown paths with the path that was probably meant, and reveals nothing about any study.
 *
 * @param templates paths of the API, with parameters such as `:studyId`
 */
export function answerNotFound(templates: string[]): RequestHandler {
  return ({ path }) => {
    const what = path.length > SHOWN_MAX ? 'no such path' : `no path ${path}`
    const near = path.length > SHOWN_MAX ? undefined : nearPath(path, templates)
    const isBare = /^\/(studies|studies-all|jobs|exports|openapi)\b/.test(path)
    const detail = isBare
      ? `There is ${what}. Paths of the API begin with /api2; /docs lists them.`
      : `There is ${what}; ${near === undefined ? '/docs lists the existing ones.' : `did you mean ${near}?`}`
    throw new ProblemError('not_found', { detail })
  }
}
