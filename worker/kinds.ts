import { isImportId } from '../engine/import/uploads/import-job.ts'
import { isJobId } from '../engine/jobs/record/job-paths.ts'
import type { RunningJob } from '../engine/jobs/record/state.ts'
import type { JobContext } from './job-context.ts'
import type { EndedPayload } from './queue.ts'
import { endOfImport, type ImportContext, runImport } from './run-import.ts'
import { endOfExport, runJob } from './run-job.ts'
import type { Outcome, Tried } from './try.ts'

/** Dependencies of any kind of work. */
export type WorkContext = JobContext & ImportContext

/** A kind of work that the queue carries. */
type Kind = {
  /** Returns the kind of work by its id. */
  isOf: (jobId: string) => boolean
  /** Runs one try (try.ts). */
  run: (
    tried: Tried,
    context: WorkContext,
    stop: AbortSignal,
    onProgress: (progress: RunningJob) => void,
  ) => Promise<Outcome>
  /** Returns the data about an end that the queue stores. */
  endOf: (context: WorkContext, jobId: string) => Promise<EndedPayload>
}

/** A package is an export of several tables: only the function that computes its bytes differs (blocks-of.ts). */
const KINDS: Kind[] = [
  { isOf: isJobId, run: runJob, endOf: endOfExport },
  { isOf: isImportId, run: runImport, endOf: endOfImport },
]

/** Returns the kind of work to which an id belongs. */
export function kindOf(jobId: string): Kind {
  const kind = KINDS.find(({ isOf }) => isOf(jobId))
  if (kind === undefined) throw new Error(`${jobId} is not an id of any kind of work`)
  return kind
}
