import { useState } from 'preact/hooks'
import { type ExportCatalog, type ExportInfo, type JobView, request } from '../../core/api.ts'
import { useLink } from '../../core/link-seen.ts'
import { bytes, countOf, dateTime, decimal, formatTitle, timeLeft, wholeText } from '../../core/number-texts.ts'
import { useChange } from '../../core/use-change.ts'
import { useData } from '../../core/use-data.ts'
import { LABELS, shortUnit } from '../../core/view/chart-settings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Await, Trouble } from '../../ui/waiting/states.tsx'
import { startJob } from './start-job.ts'

export const STATES: Record<JobView['state'], string> = {
  queued: 'Waiting',
  running: 'Running',
  succeeded: 'Ready',
  failed: 'Failed',
  canceled: 'Canceled',
  expired: 'Expired',
}

/** Draws a job: its progress, and what can be done with it. */
export function JobRow({ job, studyName, onChanged }: { job: JobView; studyName: string; onChanged: () => void }) {
  const { problem, act } = useChange()
  const isByLink = useLink() !== null
  const catalog = useData<ExportCatalog>('/api2/exports').data
  const entry = catalog?.exports.find(({ name }) => name === job.export)
  const isOpen = job.state === 'queued' || job.state === 'running'
  const change = (work: () => Promise<unknown>) => act(work).then(onChanged)
  const path = pathOf(job, entry)
  const hasFiles = job.file !== null || (job.partCount !== undefined && job.state === 'succeeded')
  const again = (path: string) => change(() => startJob(path))
  const withdraw = () => change(() => request(`/api2/jobs/${job.id}`, { method: 'DELETE' }))
  return (
    <li class={`job ${job.state}`} data-job={job.id} data-state={job.state}>
      <div class="job-head">
        <strong>{jobTitle(job, entry)}</strong>
        <bdi>{studyName}</bdi>
        <span class={`badge ${job.state}`}>{STATES[job.state]}</span>
      </div>
      <p class="hint">
        {catalog !== null && `${settingsOf(job, catalog)} · `}
        {dateTime(job.createdAt)}
      </p>
      {isOpen && <Progress job={job} />}
      {hasFiles && (
        <p class="hint">
          {job.partCount !== undefined && `${countOf(job.partCount, 'file')}, `}
          {countOf(job.progress.rows, 'row')}, {bytes(job.progress.bytes)}
          {job.expiresAt !== null && ` · kept until ${dateTime(job.expiresAt)}`}
        </p>
      )}
      {job.error !== null && (
        <p class="trouble">
          <strong>{job.error.title}</strong> {job.error.detail}{' '}
          {job.error.type.startsWith('/docs/') && <a href={job.error.type}>Solution</a>}
        </p>
      )}
      <p class="row">
        {job.file !== null && (
          <a class="button primary" href={job.file.href} download={job.file.name}>
            Download
          </a>
        )}
        {isOpen && !isByLink && <Button onClick={withdraw}>Cancel</Button>}
        {!isOpen && !hasFiles && path !== null && <Button onClick={() => again(path)}>Start again</Button>}
        {hasFiles && !isByLink && (
          <Button onClick={withdraw}>{job.file === null ? 'Delete files' : 'Delete file'}</Button>
        )}
        {!isByLink && <a href={againHref(job)}>Repeat with these settings</a>}
      </p>
      {hasFiles && job.file === null && <Parts id={job.id} />}
      {problem !== null && <Trouble problem={problem} />}
    </li>
  )
}

/** Draws the files of a job in parts, once they are asked for. */
function Parts({ id }: { id: string }) {
  const [isShown, setIsShown] = useState(false)
  return (
    <details onToggle={(event) => setIsShown((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>Files</summary>
      {isShown && <PartList id={id} />}
    </details>
  )
}

function PartList({ id }: { id: string }) {
  const job = useData<JobView>(`/api2/jobs/${id}`)
  return (
    <Await loaded={job} what="files">
      {({ parts = [] }) => (
        <ol>
          {parts.map(({ number, href, name, rows, bytes: size }) => (
            <li key={number}>
              <a href={href} download={name}>
                {name}
              </a>{' '}
              <span class="hint">
                {countOf(rows, 'row')}, {bytes(size)}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Await>
  )
}

function Progress({ job: { state, progress } }: { job: JobView }) {
  const { percent, samplesDone, samplesTotal, rows, etaSeconds, partsDone, partsTotal } = progress
  const ofParts = partsTotal === undefined ? '' : ` · ${wholeText(partsDone ?? 0)} of ${countOf(partsTotal, 'part')}`
  return (
    <>
      <progress max={100} value={percent} aria-label="Progress">
        {percent} %
      </progress>
      <p class="hint" role="status">
        {state === 'queued'
          ? 'Waiting for a worker'
          : `${decimal(percent)} % · ${wholeText(samplesDone)} of ${countOf(samplesTotal, 'sample')}${ofParts} · ${countOf(rows, 'row')} · ${timeLeft(etaSeconds)}`}
      </p>
    </>
  )
}

function given(job: JobView): URLSearchParams {
  const query = new URLSearchParams()
  // The analysis lists the ignored participants.
  const { ignored: _, ...parameters } = job.parameters
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, String(value))
  if (job.format !== undefined) query.set('format', job.format)
  return query
}

function isPackage({ export: name }: JobView): boolean {
  return name === 'package'
}

/** Returns the title of a job: its export or package. */
export function jobTitle(job: JobView, entry: ExportInfo | undefined): string {
  const { export: name, exports } = job
  if (isPackage(job)) return exports === undefined ? 'Package' : `Package of ${countOf(exports.length, 'table')}`
  return entry?.title ?? name
}

/** Returns the address of a job's answer; null until the export is known. */
function pathOf(job: JobView, entry: ExportInfo | undefined): string | null {
  const query = given(job)
  if (isPackage(job)) {
    if (job.exports !== undefined) query.set('exports', job.exports.join(','))
    return `/api2/studies/${job.study.id}/package?${query}`
  }
  if (entry === undefined) return null
  const { path, variant } = entry
  if (job.partCount !== undefined) query.set('output', 'parts')
  if (variant !== null && variant !== 'raw') query.set('variant', variant)
  return `${path.replace('{studyId}', job.study.id)}?${query}`
}

function againHref(job: JobView): string {
  const query = given(job)
  if (!isPackage(job)) query.set('export', job.export)
  return `/studies/${job.study.id}/export?${query}`
}

/** Returns the format of a job unless it is CSV, its item, and the changed settings. */
export function settingsOf(job: JobView, { parameters, formats }: ExportCatalog): string {
  const chosen: Record<string, unknown> = job.parameters
  const changed = parameters.filter(
    ({ name, kind, default: fallback }) => kind !== 'uuid' && (chosen[name] ?? fallback) !== fallback,
  )
  const said = changed.map(({ name, unit }) => `${LABELS[name] ?? name} ${chosen[name]} ${shortUnit(unit)}`.trim())
  const format = formats.find(({ name }) => name === job.format)
  return [
    ...(format ? [formatTitle(format)] : []),
    job.parameters.itemId ? 'one item' : 'all items',
    ...(said.length === 0 ? ['default settings'] : said),
  ].join(', ')
}
