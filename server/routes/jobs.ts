import { Job, JobPage } from '../schemas/job.ts'
import { FILE_ANSWERS } from './exports.ts'
import { cursor, LIMIT, OF_STUDY, PARAMETERS, STATE } from './parameters.ts'
import { empty, group, json, media, route, sent, TEXT } from './route.ts'

const { ifNoneMatch, acceptEncoding, range, ifRange } = PARAMETERS

/** Parameters that filter a list of jobs. */
export const CHOSEN_JOBS = [STATE, OF_STUDY, LIMIT, cursor(2)] as const

/** Large exports. */
export const JOB_ROUTES = group({ tag: 'Jobs' })({
  listJobs: route('get', '/jobs', 'read', {
    summary: 'List jobs on studies that your token may read, newest first',
    query: CHOSEN_JOBS,
    answers: { 200: json('A page of studies', JobPage) },
  }),
  getJob: route('get', '/jobs/:jobId', 'read', {
    links: 'jobs',
    summary: 'Get a job',
    headers: [ifNoneMatch],
    answers: {
      200: sent('The job; with Retry-After until it ends', Job, 'ETag', 'Retry-After?'),
      304: empty('Not modified', 'ETag', 'Retry-After?'),
    },
  }),
  withdrawJob: route('delete', '/jobs/:jobId', 'read', {
    summary: "Withdraw your token's interest in a job",
    description:
      'The work stops, or the file is deleted, when no token has an interest left. With an `ops` token, the job is canceled for all tokens. You can still get the job, as `canceled` or `expired`, for a week.',
    answers: { 204: empty('Withdrawn') },
    problems: ['disk_full'],
  }),
  followJob: route('get', '/jobs/:jobId/events', 'read', {
    links: 'jobs',
    summary: "Stream a job's progress (server-sent events)",
    description:
      'Sends the current job, then the job after each change (at most two a second), as `data:` lines of JSON, and a comment every 15 seconds. The last event is `end`, with the final state of the job.',
    answers: {
      200: media('Events until the job ends', { 'text/event-stream': TEXT }),
      204: empty('The job has ended'),
    },
  }),
  getJobFile: route('get', '/jobs/:jobId/file', 'read', {
    links: 'jobs',
    summary: "Download a job's file",
    headers: [acceptEncoding, ifNoneMatch, range, ifRange],
    answers: FILE_ANSWERS,
    problems: ['not_ready', 'gone', 'range_not_satisfiable'],
  }),
  getJobPart: route('get', '/jobs/:jobId/parts/:part', 'read', {
    links: 'jobs',
    summary: 'Download one of the files of a job in parts',
    headers: [acceptEncoding, ifNoneMatch, range, ifRange],
    answers: FILE_ANSWERS,
    problems: ['not_ready', 'gone', 'range_not_satisfiable'],
  }),
  headJobPart: route('head', '/jobs/:jobId/parts/:part', 'read', {
    links: 'jobs',
    summary: 'Get the headers of one of the files of a job in parts',
    headers: [acceptEncoding, ifNoneMatch],
    answers: { 200: empty('The file', ...FILE_ANSWERS[200].headers), 304: FILE_ANSWERS[304] },
    problems: ['not_ready', 'gone'],
  }),
  headJobFile: route('head', '/jobs/:jobId/file', 'read', {
    links: 'jobs',
    summary: "Get the headers of a job's file",
    headers: [acceptEncoding, ifNoneMatch],
    answers: { 200: empty('The file', ...FILE_ANSWERS[200].headers), 304: FILE_ANSWERS[304] },
    problems: ['not_ready', 'gone'],
  }),
})
