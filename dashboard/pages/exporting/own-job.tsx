import { useEffect, useState } from 'preact/hooks'
import type { JobView } from '../../core/api.ts'
import { useData } from '../../core/use-data.ts'
import { JobRow } from './job-row.tsx'

const OFTEN_MS = 500
const SELDOM_MS = 5000

/** Draws a job that was requested on this page, with its progress. */
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
