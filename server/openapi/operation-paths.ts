import type { ProblemCode } from '../http/problems.ts'
import { jsonAnswer } from './answers.ts'
import type { Json } from './json.ts'

const SENT = ['RateLimit', 'RateLimit-Policy', 'Content-Length']
const tags = ['Operations']

/** Lists the paths of operators (docs/operations.md). @param codes what any request for a thing that has a name may meet */
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
      { operationId, tags, summary, description, responses: { 200: jsonAnswer('What came of it', schema, ...SENT) } },
      [...changing, 'forbidden'],
    ),
  })
  return {
    '/operations': read('getOperations', 'How queue, workers, threads and disk are', 'Operations'),
    '/operations/last-hour': read(
      'getLastHour',
      'How many jobs ended in the last hour, and how long they waited',
      'LastHour',
    ),
    '/operations/jobs': read('listOperatorJobs', 'Jobs with who asked for them, newest first', 'OperatorJobPage', {
      parameters: listOfJobs,
    }),
    '/operations/jobs/{jobId}/retry': {
      post: guarded(
        {
          operationId: 'retryJob',
          tags,
          summary: 'Begins anew a job that failed, was canceled or has expired',
          description: 'At once, however lately it failed; for all who asked for it and have not withdrawn.',
          parameters: parameters('jobId'),
          responses: { 202: jsonAnswer('The job', 'Job', ...SENT, 'Location', 'Retry-After') },
        },
        [...changing, 'conflict', 'too_many_jobs'],
      ),
    },
    '/operations/queue/pause': control(
      'pauseQueue',
      'Lets no worker take anything new',
      'What runs goes on; what is asked for is taken, and waits. The queue remembers it, through restarts of servers and workers.',
      'QueueState',
    ),
    '/operations/queue/resume': control('resumeQueue', 'Lets workers go on', 'The way back from pause.', 'QueueState'),
    '/operations/queue/drain': control(
      'drainQueue',
      'Cancels every job that waits, for everybody',
      'What runs goes on, and imports that wait stay. A job that was canceled can be asked for again.',
      'Drained',
    ),
  }
}
