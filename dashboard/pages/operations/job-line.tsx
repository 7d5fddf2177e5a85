import { type ExportCatalog, type OperatorJob, request } from '../../core/api.ts'
import { bytes, countOf, dateTime, decimal, lasting } from '../../core/number-texts.ts'
import { useChange } from '../../core/use-change.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Trouble } from '../../ui/waiting/states.tsx'
import { jobTitle, STATES, settingsOf } from '../exporting/job-row.tsx'

const secondsBetween = (from: string, to: string | null) =>
  ((to === null ? Date.now() : Date.parse(to)) - Date.parse(from)) / 1000

type JobLineProps = { job: OperatorJob; catalog: ExportCatalog | null; onChanged: () => void }

/** Draws a job as a row of the operator's table, with its actions. */
export function JobLine({ job, catalog, onChanged }: JobLineProps) {
  const entry = catalog?.exports.find(({ name }) => name === job.export)
  const title = jobTitle(job, entry)
  const { state, error, file, progress } = job
  return (
    <tr data-job={job.id} data-state={state}>
      <th scope="row" class="job-what">
        <strong>{title}</strong>
        <a href={`/studies/${job.study.id}`}>
          <bdi>{job.studyName ?? job.study.id}</bdi>
        </a>
        {catalog !== null && <span class="hint">{settingsOf(job, catalog)}</span>}
        {error !== null && (
          <span class="why">
            <strong>{error.title}.</strong> {error.detail}{' '}
            {error.type.startsWith('/docs/') && <a href={error.type}>Solution</a>}
          </span>
        )}
      </th>
      <td>
        <span class={`badge ${state}`}>{STATES[state]}</span>
        {state === 'running' && ` ${decimal(progress.percent)} %`}
      </td>
      <td>
        {job.askedBy.length === 0 ? '–' : null}
        {job.askedBy.map(({ id, name }) => (
          <bdi key={id} class="asker" title={`token ${id}`}>
            {name === '' ? `token ${id.slice(0, 8)}` : name}
          </bdi>
        ))}
      </td>
      <td>
        <time dateTime={job.createdAt}>{dateTime(job.createdAt)}</time>
        <span class="hint">{lasting(Math.max(0, secondsBetween(job.createdAt, null)))} ago</span>
      </td>
      <td class="number">{waited(job)}</td>
      <td class="number">
        {countOf(progress.samplesTotal, 'sample')}
        {file !== null && <span class="hint">{bytes(file.bytes)}</span>}
      </td>
      <td class="number">{triesOf(job)}</td>
      <td>
        <JobActions job={job} title={title} onChanged={onChanged} />
      </td>
    </tr>
  )
}

function waited({ createdAt, startedAt, finishedAt }: OperatorJob): string {
  if (startedAt !== null) return lasting(Math.max(0, secondsBetween(createdAt, startedAt)))
  return finishedAt === null ? lasting(Math.max(0, secondsBetween(createdAt, null))) : '–'
}

/** Says how often requests started a job, and how often workers lost it. */
function triesOf({ attempt, tries }: OperatorJob): string {
  return tries > 1 ? `${attempt} (${countOf(tries, 'try', 'tries')})` : String(attempt)
}

function JobActions({ job, title, onChanged }: { job: OperatorJob; title: string; onChanged: () => void }) {
  const { problem, act } = useChange()
  const ask = async (path: string, method: string) => {
    await act(() => request(path, { method }))
    onChanged()
  }
  const isOpen = job.state === 'queued' || job.state === 'running'
  const about = `${title}, ${job.studyName ?? job.study.id}`
  return (
    <div class="row">
      {job.file !== null && (
        <a class="button small" href={job.file.href} download={job.file.name} aria-label={`Download ${about}`}>
          Download
        </a>
      )}
      {isOpen && (
        <Button
          class="small"
          aria-label={`Cancel for all: ${about}`}
          onClick={() => ask(`/api2/jobs/${job.id}`, 'DELETE')}
        >
          Cancel for all
        </Button>
      )}
      {!isOpen && job.state !== 'succeeded' && (
        <Button
          class="small"
          aria-label={`Try again: ${about}`}
          onClick={() => ask(`/api2/operations/jobs/${job.id}/retry`, 'POST')}
        >
          Try again
        </Button>
      )}
      {problem !== null && <Trouble problem={problem} />}
    </div>
  )
}
