import type { ProblemCode } from '../http/problems.ts'
import { headers, jsonAnswer, type Problems } from './answers.ts'
import type { Json } from './json.ts'
import { ref } from './schemas.ts'

const LIMITS = ['RateLimit', 'RateLimit-Policy']
const ANY: ProblemCode[] = [
  'bad_request',
  'https_required',
  'method_not_allowed',
  'request_timeout',
  'query_too_long',
  'headers_too_large',
  'invalid_param',
  'too_many_requests',
  'unauthorized',
  'forbidden',
  'change_token_needed',
  'corrupt',
  'other_format',
  'internal',
]
const UPLOAD: ProblemCode[] = [...ANY, 'invalid_upload', 'not_found', 'gone', 'upload_too_large', 'busy', 'disk_full']
const IMPORT: ProblemCode[] = [...ANY, 'body_too_large', 'too_many_jobs', 'queue_away', 'disk_full', 'read_only']

const tusHeader = (name: string, description: string, isRequired = true): Json => ({
  name,
  in: 'header',
  description,
  ...(isRequired ? { required: true } : {}),
  schema: { type: 'string' },
})
const TUS = tusHeader('Tus-Resumable', 'Always `1.0.0`')
const inPath = (name: string, schema: string): Json => ({ name, in: 'path', required: true, schema: ref(schema) })
const BYTES = { content: { 'application/offset+octet-stream': {} } }
const jsonBody = (schema: string): Json => ({
  required: true,
  content: { 'application/json': { schema: ref(schema) } },
})

const LIST_UPLOADS = {
  operationId: 'listUploads',
  tags: ['Imports'],
  summary: "List your token's uploads, finished or not",
  responses: { 200: jsonAnswer('All webhooks', 'UploadList', ...LIMITS, 'Content-Length', 'ETag?') },
}

const BEGIN_UPLOAD = {
  operationId: 'beginUpload',
  tags: ['Imports'],
  summary: 'Create an upload (tus 1.0)',
  description:
    'A study bundle or recordings, as files or packed (zip, tar, tar.gz). The first bytes may come along, as the body. Extensions of tus: creation, creation-with-upload, termination, expiration.',
  parameters: [
    TUS,
    tusHeader('Upload-Length', 'The length of the file, bytes'),
    tusHeader('Upload-Metadata', '`filename` and the name of the file in base64', false),
  ],
  requestBody: BYTES,
  responses: {
    201: {
      description: 'Created: send the bytes with PATCH to Location',
      headers: headers(...LIMITS, 'Location', 'Tus-Resumable', 'Upload-Expires?', 'Upload-Offset?', 'Content-Length?'),
    },
  },
}

const LOOK_AT_UPLOAD = {
  operationId: 'lookAtUpload',
  tags: ['Imports'],
  summary: 'Get the offset of an upload',
  parameters: [inPath('uploadId', 'UploadId'), TUS],
  responses: {
    200: {
      description: 'In its headers',
      headers: headers(...LIMITS, 'Tus-Resumable', 'Upload-Offset', 'Upload-Length', 'Upload-Metadata?'),
    },
  },
}

const GO_ON_WITH_UPLOAD = {
  operationId: 'continueUpload',
  tags: ['Imports'],
  summary: 'Append to an upload',
  parameters: [inPath('uploadId', 'UploadId'), TUS, tusHeader('Upload-Offset', 'Offset of these bytes in the upload')],
  requestBody: { required: true, ...BYTES },
  responses: {
    204: {
      description: 'Received; a finished upload is on disk, synced',
      headers: headers(...LIMITS, 'Tus-Resumable', 'Upload-Offset', 'Upload-Expires?'),
    },
  },
}

const DELETE_UPLOAD = {
  operationId: 'deleteUpload',
  tags: ['Imports'],
  summary: 'Delete an upload',
  parameters: [inPath('uploadId', 'UploadId'), TUS],
  responses: { 204: { description: 'Deleted', headers: headers(...LIMITS, 'Tus-Resumable') } },
}

const ACCEPTED = jsonAnswer(
  'A worker will run it',
  'Import',
  ...LIMITS,
  'Location',
  'Retry-After',
  'Content-Length',
  'ETag?',
)

const IMPORT_STUDY = {
  operationId: 'importStudy',
  tags: ['Imports'],
  summary: 'Create a study from finished uploads',
  description:
    'Either one bundle, packed, or recordings. The answer is the import, whose end is its report. A study that is there with other data is refused.',
  requestBody: jsonBody('ImportNew'),
  responses: { 202: ACCEPTED },
}

const IMPORT_INTO_STUDY = {
  operationId: 'importIntoStudy',
  tags: ['Imports'],
  summary: 'Import finished uploads into a study',
  parameters: [{ $ref: '#/components/parameters/studyId' }],
  requestBody: jsonBody('ImportToStudy'),
  responses: { 202: ACCEPTED },
}

const GET_IMPORT = {
  operationId: 'getImport',
  tags: ['Imports'],
  summary: 'Get an import and, once it has ended, its report',
  parameters: [inPath('importId', 'ImportId')],
  responses: { 200: jsonAnswer('The import', 'Import', ...LIMITS, 'Retry-After?', 'Content-Length', 'ETag?') },
}

const DELETE_IMPORT = {
  operationId: 'cancelImport',
  tags: ['Imports'],
  summary: 'Cancel an import that has not published yet, or delete one that has ended',
  parameters: [inPath('importId', 'ImportId')],
  responses: { 204: { description: 'Canceled, or deleted', headers: headers(...LIMITS) } },
}

/** Lists the paths of uploads and imports (docs/live.md). */
export function describeImportPaths(problems: Problems): Record<string, Json> {
  const answering = (operation: Json, codes: ProblemCode[]): Json => ({
    ...operation,
    responses: { ...(operation.responses as Json), ...problems.responses(codes) },
  })
  return {
    '/uploads': {
      get: answering(LIST_UPLOADS, ANY),
      post: answering(BEGIN_UPLOAD, [...UPLOAD, 'too_many_uploads', 'read_only']),
    },
    '/uploads/{uploadId}': {
      head: answering(LOOK_AT_UPLOAD, UPLOAD),
      patch: answering(GO_ON_WITH_UPLOAD, [...UPLOAD, 'upload_conflict']),
      delete: answering(DELETE_UPLOAD, UPLOAD),
    },
    '/imports': { post: answering(IMPORT_STUDY, IMPORT) },
    '/studies/{studyId}/imports': { post: answering(IMPORT_INTO_STUDY, [...IMPORT, 'not_found']) },
    '/imports/{importId}': {
      get: answering(GET_IMPORT, [...ANY, 'not_found']),
      delete: answering(DELETE_IMPORT, [...ANY, 'not_found', 'disk_full']),
    },
  }
}
