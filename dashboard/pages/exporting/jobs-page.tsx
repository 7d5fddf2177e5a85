import { useEffect, useState } from 'preact/hooks'
import { useStudies } from '../../core/all-studies.ts'
import type { JobView } from '../../core/api.ts'
import { countOf } from '../../core/number-texts.ts'
import { useData } from '../../core/use-data.ts'
import { useTitle } from '../../core/use-title.ts'
import { Await, Empty } from '../../ui/waiting/states.tsx'
import { JobRow } from './job-row.tsx'
import './exporting.css'

const OFTEN_MS = 700
const SELDOM_MS = 5000

export function JobsPage() {
  const [isOpen, setIsOpen] = useState(true)
  const jobs = useData<{ jobs: JobView[] }>('/api2/jobs?limit=50', isOpen ? OFTEN_MS : SELDOM_MS)
  const studies = useStudies()
  useTitle('Jobs')
  useEffect(() => {
    if (jobs.data !== null) setIsOpen(jobs.data.jobs.some(({ state }) => state === 'queued' || state === 'running'))
  }, [jobs.data])
  const nameOf = (id: string) => studies.data?.find((study) => study.id === id)?.name ?? id.slice(0, 8)
  return (
    <>
      <div class="page-head">
        <h1>Jobs</h1>
      </div>
      <Await loaded={jobs} what="jobs">
        {({ jobs: list }) =>
          list.length === 0 ? (
            <Empty title="No jobs yet">
              Large exports become jobs. Open a <a href="/">study</a> and choose “Export data”.
            </Empty>
          ) : (
            <>
              <p class="hint">
                {list.length === 50 ? 'The 50 latest jobs' : countOf(list.length, 'job')}. Identical requests share one
                job.
              </p>
              <ul class="job-list">
                {list.map((job) => (
                  <JobRow key={job.id} job={job} studyName={nameOf(job.study.id)} onChanged={jobs.retry} />
                ))}
              </ul>
            </>
          )
        }
      </Await>
    </>
  )
}
