import type { Job } from '../../engine/jobs/record/job.ts'
import type { AttemptPart } from '../../engine/jobs/record/job-paths.ts'
import type { ImportJob } from '../../engine/uploads/import-job.ts'

/**
 * Data of a job in the queue. It holds no secrets and no names of people, since the queue's log keeps data long after
 * its removal. All fields except the first two are for operators who look at the board.
 */
export type Payload = {
  jobId: string
  attempt: number
  /** Part of the attempt; absent for the whole job. */
  part?: AttemptPart
  /** Start of the attempt, RFC 3339; also for a part. */
  startedAt?: string
} & Partial<Facts>

/** Subject of the work, for work of any kind. */
export type Facts = JobFacts | ImportFacts

/** Number of ended jobs that stay in the queue for operators. */
export type EndedPayload = { state: string; rows?: number; bytes?: number; study?: string; message?: string }

/** Describes a job for the board. `askedBy` are names or ids of tokens. */
type JobFacts = Pick<Job, 'parameters' | 'fileName'> & {
  export: string
  study: string
  samples: number
  askedBy: string[]
}

/** Placeholder for a filter, which may name people. */
const WITHHELD = '(a filter)'

/** Id of an import in the queue. It has one attempt, which may take several tries. */
export const IMPORT_ATTEMPT = 1

/** Describes an import for the board. */
type ImportFacts = Pick<JobFacts, 'study' | 'askedBy'> & { fileName: string; files: number; dryRun: boolean }

export function importFactsOf({ request }: ImportJob): ImportFacts {
  const { studyId, uploads, dryRun, tokenId, tokenName } = request
  return { fileName: 'import', study: studyId ?? 'new', files: uploads.length, dryRun, askedBy: [tokenName || tokenId] }
}

export function jobFactsOf({ plan, parameters, fileName, samplesTotal }: Job, askedBy: string[]): JobFacts {
  const { ignored: _, offsets: _offsets, ...rest } = parameters
  const shown = { ...rest, filter: parameters.filter === null ? null : WITHHELD }
  return { export: plan.export, study: plan.studyId, fileName, parameters: shown, samples: samplesTotal, askedBy }
}

/** Options that keep ended jobs in the queue for operators; the disk records how each job ended. */
export const REMEMBERED = { removeOnComplete: { age: 3600, count: 1000 }, removeOnFail: { age: 86_400, count: 1000 } }

/** Returns the id of an attempt in BullMQ, which refuses ids that hold a colon or are all digits. */
export function bullId(jobId: string, attempt: number): string {
  return `${jobId}-${attempt}`
}

/** Returns the id of the work that a payload names: an attempt, or a part of it. */
export function idOf({ jobId, attempt, part }: Payload): string {
  return part ? `${bullId(jobId, attempt)}-${part.number}of${part.of}` : bullId(jobId, attempt)
}

/** Adds the attempts to which the given parts belong. */
export function withWholes(ids: string[]): Set<string> {
  return new Set(ids.flatMap((id) => [id, id.replace(/-\d+of\d+$/, '')]))
}
