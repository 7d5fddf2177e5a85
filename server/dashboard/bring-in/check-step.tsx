import { useEffect, useState } from 'preact/hooks'
import type { Import } from '../../../clients/js/src/types.ts'
import { asProblem, type Problem, type Session } from '../core/api.ts'
import { bytes as sizeText } from '../core/number-texts.ts'
import { BY_MAPPING, type Choices, readChoices } from './choices/choices.ts'
import { ChoicesForm } from './choices/choices-form.tsx'
import { draftOf, type MappingJson } from './choices/mapping-draft.ts'
import { MappingForm } from './choices/mapping-form.tsx'
import { PicturesForm } from './choices/pictures-form.tsx'
import type { SentFile } from './files/use-sending.ts'
import { FoundFormat } from './found-format.tsx'
import { NamesFound } from './names-found.tsx'
import { Counts, ImportProgress, Refusal, Said } from './parts.tsx'
import { askImport, useImport } from './use-import.ts'

type Table = NonNullable<NonNullable<Import['found']>['table']>

/** The check of files: its import, and the choices with which it was asked for. */
export type Check = { id: string; asked: string }

/** Draws what the server's check of the files found, what can be said of them, and the button that brings them in. */
export function CheckStep({
  files,
  notes,
  choices,
  check,
  session,
  onChoices,
  onCheck,
  onBringIn,
  onAnew,
}: {
  files: SentFile[]
  notes: string[]
  choices: Choices
  check: Check | null
  session: Session
  onChoices: (changes: Partial<Choices>) => void
  onCheck: (check: Check | null) => void
  onBringIn: () => Promise<void>
  onAnew: () => void
}) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const followed = useImport(check?.id ?? null)
  const { body, faults } = readChoices(choices)
  const asked = JSON.stringify([choices.into, body])
  const act = async (work: () => Promise<unknown>) => {
    setProblem(null)
    setIsBusy(true)
    await work().catch((error: unknown) => setProblem(asProblem(error)))
    setIsBusy(false)
  }
  const ask = () =>
    act(async () => {
      const { id } = await askImport(
        files.map((file) => file.id),
        body,
        choices.into,
        true,
      )
      onCheck({ id, asked })
    })
  useEffect(() => {
    if (check === null) void ask()
  }, [])
  const view = followed.view
  const isOpen = check !== null && (view === null || view.finishedAt === null)
  const ended = view !== null && view.finishedAt !== null ? view : null
  const isChanged = check !== null && check.asked !== asked
  return (
    <section class="card panel" aria-labelledby="check">
      <h2 id="check">2. Check</h2>
      <p>
        <bdi>{files.map(({ name }) => name).join(', ')}</bdi>,{' '}
        {sizeText(files.reduce((sum, { bytes }) => sum + bytes, 0))}, sent.{' '}
        <button type="button" class="link" onClick={onAnew}>
          Choose other files
        </button>
      </p>
      <Said title="Before it was sent" of={notes} />
      {isOpen && <ImportProgress followed={followed} what="Checking" />}
      {problem !== null && <Refusal error={problem} title="The check could not be started." />}
      {ended !== null && <Ended view={ended} isOld={isChanged} {...{ choices, onChoices, session }} />}
      {(ended !== null || problem !== null) && (
        <>
          <Faults faults={faults} />
          <p class="row">
            <button
              type="button"
              class="primary"
              disabled={isBusy || faults.length > 0 || isChanged || ended?.state !== 'succeeded'}
              onClick={() => act(onBringIn)}
            >
              Import
            </button>
            <button type="button" disabled={isBusy || faults.length > 0} onClick={ask}>
              Check again
            </button>
            {isChanged && faults.length === 0 && <span class="hint">Check again with your changes.</span>}
          </p>
        </>
      )}
    </section>
  )
}

function Result({ view: { state, report, error }, isOld }: { view: Import; isOld: boolean }) {
  return (
    <div class={isOld ? 'result before-change' : 'result'} role="status">
      {isOld && <p class="badge">Result of the check before your changes</p>}
      {state === 'canceled' && <p>The check was stopped.</p>}
      {error !== null && <Refusal error={error} title="These files cannot be imported yet." />}
      {report !== null && (
        <>
          <p>
            <strong>Ready to import.</strong>{' '}
            {report.conversion === null
              ? 'This is a study bundle, so you need to choose nothing.'
              : 'Nothing has been imported yet.'}{' '}
            {report.nothingNew !== null && `Nothing to import: ${report.nothingNew}.`}
          </p>
          <Counts counts={report.counts} />
          <Found report={report} />
        </>
      )}
    </div>
  )
}

/** Draws whom, what and how much was found, and what was done about the rest. */
export function Found({ report: { conversion, left } }: { report: NonNullable<Import['report']> }) {
  return (
    <>
      {conversion !== null && <NamesFound {...conversion} />}
      <Said title="Please check" of={conversion?.check ?? []} kind="to-check" />
      <Said title="Assumed" of={conversion?.assumed ?? []} />
      <Said title="Left out" of={[...(conversion?.left ?? []), ...left]} />
    </>
  )
}

/** Draws what a check found, and what a person can say of it: the format, a mapping, and the rest. */
function Ended({
  view,
  isOld,
  choices,
  onChoices,
  session,
}: {
  view: Import
  isOld: boolean
  choices: Choices
  onChoices: (changes: Partial<Choices>) => void
  session: Session
}) {
  const { found, error, report } = view
  const table = found?.table ?? null
  const format = choices.format || (found?.formats.find(({ firstCount }) => firstCount > 0)?.name ?? '')
  // A table that nothing else fits needs a mapping, which begins with what the server proposes.
  const isProposed = table !== null && table.mapping !== null
  useEffect(() => {
    if (isProposed && choices.mapping === null) onChoices({ mapping: draftOf(table.mapping as MappingJson) })
  }, [isProposed, view.id])
  const onFormat = (name: string) => onChoices({ format: name, mapping: null })
  return (
    <>
      {found !== null && <FoundFormat found={found} choices={choices} isRefused={error !== null} onFormat={onFormat} />}
      {table?.fault != null && (
        <p class="refused" role="status">
          {table.fault}.
        </p>
      )}
      {!isProposed && <Result view={view} isOld={isOld} />}
      {table !== null && choices.mapping !== null && (
        <MappingForm
          table={table}
          notes={notesOf(table)}
          choices={choices}
          draft={choices.mapping}
          onChange={onChoices}
        />
      )}
      {report?.conversion?.pictures != null && (
        <PicturesForm pictures={report.conversion.pictures} choices={choices} onChange={onChoices} />
      )}
      <ChoicesForm
        choices={choices}
        onChange={onChoices}
        session={session}
        format={format === BY_MAPPING ? '' : format}
        isBundle={found === null && (report !== null || error?.type === '/docs/problems/invalid-bundle')}
        needsScreen={/`screens?`/.test(error?.detail ?? '')}
      />
    </>
  )
}

function notesOf({ mapping }: Table): string[] {
  return (mapping as { notes?: string[] } | null)?.notes?.filter((note) => !note.includes('`screen`')) ?? []
}

function Faults({ faults }: { faults: string[] }) {
  return (
    <div role="status">
      {faults.length > 0 && (
        <ul class="bulleted refused" aria-label="Missing information">
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
