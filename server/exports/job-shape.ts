import type { JobEnd, JobProgress, JobState } from '../../engine/jobs/state.ts'
import type { FormatName } from '../../engine/model/format-names.ts'
import type { Parameters } from '../../engine/model/parameters.ts'
import type { ProblemBody } from '../http/problem-body.ts'

/** A job as a client sees it, also the dashboard. Times are RFC 3339 in UTC. */
export type JobView = {
  id: string
  export: string
  study: { id: string }
  snapshot: string
  parameters: Parameters
  state: JobState
  progress: JobProgress
  createdAt: string
  startedAt: JobEnd['startedAt']
  finishedAt: JobEnd['finishedAt'] | null
  expiresAt: JobEnd['expiresAt']
  file: {
    href: string
    name: string
    bytes: number
    gzipBytes: number | null
    rows: number
    sha256: string
    gzipSha256: string | null
  } | null
  error: ProblemBody | null
  /** Only where the file is not CSV. */
  format?: FormatName
}
