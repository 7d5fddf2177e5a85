import { isJobId } from '../../engine/jobs/record/job-paths.ts'
import type { RunningJob } from '../../engine/jobs/record/state.ts'
import { isImportId } from '../../engine/uploads/import-job.ts'
import { endOfExport, runJob } from '../exports/run-job.ts'
import { listingExports } from '../exports/sweep-exports.ts'
import type { ImportContext } from '../imports/perform-import.ts'
import { endOfImport, runImport } from '../imports/run-import.ts'
import { listingImports } from '../imports/sweep-imports.ts'
import type { EndedPayload } from '../queue/payload.ts'
import type { JobContext } from '../tries/job-context.ts'
import type { ListedWork, SweepParts } from '../tries/listed-work.ts'
import type { Outcome, Tried } from '../tries/try.ts'

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
  /** Returns a function that lists the work on disk, for sweeps. */
  listing: (parts: SweepParts) => () => Promise<ListedWork>
}

/** A package is an export of several tables: only the function that computes its bytes differs (blocks-of.ts). */
export const KINDS: Kind[] = [
  { isOf: isJobId, run: runJob, endOf: endOfExport, listing: listingExports },
  { isOf: isImportId, run: runImport, endOf: endOfImport, listing: listingImports },
]

/** Returns the kind of work to which an id belongs. */
export function kindOf(jobId: string): Kind {
  const kind = KINDS.find(({ isOf }) => isOf(jobId))
  if (kind === undefined) throw new Error(`${jobId} is not an id of any kind of work`)
  return kind
}
