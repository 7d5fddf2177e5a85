import { LinkList, LinkMade, LinkNew } from '../schemas/link.ts'
import { empty, json, route } from './route.ts'
import { CHANGE } from './writes.ts'

const tag = 'Links'
const path = '/studies/:studyId/links'

/** Links to a study, for tokens that may change it: docs/links.md. */
export const LINK_ROUTES = {
  listLinks: route({
    method: 'get',
    path,
    role: 'write',
    tag,
    summary: 'List the links of a study, without their secrets',
    answers: { 200: json('Newest first', LinkList) },
  }),
  createLink: route({
    method: 'post',
    path,
    role: 'write',
    tag,
    summary: 'Create a link to a study or a page of it; its secret is shown only once',
    body: { schema: LinkNew, maxBytes: 16 * 1024 },
    answers: { 201: json('The link', LinkMade) },
    problems: CHANGE,
  }),
  revokeLink: route({
    method: 'delete',
    path: `${path}/:linkId`,
    role: 'write',
    tag,
    summary: 'Revoke a link and every session opened with it',
    answers: { 204: empty('Deleted') },
    problems: CHANGE,
  }),
}
