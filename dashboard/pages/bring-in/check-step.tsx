import { useEffect, useRef } from 'preact/hooks'
import type { Import, Session } from '../../core/api.ts'
import { bytes as sizeText } from '../../core/number-texts.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { BY_MAPPING, type Choices } from './choices/choices.ts'
import { ChoicesForm } from './choices/choices-form.tsx'
import type { Role } from './choices/column-meanings.ts'
import { draftOf, type MappingDraft, type MappingJson } from './choices/mapping-draft.ts'
import { MappingForm } from './choices/mapping-form.tsx'
import { type ListedMessage, MessagesForm } from './choices/messages-form.tsx'
import { PicturesForm } from './choices/pictures-form.tsx'
import type { SentFile } from './files/use-sending.ts'
import { FoundFormat } from './found-format.tsx'
import { NamesFound } from './names-found.tsx'
import { CountsChanged, ImportCounts, ImportProgress, Refusal, Said } from './parts.tsx'
import { type ImportCheck, useCheck } from './use-check.ts'

type Table = NonNullable<NonNullable<Import['found']>['table']>

type CheckStepProps = {
  files: SentFile[]
  notes: string[]
  choices: Choices
  check: ImportCheck | null
  session: Session
  onChoices: (changes: Partial<Choices>) => void
  onCheck: (check: ImportCheck) => void
  onBringIn: () => Promise<void>
  onAnew: () => void
}

/** Draws the findings of the server's check of the files, the choices, and the import button. */
export function CheckStep(props: CheckStepProps) {
  const { files, notes, choices, session, onChoices, onBringIn, onAnew } = props
  const { problem, isBusy, act, ask, followed, last, isOpen, isOld, isWaiting, canBeChecked, missing, faults } =
    useCheck(props)
  const isReady = problem === null && last?.state === 'succeeded'
  return (
    <Panel title="2. Check" id="check">
      <p>
        <bdi>{files.map(({ name }) => name).join(', ')}</bdi>,{' '}
        {sizeText(files.reduce((sum, { bytes }) => sum + bytes, 0))}, sent.{' '}
        <Button class="link" onClick={onAnew}>
          Choose other files
        </Button>
      </p>
      <Said title="Before the upload" of={notes} />
      {isOpen && last === null && <ImportProgress followed={followed} what="Checking" />}
      {problem !== null && <Refusal error={problem} title="The check could not be started." />}
      {last !== null && <Ended view={last} {...{ isOld, choices, onChoices, session }} />}
      {(last !== null || problem !== null) && (
        <>
          <Faults missing={missing} faults={faults} />
          {isOpen && last !== null && <ImportProgress followed={followed} what="Checking" />}
          <p class="row">
            <Button
              class="primary"
              disabled={isBusy || !canBeChecked || isWaiting || !isReady}
              onClick={() => act(() => onBringIn())}
            >
              {choices.replaces !== null && choices.into !== null ? 'Replace the data' : 'Import'}
            </Button>
            {!isWaiting && canBeChecked && !isReady && (
              <Button disabled={isBusy} onClick={ask}>
                Check again
              </Button>
            )}
          </p>
        </>
      )}
    </Panel>
  )
}

function Result({ view: { state, report, error }, isOld }: { view: Import; isOld: boolean }) {
  return (
    <div class={isOld ? 'result before-change' : 'result'} role="status">
      {isOld && <p class="badge">Result of the check before your changes; the next check starts by itself</p>}
      {state === 'canceled' && <p>The check was stopped.</p>}
      {error !== null && <Refusal error={error} title="These files cannot be imported yet." />}
      {report !== null && (
        <>
          <p>
            <strong>{report.change === null ? 'Ready to import.' : 'Ready to replace the data of the study.'}</strong>{' '}
            {report.conversion === null
              ? 'This is a study bundle, so it needs no choices.'
              : 'Nothing has been imported yet.'}{' '}
            {report.nothingNew !== null && `Nothing to import: ${report.nothingNew}.`}
          </p>
          {report.change === null ? <ImportCounts counts={report.counts} /> : <CountsChanged change={report.change} />}
          <Found report={report} />
        </>
      )}
    </div>
  )
}

/** Draws the counts of participants, items and data, and what happened to the rest. */
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

type EndedProps = Pick<CheckStepProps, 'choices' | 'onChoices' | 'session'> & { view: Import; isOld: boolean }

/** Draws the findings of a check and the choices: the format, a mapping, and the rest. */
function Ended({ view, isOld, choices, onChoices, session }: EndedProps) {
  const { found, error, report } = view
  const table = found?.table ?? null
  const format = choices.format || (found?.formats.find(({ firstCount }) => firstCount > 0)?.name ?? '')
  // A table that no other format fits needs a mapping, which starts from the server's proposal.
  const isProposed = table !== null && table.mapping !== null
  useEffect(() => {
    if (isProposed && choices.mapping === null) onChoices({ mapping: proposedDraft(table) })
  }, [isProposed, view.id])
  // The form follows the table from top to bottom; its result comes last.
  const isMapped = table !== null && choices.mapping !== null
  // Kept even if no trial fits, so that the choice can be undone.
  const seen = useRef<ListedMessage[]>([])
  if (report !== null) seen.current = report.conversion?.messages ?? []
  const messages = choices.format === '' || choices.format === 'eyelink' ? seen.current : []
  const onFormat = (name: string) => onChoices({ format: name, mapping: null })
  return (
    <>
      {found !== null && <FoundFormat found={found} choices={choices} isRefused={error !== null} onFormat={onFormat} />}
      {table?.fault != null && (
        <p class="refused" role="status">
          {table.fault}.
        </p>
      )}
      {!isMapped && <Result view={view} isOld={isOld} />}
      {table !== null && choices.mapping !== null && (
        <MappingForm
          {...{ table, choices }}
          notes={notesOf(table)}
          look={table}
          draft={choices.mapping}
          onChange={onChoices}
        />
      )}
      {report?.conversion?.pictures != null && (
        <PicturesForm pictures={report.conversion.pictures} choices={choices} onChange={onChoices} />
      )}
      {!isMapped && messages.length > 0 && <MessagesForm seen={messages} choices={choices} onChange={onChoices} />}
      <ChoicesForm
        {...{ choices, session }}
        onChange={onChoices}
        format={format === BY_MAPPING ? '' : format}
        isBundle={found === null && (report !== null || error?.type === '/docs/problems/invalid-bundle')}
        needsScreen={/`screens?`/.test(error?.detail ?? '')}
      />
      {isMapped && !isProposed && <Result view={view} isOld={isOld} />}
    </>
  )
}

/** Returns the form of the proposed mapping, with conditions as external data. */
function proposedDraft({ mapping, conditions }: Table): MappingDraft {
  const draft = draftOf(mapping as MappingJson)
  const external = conditions.filter(({ column }) => draft.roles[column] === undefined)
  const roles = Object.fromEntries(external.map(({ column }): [string, Role] => [column, 'external']))
  return { ...draft, roles: { ...draft.roles, ...roles } }
}

function notesOf({ mapping }: Table): string[] {
  return (mapping as { notes?: string[] } | null)?.notes?.filter((note) => !note.includes('`screen`')) ?? []
}

/** Lists missing choices and invalid ones. */
function Faults({ missing, faults }: { missing: string[]; faults: string[] }) {
  const list = (label: string, sentences: string[], look: string) =>
    sentences.length > 0 && (
      <ul class={`bulleted ${look}`} aria-label={label}>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    )
  return (
    <div role="status">
      {list('Missing information', missing, 'still-missing')}
      {list('Invalid information', faults, 'refused')}
    </div>
  )
}
