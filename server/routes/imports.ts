import { Import, ImportNew, ImportToStudy } from '../schemas/import.ts'
import { UploadList } from '../schemas/upload.ts'
import { IF_MATCH_PERHAPS, inHeader } from './parameters.ts'
import { empty, group, json, type Route, route } from './route.ts'

const TUS = inHeader('Tus-Resumable', 'Always `1.0.0`', true)
const BYTES = ['application/offset+octet-stream']
const UPLOAD = ['invalid_upload', 'not_found', 'gone', 'upload_too_large', 'busy', 'disk_full'] as const
/** Accepts any query: tus defines none. */
const planned = [] as const
const ONE = '/uploads/:uploadId'
/** OPTIONS request of tus; not in the document. */
const asking = <const Path extends string>(path: Path) =>
  route('options', path, 'write', { planned, answers: { 204: empty('Capabilities of the server') } })

/** Uploads, by tus 1.0. */
export const UPLOAD_ROUTES = group({ tag: 'Imports' })({
  listUploads: route('get', '/uploads', 'write', {
    summary: "List your token's uploads, finished or not",
    answers: { 200: json('Uploads of the token', UploadList) },
  }),
  askUploads: asking('/uploads'),
  beginUpload: route('post', '/uploads', 'write', {
    summary: 'Create an upload (tus 1.0)',
    description:
      'A study bundle or recordings, as files or as an archive (zip, tar, tar.gz). The body may hold the first bytes. Extensions of tus: creation, creation-with-upload, termination, expiration.',
    headers: [
      TUS,
      inHeader('Upload-Length', 'The length of the file, bytes', true),
      inHeader('Upload-Metadata', '`filename` and the name of the file in base64'),
    ],
    planned,
    body: { types: BYTES, isOptional: true },
    answers: {
      201: empty(
        'Created: send the bytes with PATCH to Location',
        'Location',
        'Tus-Resumable',
        'Upload-Expires?',
        'Upload-Offset?',
        'Content-Length?',
      ),
    },
    problems: [...UPLOAD, 'too_many_uploads'],
  }),
  askUpload: asking(ONE),
  lookAtUpload: route('head', ONE, 'write', {
    planned,
    problems: UPLOAD,
    summary: 'Get the offset of an upload',
    headers: [TUS],
    answers: {
      200: empty('Offset in the headers', 'Tus-Resumable', 'Upload-Offset', 'Upload-Length', 'Upload-Metadata?'),
    },
  }),
  continueUpload: route('patch', ONE, 'write', {
    planned,
    summary: 'Append to an upload',
    headers: [TUS, inHeader('Upload-Offset', 'Offset of these bytes in the upload', true)],
    body: { types: BYTES },
    answers: {
      204: empty('Received; a finished upload is on disk, synced', 'Tus-Resumable', 'Upload-Offset', 'Upload-Expires?'),
    },
    problems: [...UPLOAD, 'upload_conflict'],
  }),
  deleteUpload: route('delete', ONE, 'write', {
    planned,
    problems: UPLOAD,
    summary: 'Delete an upload',
    headers: [TUS],
    answers: { 204: empty('Deleted', 'Tus-Resumable') },
  }),
})

const BODY_MAX_BYTES = 4 * 2 ** 20
const asked = {
  answers: { 202: json('Accepted: a worker runs the import', Import, 'Location', 'Retry-After') },
  problems: ['too_many_jobs', 'queue_away', 'disk_full'],
} as const satisfies Partial<Route>

export const IMPORT_ROUTES = group({ tag: 'Imports' })({
  importStudy: route('post', '/imports', 'write', {
    ...asked,
    summary: 'Create a study from finished uploads',
    description:
      'Takes one bundle as an archive, or recordings. The answer is the import; when it has ended, it has a report. An existing study with other data is refused.',
    body: { schema: ImportNew, maxBytes: BODY_MAX_BYTES },
  }),
  importDemo: route('post', '/imports/demo', 'write', asked),
  importIntoStudy: route('post', '/studies/:studyId/imports', 'write', {
    ...asked,
    isRoleFirst: true,
    summary: 'Import finished uploads into a study, or replace its data',
    headers: [IF_MATCH_PERHAPS],
    body: { schema: ImportToStudy, maxBytes: BODY_MAX_BYTES },
  }),
  getImport: route('get', '/imports/:importId', 'read', {
    summary: 'Get an import and, once it has ended, its report',
    answers: { 200: json('The import', Import, 'Retry-After?') },
  }),
  cancelImport: route('delete', '/imports/:importId', 'read', {
    summary: 'Cancel an import that has not published yet, or delete one that has ended',
    answers: { 204: empty('Canceled or deleted') },
    problems: ['disk_full'],
  }),
})
