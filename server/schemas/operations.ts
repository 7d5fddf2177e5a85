import { z } from 'zod'
import { Job } from './job.ts'
import { count, flag, nextCursor, number, text, time, whole } from './values.ts'

const queueCounts = z
  .object({
    waiting: count('Waiting jobs, including imports'),
    active: count('Running jobs'),
    completed: count('Ended jobs that the queue remembers'),
    failed: count('Failed jobs that the queue remembers'),
  })
  .describe('Jobs in the queue, by state')

export const QueueState = z
  .object({
    kind: z.enum(['embedded', 'redis', 'postgres']).describe('Back end of the queue'),
    answers: flag('True if the queue answers'),
    isPaused: flag('True if workers take no new jobs; null while the queue is unavailable').nullable(),
    jobs: queueCounts.nullable().describe('null while the queue is unavailable'),
  })
  .describe('The queue, which all servers and workers share')

export const Operations = z
  .object({
    version: text('Version of Gazette'),
    queue: QueueState,
    workers: z
      .object({
        connected: count('null if the back end does not report it').nullable(),
        concurrencyEach: whole('Jobs that a worker runs at a time, as configured on this server'),
      })
      .describe('Workers that take jobs'),
    engine: z
      .object({
        threads: whole('All threads'),
        running: whole('Shards being computed'),
        waiting: whole('Waiting shards'),
      })
      .describe('Threads of this server'),
    waitingClients: z
      .object({
        computing: whole('Exports being computed while clients wait'),
        inLine: whole('Exports waiting for a slot'),
        heldBytes: whole('Bytes of answers that clients have not yet read'),
      })
      .describe('Small exports of this server'),
    disk: z
      .object({
        freeMib: number('Free space, bytes; null if unknown').nullable(),
        floorMib: whole('Free space below which new jobs are refused, bytes'),
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
      median: number('Median'),
      p90: number('90th percentile'),
      longest: number('Maximum'),
    })
    .nullable()
    .describe(description)

export const LastHour = z
  .object({
    startsAt: time('Start of the hour'),
    endsAt: time('End of the hour'),
    ended: z.object(counts).describe('Jobs that ended in this hour, by outcome'),
    samples: count('Samples computed by these jobs'),
    bytes: count('Bytes written by these jobs, uncompressed'),
    waitSeconds: spread('Waiting time, from the request to the start of work; null without jobs'),
    runSeconds: spread('Run time of succeeded jobs; null without jobs'),
    bins: z
      .array(
        z.object({
          startsAt: time('Start of the five minutes'),
          ...counts,
          waitMedianSeconds: number('Median wait, s; null without jobs').nullable(),
        }),
      )
      .describe('Intervals of five minutes, oldest first'),
  })
  .describe('Outcomes of jobs, by the last attempt of each')

export const OperatorJob = Job.extend({
  studyName: text('Display name of the study; null if it cannot be read').nullable(),
  askedBy: z
    .array(
      z.object({ id: text('The token'), name: text('Display name; empty if the study was deleted or has no name') }),
    )
    .describe('Tokens that requested this attempt and have not withdrawn'),
  attempt: whole('Number of the current attempt'),
  tries: count('Tries at this attempt that neither ended it nor were handed back; 0 once it has ended'),
}).describe('A job, for operators')

export const OperatorJobPage = z
  .object({ jobs: z.array(OperatorJob), nextCursor })
  .describe('A page of jobs, newest first')

export const Drained = z.object({ canceled: count('Jobs that were canceled') }).describe('Result of draining the queue')
