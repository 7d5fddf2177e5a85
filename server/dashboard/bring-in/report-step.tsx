import { useEffect } from 'preact/hooks'
import { saveBlob } from '../charts/save.ts'
import { forgetAll, type Study, useData } from '../core/api.ts'
import { dateTime, slug } from '../core/number-texts.ts'
import { Found } from './check-step.tsx'
import { type Choices, readChoices } from './choices/choices.ts'
import { Counts, ImportProgress, Refusal, Said } from './parts.tsx'
import { reportJson, reportMarkdown } from './report-text.ts'
import { useImport } from './use-import.ts'

/** Draws an import as it goes on, and its report. */
export function ReportStep({
  id,
  choices,
  notes,
  onBack,
  onAnew,
}: {
  id: string
  choices: Choices
  notes: string[]
  onBack: () => void
  onAnew: () => void
}) {
  const followed = useImport(id)
  const { view, problem } = followed
  const report = view?.report ?? null
  useEffect(() => {
    // Lists of studies that were loaded before are old now.
    if (report !== null) forgetAll()
  }, [report === null])
  const study = useData<Study>(report === null ? null : `/api2/studies/${report.study.id}`, 0, id)
  const isOpen = view === null || view.finishedAt === null
  if (isOpen || report === null)
    return (
      <section class="card panel" aria-labelledby="report">
        <h2 id="report">3. Import</h2>
        {isOpen && <ImportProgress followed={followed} what="Import" />}
        {!isOpen && view.error !== null && (
          <Refusal error={view.error} title="The import failed, and nothing was changed." />
        )}
        {!isOpen && view.state === 'canceled' && <p>The import was stopped, and nothing was changed.</p>}
        {(!isOpen || problem?.status === 404) && (
          <p class="row">
            <button type="button" class="primary" onClick={onBack}>
              Back to the check
            </button>
          </p>
        )}
      </section>
    )
  const studyName = study.data?.name || choices.name || report.study.id
  const all = { view, asked: readChoices(choices).body, notes, studyName }
  const save = (text: string, ending: string, type: string) =>
    saveBlob(new Blob([text], { type }), `${slug(studyName)}-import.${ending}`)
  const { conversion } = report
  return (
    <section class="card panel import-report" aria-labelledby="report">
      <h2 id="report">
        {view.append ? 'Added to' : 'Imported:'} <bdi>{studyName}</bdi>
      </h2>
      <p role="status">
        {report.nothingNew !== null ? (
          <>Nothing to import: {report.nothingNew}.</>
        ) : report.published ? (
          <>The study and all of its exports are available.</>
        ) : (
          <>The study already had the same data: nothing was changed.</>
        )}
      </p>
      <p class="row no-print">
        <a class="button primary" href={`/studies/${report.study.id}`}>
          Open the study
        </a>
        <a class="button" href={`/studies/${report.study.id}/quality`}>
          View its data quality
        </a>
        <button type="button" onClick={() => window.print()}>
          Print
        </button>
        <button type="button" onClick={() => save(reportMarkdown(all), 'md', 'text/markdown')}>
          Save as Markdown
        </button>
        <button type="button" onClick={() => save(reportJson(all), 'json', 'application/json')}>
          Save as JSON
        </button>
        <button type="button" onClick={onAnew}>
          Import more
        </button>
      </p>
      <dl class="pairs">
        <Pair name="Read as" value={conversion === null ? 'a study bundle' : conversion.title} />
        <Pair name="Sent" value={view.uploads.map(({ name }) => name).join(', ')} />
        <Pair name="When" value={view.finishedAt === null ? '' : dateTime(view.finishedAt)} />
        <Pair name="Version of its data" value={report.snapshot} />
      </dl>
      <h3>The study now has</h3>
      <Counts counts={report.counts} />
      <Found report={report} />
      <Said title="Before it was sent" of={notes} />
    </section>
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
