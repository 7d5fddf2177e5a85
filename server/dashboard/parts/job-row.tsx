import { useState } from 'preact/hooks'
import { asProblem, type Job, type Problem, request } from '../api.ts'
import { bytes, count, countOf, dateTime, decimal, timeLeft } from '../format.ts'
import { Trouble } from './states.tsx'

const STATES: Record<Job['state'], string> = {
  queued: 'Waiting',
  running: 'Running',
  succeeded: 'Ready',
  failed: 'Failed',
  canceled: 'Canceled',
  expired: 'Expired',
}

/** One job: how far it is, and what can be done with it. */
export function JobRow({
  job,
  studyName,
  itemName,
  onChanged,
}: {
  job: Job
  studyName: string
  itemName?: string
  onChanged: () => void
}) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const isOpen = job.state === 'queued' || job.state === 'running'
  const act = async (work: () => Promise<unknown>) => {
    setProblem(null)
    await work().catch((error: unknown) => setProblem(asProblem(error)))
    onChanged()
  }
  const again = () => act(() => request(pathOf(job), { headers: { Prefer: 'respond-async' } }))
  const withdraw = () => act(() => request(`/api2/jobs/${job.id}`, { method: 'DELETE' }))
  return (
    <li class={`job ${job.state}`} data-job={job.id} data-state={job.state}>
      <div class="job-head">
        <strong>{job.export}</strong>
        <span>{studyName}</span>
        <span class={`badge ${job.state}`}>{STATES[job.state]}</span>
      </div>
      <p class="hint">
        {itemName !== undefined && `${itemName} · `}
        {settingsOf(job)} · {dateTime(job.createdAt)}
      </p>
      {isOpen && <Progress job={job} />}
      {job.file !== null && (
        <p class="hint">
          {countOf(job.file.rows, 'row')}, {bytes(job.file.bytes)}
          {job.expiresAt !== null && ` · kept until ${dateTime(job.expiresAt)}`}
        </p>
      )}
      {job.error !== null && (
        <p class="trouble">
          <strong>{job.error.title}</strong> {job.error.detail}{' '}
          {job.error.type.startsWith('/docs/') && <a href={job.error.type}>What to do</a>}
        </p>
      )}
      <p class="row">
        {job.file !== null && (
          <a class="button primary" href={job.file.href} download={job.file.name}>
            Download
          </a>
        )}
        {isOpen && (
          <button type="button" onClick={withdraw}>
            Cancel
          </button>
        )}
        {!isOpen && job.file === null && (
          <button type="button" onClick={again}>
            Start again
          </button>
        )}
        {job.file !== null && (
          <button type="button" onClick={withdraw}>
            Delete file
          </button>
        )}
        <a href={againHref(job)}>Again with these settings</a>
      </p>
      {problem !== null && <Trouble problem={problem} />}
    </li>
  )
}

function Progress({ job: { state, progress } }: { job: Job }) {
  const { percent, samplesDone, samplesTotal, rows, etaSeconds } = progress
  return (
    <>
      <progress max={100} value={percent} aria-label="Progress">
        {percent} %
      </progress>
      <p class="hint" role="status">
        {state === 'queued'
          ? 'Waiting for a worker'
          : `${decimal(percent)} % · ${count(samplesDone)} of ${countOf(samplesTotal, 'sample')} · ${countOf(rows, 'row')} · ${timeLeft(etaSeconds)}`}
      </p>
    </>
  )
}

const UNSAID = ['itemId']
const VARIANTS: Record<string, string> = { 'gazes-normalized': 'normalized', mouse: 'mouse' }
const PATHS: Record<string, string> = {
  'gazes-raw': 'eye-tracking/gazes/raw',
  'gazes-normalized': 'eye-tracking/gazes/raw',
  'gazes-split': 'eye-tracking/gazes/raw-denoises-normalized-split',
  mouse: 'eye-tracking/gazes/raw',
  fixations: 'eye-tracking/fixations',
  'aoi-overall-stats': 'eye-tracking/aois-all/overall-stats',
  'aoi-fixations-stats': 'eye-tracking/aois-all/fixations-stats',
  'aoi-fixations-order': 'eye-tracking/aois-all/fixations-order',
  'aoi-clicks-stats': 'eye-tracking/aois-all/clicks-stats',
  'keyboard-mouse-overall': 'keyboard-and-mouse/overall-per-participant',
}

function given(job: Job): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(job.parameters)) if (value !== null) query.set(name, String(value))
  return query
}

/** The address that the job answers. */
function pathOf(job: Job): string {
  const query = given(job)
  if (VARIANTS[job.export] !== undefined) query.set('variant', VARIANTS[job.export])
  return `/api2/studies/${job.study.id}/collected-data/${PATHS[job.export]}?${query}`
}

function againHref(job: Job): string {
  const query = given(job)
  query.set('export', job.export)
  return `/studies/${job.study.id}/export?${query}`
}

function settingsOf(job: Job): string {
  const said = Object.entries(job.parameters).filter(([name, value]) => value !== null && !UNSAID.includes(name))
  return said.map(([name, value]) => `${name} ${value}`).join(', ')
}
