import { useState } from 'preact/hooks'
import { type AnalysisSeen, useAnalysis } from '../../core/analysis/analysis-seen.ts'
import { type Applied, appliedText } from '../../core/analysis/applied.ts'
import { changesIn, FIRST_ANALYSIS, type Stored, TAKEN_UP, withChanges } from '../../core/analysis/decided.ts'
import type { ParameterInfo } from '../../core/api.ts'
import { studyOfPath } from '../../core/link-seen.ts'
import { isolate } from '../../core/number-texts.ts'
import { hasSettings, openSettings } from '../../core/open-settings.ts'
import { usePeople, whoOf } from '../../core/people/people.ts'
import { inWords } from '../../core/problem-words.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { Button } from '../controls/button.tsx'
import { Choice, type ChoiceOption } from '../controls/choice.tsx'
import { Inline, TextInput } from '../controls/field.tsx'

const NAME = /^[a-z0-9-]{1,64}$/

type AnalysisStripProps = {
  applied: Applied
  /** Parameters with the server's defaults. */
  plain: ParameterInfo[]
  /** The same with the values of the analysis. */
  decided: ParameterInfo[]
}

/** Sums up what applies to a page of a study, and offers to change it, to save it and to go back to the defaults. */
export function AnalysisStrip({ applied, plain, decided }: AnalysisStripProps) {
  const seen = useAnalysis()
  const { query, path } = usePlace()
  const [isOpen, setIsOpen] = useState(false)
  if (seen === null) return null
  const { all, current, unknown, problem, mayChange, store, undo } = seen
  const changes = changesIn(query, decided)
  const save = async (name: string) => {
    await store(name, withChanges(current?.analysis ?? {}, query, decided, plain), TAKEN_UP)
  }
  const name = current?.name ?? FIRST_ANALYSIS
  const isPast = current !== null && !all.some(({ reference }) => reference === current.reference)
  const says = appliedText(applied)
  const small = (words: string, onClick: () => void, more = {}) => (
    <Button class="small quiet" {...more} onClick={onClick}>
      {words}
    </Button>
  )
  return (
    <section class={`analysis-strip${says === applied.gaze ? ' default' : ''}`} aria-label="Analysis">
      <AnalysisChoice {...seen} />
      <span class="held" title={says}>
        {unknown !== null && <strong>There is no analysis named {unknown} in this study, so none is used. </strong>}
        {isPast && `version ${current.version}: `}
        <Says {...applied} />
      </span>
      <span class="row no-print">
        {mayChange &&
          changes.length > 0 &&
          !isPast &&
          small('Save', () => void save(name), { title: `In the analysis “${name}”: ${changes.join(' · ')}` })}
        {mayChange &&
          (changes.length > 0 || current !== null) &&
          small('Save as …', () => setIsOpen(!isOpen), { 'aria-expanded': isOpen })}
        {undo !== null && small('Undo', () => void undo())}
        {changes.length > 0 &&
          small('Reset', () => setQuery(RESET), {
            title: 'Takes conditions, settings, time window and colours out of the address',
          })}
        {hasSettings(path) && small('change', openSettings, { title: 'Goes to the settings of this page' })}
      </span>
      {problem !== null && (
        <p class="refused" role="alert">
          {inWords(problem).title}. {inWords(problem).detail}
        </p>
      )}
      {isOpen && mayChange && <Details onSaveAs={save} />}
    </section>
  )
}

const RESET = Object.fromEntries(TAKEN_UP.map((name) => [name, null]))

function Says({ excluded, changed, gaze, kept }: Applied) {
  if (excluded === '' && changed.length === 0)
    return <>{`All participants, default settings${gaze === '' ? '' : ` · ${gaze}`}`}</>
  return (
    <>
      <bdi>{appliedText({ excluded, changed, gaze })}</bdi>
      {kept !== '' && <span class={`no-print${kept === 'not saved' ? ' unsaved' : ''}`}> · {kept}</span>}
    </>
  )
}

/** Draws the choice among the study's analyses, or none. */
function AnalysisChoice({ all, current, choose }: Pick<AnalysisSeen, 'all' | 'current' | 'choose'>) {
  if (all.length === 0) return null
  const option = ({ name, analysis: { title } }: Stored): ChoiceOption => [
    name,
    title ? `${isolate(title)} (${name})` : name,
  ]
  return (
    <Choice
      isInline
      label="Analysis"
      value={current?.name ?? ''}
      of={[['', 'none'], ...all.map(option)]}
      onChange={(value) => choose(value || null)}
    />
  )
}

/** Draws the ignored participants with their reasons, and a field to save the analysis under another name. */
function Details({ onSaveAs }: { onSaveAs: (name: string) => Promise<void> }) {
  const seen = useAnalysis()!
  const [name, setName] = useState('')
  const { current, store, remove } = seen
  const people = usePeople(studyOfPath(usePlace().path)!)
  const analysis = current?.analysis ?? {}
  const ignored = analysis.ignored ?? []
  const put = (next: typeof ignored) => current !== null && void store(current.name, { ...analysis, ignored: next })
  return (
    <div class="details">
      {ignored.length > 0 && (
        <ul>
          {ignored.map((each) => (
            <li key={each.participantId} class="row">
              <bdi>{whoOf(people, each.participantId)}</bdi>
              <Inline label="Reason">
                <input
                  type="text"
                  value={each.reason}
                  onChange={({ currentTarget: field }) =>
                    put(ignored.map((one) => (one === each ? { ...each, reason: field.value } : one)))
                  }
                />
              </Inline>
              <Button class="small" onClick={() => put(ignored.filter((one) => one !== each))}>
                Stop ignoring
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          if (NAME.test(name)) void onSaveAs(name)
        }}
      >
        <Inline label="Save under a name">
          <TextInput value={name} placeholder="a-z, 0-9 and -" pattern="[a-z0-9-]{1,64}" onText={setName} />
        </Inline>
        <Button isSubmit class="small" disabled={!NAME.test(name)}>
          Save
        </Button>
        {current !== null && (
          <Button class="small" onClick={() => void remove(current.name)}>
            Delete this analysis
          </Button>
        )}
        <span class="hint">The analysis {FIRST_ANALYSIS} is used when a page opens.</span>
      </form>
    </div>
  )
}

type IgnoreButtonProps = {
  participantId: string
  name?: string
  /** True if space is short. */
  isShort?: boolean
  /** True inside a table that is navigated by arrow keys. */
  isWalked?: boolean
}

/** Draws the button that ignores a participant in the analysis; draws nothing for users who may not change it. */
export function IgnoreButton(props: IgnoreButtonProps) {
  const { participantId, name = participantId.slice(0, 8), isShort = false, isWalked = false } = props
  const seen = useAnalysis()
  if (seen === null || !seen.mayChange) return null
  const isIgnored = seen.current?.analysis.ignored?.some((each) => each.participantId === participantId)
  if (isIgnored) return <span class="hint">ignored</span>
  return (
    <Button
      class={isShort ? 'ignore' : 'small'}
      {...(isWalked ? { tabIndex: -1, 'data-walk': true } : {})}
      title="Leave this participant out of the analysis"
      aria-label={isShort ? `Ignore ${isolate(name)}` : `Ignore this participant: ${isolate(name)}`}
      onClick={() => void seen.ignore(participantId)}
    >
      {isShort ? '×' : 'Ignore this participant'}
    </Button>
  )
}
