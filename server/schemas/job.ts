import { z } from 'zod'
import { MADE_NAMES } from '../../engine/model/plan.ts'
import { Problem } from './problem.ts'
import {
  address,
  count,
  exportName,
  formatName,
  nextCursor,
  number,
  Parameters,
  StudyReference,
  sha256,
  text,
  time,
  Uuid,
} from './values.ts'

export const JobId = z
  .string()
  .regex(/^x[0-9a-f]{64}$/)
  .describe('Job id; identical requests share one job')

export const JobState = z
  .enum(['queued', 'running', 'succeeded', 'failed', 'canceled', 'expired'])
  .describe('`queued`, then `running`, then one of `succeeded`, `failed`, `canceled`; `expired` once the file is gone')

export const JobProgress = z
  .object({
    percent: z.number().min(0).max(100).describe('Share of samples done'),
    samplesDone: count('Samples processed'),
    samplesTotal: count('Samples to process'),
    rows: count('Rows written, without the header'),
    bytes: count('Bytes written, uncompressed'),
    etaSeconds: number('Estimated remaining seconds; null if unknown').min(0).nullable(),
    partsDone: count('Finished parts of a running job in parts').optional(),
    partsTotal: count('Parts of a running job in parts').optional(),
  })
  .describe('Progress')

export const JobFile = z
  .object({
    href: address('Address'),
    name: text('File name of a download'),
    bytes: count('Length of the file, bytes'),
    gzipBytes: count('Length of the gzip version, bytes; null if the format has none').nullable(),
    rows: count('Rows, without the header'),
    sha256: sha256('Uncompressed file'),
    gzipSha256: sha256('Gzip version; null if there is none').nullable(),
    direct: z
      .object({
        href: address('Uncompressed file'),
        gzipHref: address('Gzip version; null if there is none').nullable(),
        expiresAt: time('Expiry of the URLs'),
      })
      .describe(
        'Presigned URLs at the object store. Anyone with a URL can download the file, without a token. Only in the answer for a single job, if STORE_PRESIGN_SECONDS is set',
      )
      .optional(),
  })
  .describe('The file, in the requested format')

const TestOfPart = z.object({ itemId: Uuid.describe('Item'), participantId: Uuid.describe('Participant') })

export const JobPart = JobFile.extend({
  number: count('Number of the part, from 1'),
  samples: count('Samples of its tests'),
  tests: z
    .object({
      count: count('Number of tests'),
      first: TestOfPart.describe('First test; null without any').nullable(),
      last: TestOfPart.describe('Last test; null without any').nullable(),
    })
    .describe('Its tests: consecutive ones, in the order of the export'),
}).describe('One of the files of a job in parts, complete by itself')

export const Job = z
  .object({
    id: JobId,
    export: z.enum(MADE_NAMES).describe('Table, or a package of tables'),
    study: StudyReference,
    snapshot: sha256('Snapshot that the file is computed from'),
    parameters: Parameters.describe('All parameters, defaults filled in'),
    state: JobState,
    progress: JobProgress,
    createdAt: time('Time of the request'),
    startedAt: time('Time at which work began; null before').nullable(),
    finishedAt: time('Time at which it ended; null before').nullable(),
    expiresAt: time('Time at which the file expires; null without a file').nullable(),
    file: JobFile.nullable().describe('null unless its state is succeeded, and for a job in parts'),
    partCount: count('Number of files of a job in parts; absent for one file').optional(),
    parts: z
      .array(JobPart)
      .describe(
        'Files of a job in parts, whose rows, one after the other, are those of the one file. Only in the answer for a single job, once it has succeeded',
      )
      .optional(),
    error: Problem.nullable().describe('Reason for the failure, or the damage on disk that expired it; else null'),
    format: formatName.describe('Format of the file, or of the tables in a package; absent for CSV').optional(),
    exports: z
      .array(exportName)
      .describe('Tables of a package, if the request named them; otherwise, the package has every table with rows')
      .optional(),
  })
  .describe('A large export, or one that was requested with `Prefer: respond-async`')

export const JobPage = z.object({ jobs: z.array(Job), nextCursor }).describe('A page of jobs, newest first')

/** A job as a client sees it, also the dashboard. */
export type JobView = z.infer<typeof Job>
