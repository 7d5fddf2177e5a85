import { Job } from '../schemas/job.ts'
import { Drained, LastHour, Operations, OperatorJobPage, QueueState } from '../schemas/operations.ts'
import { CHOSEN_JOBS } from './jobs.ts'
import { json, type Route, route, sent } from './route.ts'

const READING = { method: 'get', role: 'ops', tag: 'Operations' } as const satisfies Partial<Route>
const CHANGING = {
  method: 'post',
  role: 'ops',
  tag: 'Operations',
  problems: ['queue_away', 'disk_full'],
} as const satisfies Partial<Route>
const CONTROL = {
  ...CHANGING,
  needsAllStudies: 'The queue is for all studies: changing it needs a token of the role `ops` for all of them.',
} as const satisfies Partial<Route>

/** How the service is, and what operators may do: docs/operations.md. */
export const OPERATION_ROUTES = {
  getOperations: route({
    ...READING,
    path: '/operations',
    summary: 'Get the state of queue, workers, threads and disk',
    answers: { 200: json('The state', Operations) },
  }),
  getLastHour: route({
    ...READING,
    path: '/operations/last-hour',
    summary: 'Get throughput and waiting times of the last hour',
    answers: { 200: json('The last hour', LastHour) },
  }),
  listOperatorJobs: route({
    ...READING,
    path: '/operations/jobs',
    summary: 'List jobs with the tokens that requested them, newest first',
    query: CHOSEN_JOBS,
    answers: { 200: json('One page', OperatorJobPage) },
  }),
  retryJob: route({
    ...CHANGING,
    path: '/operations/jobs/:jobId/retry',
    summary: 'Retry a job that failed, was canceled or has expired',
    description:
      'Starts at once, however recently the job failed, for every token that requested it and has not withdrawn.',
    answers: { 202: sent('The job', Job, 'Location', 'Retry-After') },
    problems: ['queue_away', 'disk_full', 'conflict', 'too_many_jobs'],
  }),
  pauseQueue: route({
    ...CONTROL,
    path: '/operations/queue/pause',
    summary: 'Pause the queue: workers take no new jobs',
    description:
      'Running jobs go on. New requests are accepted and wait. The pause survives restarts of servers and workers.',
    answers: { 200: json('The queue', QueueState) },
  }),
  resumeQueue: route({
    ...CONTROL,
    path: '/operations/queue/resume',
    summary: 'Resume the queue',
    description: 'Undoes a pause.',
    answers: { 200: json('The queue', QueueState) },
  }),
  drainQueue: route({
    ...CONTROL,
    path: '/operations/queue/drain',
    summary: 'Cancel all waiting jobs, for everybody',
    description: 'Running jobs go on, and waiting imports stay. A canceled job can be requested again.',
    answers: { 200: json('The number of canceled jobs', Drained) },
  }),
}
