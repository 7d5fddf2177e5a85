import type { ProblemCode } from '../http/problems.ts'
import { jsonAnswer } from './answers.ts'
import type { Json } from './json.ts'

const SENT = ['RateLimit', 'RateLimit-Policy', 'Content-Length']
const tags = ['Operations']

/**
 * Lists the paths of operators (docs/operations.md).
 *
 * @param codes what any request for a thing that has a name may meet
 */
export function describeOperations(
  guarded: (operation: Json, codes: ProblemCode[]) => Json,
  parameters: (...names: string[]) => Json[],
  listOfJobs: Json[],
  codes: ProblemCode[],
): Record<string, Json> {
  const changing: ProblemCode[] = [...codes, 'change_token_needed', 'queue_away', 'disk_full']
  const read = (operationId: string, summary: string, schema: string, more: Json = {}): Json => ({
    get: guarded(
      { operationId, tags, summary, ...more, responses: { 200: jsonAnswer(summary, schema, ...SENT) } },
      codes,
    ),
  })
  const control = (operationId: string, summary: string, description: string, schema: string): Json => ({
    post: guarded(
      {
        operationId,
        tags,
        summary,
        description,
        responses: { 200: jsonAnswer('The delivery attempt', schema, ...SENT) },
      },
      [...changing, 'forbidden'],
    ),
  })
  return {
    '/operations': read('getOperations', 'Get the state of queue, workers, threads and disk', 'Operations'),
    '/operations/last-hour': read('getLastHour', 'Get throughput and waiting times of the last hour', 'LastHour'),
    '/operations/jobs': read(
      'listOperatorJobs',
      'List jobs with the tokens that requested them, newest first',
      'OperatorJobPage',
      {
        parameters: listOfJobs,
      },
    ),
    '/operations/jobs/{jobId}/retry': {
      post: guarded(
        {
          operationId: 'retryJob',
          tags,
          summary: 'Retry a job that failed, was canceled or has expired',
          description:
            'Starts at once, however recently the job failed, for every token that requested it and has not withdrawn.',
          parameters: parameters('jobId'),
          responses: { 202: jsonAnswer('The job', 'Job', ...SENT, 'Location', 'Retry-After') },
        },
        [...changing, 'conflict', 'too_many_jobs'],
      ),
    },
    '/operations/queue/pause': control(
      'pauseQueue',
      'Pause the queue: workers take no new jobs',
      'Running jobs go on. New requests are accepted and wait. The pause survives restarts of servers and workers.',
      'QueueState',
    ),
    '/operations/queue/resume': control('resumeQueue', 'Resume the queue', 'Undoes a pause.', 'QueueState'),
    '/operations/queue/drain': control(
      'drainQueue',
      'Cancel all waiting jobs, for everybody',
      'Running jobs go on, and waiting imports stay. A canceled job can be requested again.',
      'Drained',
    ),
  }
}
