import { z } from 'zod'
import { Job } from './job.ts'
import { count, flag, nextCursor, number, text, time, whole } from './values.ts'

const queueCounts = z
  .object({
    waiting: count('Jobs that no worker is at, imports too'),
    active: count('Jobs that a worker is at'),
    completed: count('Jobs that have ended, as far as the queue remembers'),
    failed: count('Jobs that have failed, as far as the queue remembers'),
  })
  .describe('Jobs in the queue, by state')

export const QueueState = z
  .object({
    kind: z.enum(['embedded', 'redis', 'postgres']).describe('Back end of the queue'),
    answers: flag('True if the queue answers'),
    isPaused: flag('True if workers take no new jobs; null while the queue is unavailable').nullable(),
    jobs: queueCounts.nullable().describe('null while the queue is away'),
  })
  .describe('The queue, which all servers and workers share')

export const Operations = z
  .object({
    version: text('Version of Gazette'),
    queue: QueueState,
    workers: z
      .object({
        connected: count('null where the back end cannot tell').nullable(),
        concurrencyEach: whole('Jobs that a worker runs at a time, as configured on this server'),
      })
      .describe('Workers that take jobs'),
    engine: z
      .object({ threads: whole('All'), running: whole('Shards being computed'), waiting: whole('Shards that wait') })
      .describe('Threads of this server'),
    waitingClients: z
      .object({
        computing: whole('Exports being computed for clients that wait'),
        inLine: whole('Exports that wait to be'),
        heldBytes: whole('Bytes of answers that clients have not taken yet'),
      })
      .describe('Small exports of this server'),
    disk: z
      .object({
        freeMib: number('Free space; null where it is not known').nullable(),
        floorMib: whole('Below it, new jobs are refused'),
        isEnough: flag('True if the free space is above the floor'),
        exportsMaxGib: number('Limit on the total size of job files, bytes'),
      })
      .describe('Disk of the data directory'),
  })
  .describe('Current state of queue, workers and disk')

const counts = {
  succeeded: count('Jobs that succeeded'),
  failed: count('Jobs that failed'),
  canceled: count('Jobs that were canceled'),
}

const spread = (description: string) =>
  z
    .object({
      median: number('Half took at most this long'),
      p90: number('Nine of ten took at most this long'),
      longest: number('The longest'),
    })
    .nullable()
    .describe(description)

export const LastHour = z
  .object({
    startsAt: time('An hour ago'),
    endsAt: time('Now'),
    ended: z.object(counts).describe('Jobs that ended in this hour, by how'),
    samples: count('Samples that they computed'),
    bytes: count('Bytes that they wrote, not compressed'),
    waitSeconds: spread('From being asked for to the beginning of work; null without any'),
    runSeconds: spread('From there to the end, of those that succeeded; null without any'),
    bins: z
      .array(
        z.object({
          startsAt: time('When these five minutes began'),
          ...counts,
          waitMedianSeconds: number('Median wait, s; null without jobs').nullable(),
        }),
      )
      .describe('Five minutes each, oldest first'),
  })
  .describe('Outcomes of jobs, by the last attempt of each')

export const OperatorJob = Job.extend({
  studyName: text('Display name of the study; null when it cannot be read').nullable(),
  askedBy: z
    .array(z.object({ id: text('The token'), name: text('Display name; empty when the study is gone or has no name') }))
    .describe('Tokens that requested this attempt and have not withdrawn'),
  attempt: whole('Number of attempts at the job'),
  tries: count('Tries at this attempt that neither ended it nor were handed back; 0 once it has ended'),
}).describe('A job, as operators see it')

export const OperatorJobPage = z
  .object({ jobs: z.array(OperatorJob), nextCursor })
  .describe('A page of jobs, newest first')

export const Drained = z.object({ canceled: count('Jobs that were canceled') }).describe('Result of draining the queue')
