import { LinkList, LinkMade, LinkNew } from '../schemas/link.ts'
import { HEAD_ANSWERS, SHARED_ANSWERS } from './exports.ts'
import { PARAMETERS } from './parameters.ts'
import { empty, group, json, route } from './route.ts'
import { CHANGE } from './writes.ts'

const path = '/studies/:studyId/links'

/** Links to a study, for tokens that may change it: docs/access.md. */
export const LINK_ROUTES = group({ tag: 'Links' })({
  listLinks: route('get', path, 'write', {
    summary: 'List the links of a study, without their secrets',
    answers: { 200: json('Newest first', LinkList) },
  }),
  createLink: route('post', path, 'write', {
    summary: 'Create a link to a study or a page of it; its secret is shown only once',
    body: { schema: LinkNew, maxBytes: 16 * 1024 },
    answers: { 201: json('The link', LinkMade) },
    problems: CHANGE,
  }),
  revokeLink: route('delete', `${path}/:linkId`, 'write', {
    summary: 'Revoke a link and every session opened with it',
    answers: { 204: empty('Deleted') },
    problems: CHANGE,
  }),
})

const shared = '/shared/:secret'
const { ifNoneMatch, acceptEncoding, range, ifRange } = PARAMETERS
const FILE_PROBLEMS = ['not_found', 'overloaded', 'queue_away', 'disk_full', 'gone'] as const

/** Links to exports, for everyone with their address. */
export const SHARED_ROUTES = group({ tag: 'Links' })({
  getSharedFile: route('get', shared, 'self', {
    summary: 'Download the export of a link',
    description:
      'The settings are those of the link; there are no parameters. A large export becomes a job: the answer is 202 until its file is there, so request it again.',
    headers: [ifNoneMatch, acceptEncoding, range, ifRange],
    answers: SHARED_ANSWERS,
    problems: FILE_PROBLEMS,
  }),
  headSharedFile: route('head', shared, 'self', {
    summary: 'Get the headers of the export of a link',
    headers: [ifNoneMatch, acceptEncoding],
    answers: HEAD_ANSWERS,
    problems: FILE_PROBLEMS,
  }),
})
