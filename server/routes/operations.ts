import { Job } from '../schemas/job.ts'
import { Drained, LastHour, Operations, OperatorJobPage, QueueState } from '../schemas/operations.ts'
import { CHOSEN_JOBS } from './jobs.ts'
import { group, json, route, sent } from './route.ts'

const problems = ['queue_away', 'disk_full'] as const
const CONTROL = {
  needsAllStudies: 'The queue is for all studies: changing it needs a token of the role `ops` for all of them.',
  problems,
} as const

/** Routes for the state of the service and for operators: docs/operations.md. */
export const OPERATION_ROUTES = group({ tag: 'Operations' })({
  getOperations: route('get', '/operations', 'ops', {
    summary: 'Get the state of queue, workers, threads and disk',
    answers: { 200: json('The state', Operations) },
  }),
  getLastHour: route('get', '/operations/last-hour', 'ops', {
    summary: 'Get throughput and waiting times of the last hour',
    answers: { 200: json('The last hour', LastHour) },
  }),
  listOperatorJobs: route('get', '/operations/jobs', 'ops', {
    summary: 'List jobs with the tokens that requested them, newest first',
    query: CHOSEN_JOBS,
    answers: { 200: json('A page of studies', OperatorJobPage) },
  }),
  retryJob: route('post', '/operations/jobs/:jobId/retry', 'ops', {
    summary: 'Retry a job that failed, was canceled or has expired',
    description:
      'The job starts at once, even if it failed recently, for every token that requested it and has not withdrawn.',
    answers: { 202: sent('The job', Job, 'Location', 'Retry-After') },
    problems: [...problems, 'conflict', 'too_many_jobs'],
  }),
  pauseQueue: route('post', '/operations/queue/pause', 'ops', {
    ...CONTROL,
    summary: 'Pause the queue: workers take no new jobs',
    description:
      'Running jobs go on. New requests are accepted and wait. The pause survives restarts of servers and workers.',
    answers: { 200: json('The queue', QueueState) },
  }),
  resumeQueue: route('post', '/operations/queue/resume', 'ops', {
    ...CONTROL,
    summary: 'Resume the queue',
    description: 'Undoes a pause.',
    answers: { 200: json('The queue', QueueState) },
  }),
  drainQueue: route('post', '/operations/queue/drain', 'ops', {
    ...CONTROL,
    summary: 'Cancel all waiting jobs, for everybody',
    description: 'Running jobs go on, and waiting imports stay. A canceled job can be requested again.',
    answers: { 200: json('The number of canceled jobs', Drained) },
  }),
})
