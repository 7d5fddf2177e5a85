import { useEffect, useState } from 'preact/hooks'
import type { JobView } from '../../schemas/job.ts'
import { getJson, type Problem, useData } from '../api.ts'
import { JobRow } from './job-row.tsx'

/** Returns the job that an answer is about; null if the answer is the file, or there is none. */
export async function jobOf(response: Response, isWanted: boolean): Promise<JobView | null> {
  if (response.status === 202) return (await response.json()) as JobView
  if (!isWanted) return null
  // The file was there already: its job is named by its ETag.
  const planId = /"([0-9a-f]{64})/.exec(response.headers.get('etag') ?? '')?.[1]
  if (planId === undefined) return null
  return getJson<JobView>(`/api2/jobs/x${planId}`).catch((error: Problem) => {
    if (error.status === 404) return null
    throw error
  })
}

const OFTEN_MS = 500
const SELDOM_MS = 5000

/** Draws a job that was asked for on this page, as it goes on. */
export function OwnJob({ first, studyName }: { first: JobView; studyName: string }) {
  const isOpen = (job: JobView | null) => job === null || job.state === 'queued' || job.state === 'running'
  const [isDone, setIsDone] = useState(!isOpen(first))
  const latest = useData<JobView>(`/api2/jobs/${first.id}`, isDone ? SELDOM_MS : OFTEN_MS)
  useEffect(() => {
    if (latest.data !== null) setIsDone(!isOpen(latest.data))
  }, [latest.data])
  return (
    <ul class="job-list">
      <JobRow job={latest.data ?? first} studyName={studyName} onChanged={latest.retry} />
    </ul>
  )
}
