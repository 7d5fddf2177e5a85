import { LinkList, LinkMade, LinkNew } from '../schemas/link.ts'
import { empty, group, json, route } from './route.ts'
import { CHANGE } from './writes.ts'

const path = '/studies/:studyId/links'

/** Links to a study, for tokens that may change it: docs/links.md. */
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
