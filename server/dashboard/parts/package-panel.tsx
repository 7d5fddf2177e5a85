import { useEffect, useState } from 'preact/hooks'
import type { JobView } from '../../schemas/job.ts'
import { asProblem, type Problem, request } from '../api.ts'
import { jobOf, OwnJob } from './own-job.tsx'
import { Trouble } from './states.tsx'

/** Draws the button that makes all tables into one package, and the progress of its job. */
export function PackagePanel({ path, format, studyName }: { path: string; format: string; studyName: string }) {
  const [job, setJob] = useState<JobView | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => {
    setJob(null)
    setProblem(null)
  }, [path])
  const ask = async () => {
    setIsBusy(true)
    setProblem(null)
    try {
      setJob(await jobOf(await request(path, { headers: { Prefer: 'respond-async' } }), true))
    } catch (error) {
      setProblem(asProblem(error))
    }
    setIsBusy(false)
  }
  return (
    <section class="card panel take" aria-labelledby="package">
      <h2 id="package">Everything as one package</h2>
      <p>
        Every table that has rows, {format === 'parquet' ? 'as Parquet' : 'as CSV'}, of the same tests and with the same
        settings, in one ZIP file: with the methods in words, a citation, and descriptions for Frictionless, RO-Crate
        and Croissant.
      </p>
      <p class="row">
        <button type="button" disabled={isBusy} onClick={ask}>
          Make the package
        </button>
      </p>
      {problem !== null && <Trouble problem={problem} />}
      {job !== null && <OwnJob key={job.id} first={job} studyName={studyName} />}
    </section>
  )
}
