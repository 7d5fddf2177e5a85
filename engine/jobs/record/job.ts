import type { Parameters } from '../../model/parameters.ts'
import type { FilePlan } from '../../model/plan.ts'
import type { JobEnd } from './state.ts'

/** Job as stored on disk. While it has no end, the queue knows its state. */
export type Job = {
  /** `x` and the plan's id. */
  id: string
  plan: FilePlan
  /** Parameters of the request, including those that are not in the plan. */
  parameters: Parameters
  samplesTotal: number
  /** File name of a download. */
  fileName: string
  /** Number of the attempt, from 1; a request for a failed or expired job starts the next attempt. */
  attempt: number
  /** Time at which this attempt was requested; RFC 3339. */
  createdAt: string
  /** End of this attempt; null while it has not ended. */
  end: JobEnd | null
}
