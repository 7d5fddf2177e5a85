import { useEffect } from 'preact/hooks'
import {
  forgetAll,
  getJson,
  type Import,
  type Problem,
  request,
  type Study,
  type StudyHistory,
  type UploadList,
} from '../../core/api.ts'
import { dateTime, slug } from '../../core/number-texts.ts'
import { useChange } from '../../core/use-change.ts'
import { useData } from '../../core/use-data.ts'
import { saveBlob } from '../../figures/save.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { Trouble } from '../../ui/waiting/states.tsx'
import { Found } from './check-step.tsx'
import { type Choices, readImportChoices } from './choices/choices.ts'
import { ImportCounts, ImportProgress, Refusal, Said } from './parts.tsx'
import { reportJson, reportMarkdown } from './report-text.ts'
import { useImport } from './use-import.ts'

type ReportStepProps = {
  id: string
  choices: Choices
  notes: string[]
  onBack: () => void
  /** Returns to the files, to import them with other choices. */
  onAgain: (choices: Pick<Choices, 'into' | 'replaces'>) => void
  onAnew: () => void
}

/** Draws a running import, and then its report. */
export function ReportStep({ id, onBack, ...of }: ReportStepProps) {
  const followed = useImport(id)
  const { view, problem } = followed
  const report = view?.report ?? null
  useEffect(() => {
    // Cached lists of studies are out of date now.
    if (report !== null) forgetAll()
  }, [report === null])
  const isOpen = view === null || view.finishedAt === null
  if (!isOpen && report !== null) return <Report {...of} {...{ view, report }} />
  return (
    <Panel title="3. Import" id="report">
      {isOpen && <ImportProgress followed={followed} what="Import" />}
      {!isOpen && view.error !== null && (
        <Refusal error={view.error} title="The import failed, and nothing was changed." />
      )}
      {!isOpen && view.state === 'canceled' && <p>The import was stopped, and nothing was changed.</p>}
      {(!isOpen || problem?.status === 404) && (
        <p class="row">
          <Button class="primary" onClick={onBack}>
            Back to the check
          </Button>
        </p>
      )}
    </Panel>
  )
}

type Reported = { view: Import; report: NonNullable<Import['report']> }
function Report({ view, report, choices, notes, onAgain, onAnew }: Reported & Omit<ReportStepProps, 'id' | 'onBack'>) {
  const study = useData<Study>(`/api2/studies/${report.study.id}`, 0, view.id)
  const studyName = study.data?.name || choices.name || report.study.id
  const all = { view, asked: readImportChoices(choices).body, notes, studyName }
  const save = (text: string, ending: string, type: string) =>
    saveBlob(new Blob([text], { type }), `${slug(studyName)}-import.${ending}`)
  return (
    <Panel
      title={
        <>
          {view.append ? 'Added to' : 'Imported:'} <bdi>{studyName}</bdi>
        </>
      }
      id="report"
      class="import-report"
    >
      <p role="status">{resultWords(report)}</p>
      <p class="row no-print">
        <a class="button primary" href={`/studies/${report.study.id}`}>
          Open the study
        </a>
        <a class="button" href={`/studies/${report.study.id}/quality`}>
          View its data quality
        </a>
        <Button onClick={() => window.print()}>Print</Button>
        <Button onClick={() => save(reportMarkdown(all), 'md', 'text/markdown')}>Save as Markdown</Button>
        <Button onClick={() => save(reportJson(all), 'json', 'application/json')}>Save as JSON</Button>
        <Button onClick={onAnew}>Import more</Button>
      </p>
      {(report.published || !view.append) && <ImportAgain view={view} report={report} onAgain={onAgain} />}
      <dl class="pairs">
        <Pair name="Read as" value={report.conversion?.title ?? 'a study bundle'} />
        <Pair name="Sent" value={view.uploads.map(({ name }) => name).join(', ')} />
        <Pair name="When" value={view.finishedAt === null ? '' : dateTime(view.finishedAt)} />
        <Pair name="Version of its data" value={report.snapshot} />
      </dl>
      <h3>The study now has</h3>
      <ImportCounts counts={report.counts} />
      <Found report={report} />
      <Said title="Before the upload" of={notes} />
    </Panel>
  )
}

function resultWords({ nothingNew, published }: Reported['report']): string {
  if (nothingNew !== null) return `Nothing to import: ${nothingNew}.`
  return published
    ? 'The study and all of its exports are available.'
    : 'The study already had the same data: nothing was changed.'
}

const CHANGED_SINCE: Problem = {
  status: 409,
  title: 'The study has changed since',
  detail: 'Undoing the import would undo the later changes, too. Undo those on the page of the study first.',
  type: null,
}

/** Offers to correct a choice while the files exist: the study is replaced, or the addition is undone. */
function ImportAgain({ view, report, onAgain }: Reported & Pick<ReportStepProps, 'onAgain'>) {
  const { data } = useData<UploadList>('/api2/uploads', 0, view.id)
  const { problem, act, setProblem } = useChange()
  const kept = view.uploads.map(({ id }) => data?.uploads.find((upload) => upload.id === id))
  if (!kept.every((upload) => upload !== undefined)) return null
  const into = report.study.id
  const again = () =>
    act(async () => {
      forgetAll()
      // A merge of files since then has made a new version of the same data.
      const { snapshot } = await getJson<Study>(`/api2/studies/${into}`)
      if (!view.append) return onAgain({ into, replaces: snapshot })
      const { entries, undoable } = await getJson<StudyHistory>(`/api2/studies/${into}/history?limit=1`)
      if (undoable === null || entries[0]?.snapshot !== report.snapshot) return setProblem(CHANGED_SINCE)
      await request(`/api2/studies/${into}/undo`, { method: 'POST', headers: { 'If-Match': `"${snapshot}"` } })
      forgetAll()
      onAgain({ into, replaces: null })
    })
  const until = kept.map(({ expiresAt }) => expiresAt).sort()[0]
  return (
    <div class="no-print">
      <p class="row">
        <Button onClick={again}>
          {view.append ? 'Undo it, and import again with other choices' : 'Import again with other choices'}
        </Button>
        <span class="hint">
          The files are kept until {dateTime(until)}. You see what would change before you confirm.
        </span>
      </p>
      {problem !== null && <Trouble problem={problem} />}
    </div>
  )
}

function Pair({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="address">
        <bdi>{value}</bdi>
      </dd>
    </div>
  )
}
