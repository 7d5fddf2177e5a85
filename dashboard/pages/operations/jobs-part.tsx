import { useState } from 'preact/hooks'
import type { ExportCatalog, OperatorJob, StudySummary } from '../../core/api.ts'
import { countOf, wholeText } from '../../core/number-texts.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { useData } from '../../core/use-data.ts'
import { ColumnNames } from '../../ui/column-names.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { Scrolling } from '../../ui/scrolling.tsx'
import { Await, Empty } from '../../ui/waiting/states.tsx'
import { STATES } from '../exporting/job-row.tsx'
import { JobLine } from './job-line.tsx'

const PAGE = 25
const LOOK_EVERY_MS = 5000

type Page = { jobs: OperatorJob[]; nextCursor: string | null }

/** Draws all jobs, page by page: owner, size, age and state. */
export function JobsPart({ onChanged }: { onChanged: () => void }) {
  const { query } = usePlace()
  /** Cursors of the pages before this one, and of this one. */
  const [cursors, setCursors] = useState<string[]>([''])
  const state = query.get('state') ?? ''
  const study = query.get('study') ?? ''
  const asked = new URLSearchParams({ limit: String(PAGE) })
  const cursor = cursors[cursors.length - 1]
  for (const [name, value] of Object.entries({ state, study, cursor })) if (value !== '') asked.set(name, value)
  const page = useData<Page>(`/api2/operations/jobs?${asked}`, LOOK_EVERY_MS)
  const catalog = useData<ExportCatalog>('/api2/exports').data
  const choose = (name: string, value: string) => {
    setCursors([''])
    setQuery({ [name]: value })
  }
  const changed = () => {
    page.retry()
    onChanged()
  }
  return (
    <Panel
      title="Jobs"
      id="operator-jobs"
      class="operator-jobs"
      side={<Choices state={state} study={study} choose={choose} />}
    >
      <Await loaded={page} what="jobs">
        {({ jobs, nextCursor }) => (
          <>
            {jobs.length === 0 ? <Empty title={state === '' && study === '' ? 'No jobs yet' : 'No such job'} /> : null}
            {jobs.length > 0 && <JobTable jobs={jobs} catalog={catalog} onChanged={changed} />}
            <nav class="row" aria-label="Pages of jobs">
              <Button disabled={cursors.length === 1} onClick={() => setCursors(cursors.slice(0, -1))}>
                Newer
              </Button>
              <Button disabled={nextCursor === null} onClick={() => setCursors([...cursors, nextCursor as string])}>
                Older
              </Button>
              <span class="hint" role="status">
                Page {wholeText(cursors.length)}: {countOf(jobs.length, 'job')}
                {nextCursor === null ? ', the last of them' : ', newest first'}
              </span>
            </nav>
          </>
        )}
      </Await>
    </Panel>
  )
}

type ChoicesProps = { state: string; study: string; choose: (name: string, value: string) => void }

function Choices({ state, study, choose }: ChoicesProps) {
  const studies = useData<{ studies: StudySummary[] }>('/api2/studies').data?.studies ?? []
  return (
    <div class="row">
      <Choice
        label="State"
        value={state}
        of={[['', 'all'], ...Object.entries(STATES).map(([each, words]): ChoiceOption => [each, words.toLowerCase()])]}
        onChange={(value) => choose('state', value)}
      />
      <Choice
        label="Study"
        value={study}
        of={[['', 'all'], ...studies.map(({ id, name }): ChoiceOption => [id, name])]}
        onChange={(value) => choose('study', value)}
      />
    </div>
  )
}

type JobTableProps = { jobs: OperatorJob[]; catalog: ExportCatalog | null; onChanged: () => void }

function JobTable({ jobs, catalog, onChanged }: JobTableProps) {
  return (
    <Scrolling class="table-scroll job-table" label="Jobs, table">
      <table>
        <ColumnNames of={['Job', 'State', 'Requested by', 'Requested', 'Waited', 'Size', 'Tries', 'Actions']} />
        <tbody>
          {jobs.map((job) => (
            <JobLine key={job.id} job={job} catalog={catalog} onChanged={onChanged} />
          ))}
        </tbody>
      </table>
    </Scrolling>
  )
}
