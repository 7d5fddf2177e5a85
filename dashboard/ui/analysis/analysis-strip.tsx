import { useState } from 'preact/hooks'
import { type AnalysisSeen, useAnalysis } from '../../core/analysis/analysis-seen.ts'
import {
  changesIn,
  FIRST_ANALYSIS,
  type Stored,
  summaryOf,
  TAKEN_UP,
  withChanges,
} from '../../core/analysis/decided.ts'
import type { ParameterInfo } from '../../core/api.ts'
import { isolate } from '../../core/number-texts.ts'
import { usePlace } from '../../core/router.ts'
import { readSettings } from '../../core/view/chart-settings.ts'
import { Button } from '../controls/button.tsx'
import { Choice, type Option } from '../controls/choice.tsx'
import { Inline, TextInput } from '../controls/field.tsx'

const NAME = /^[a-z0-9-]{1,64}$/

/**
 * Shows the analysis that the pages of a study use, and its contents; offers to save the changes of the address into
 * it.
 *
 * @param plain parameters with the server's defaults
 * @param decided the same with the values of the analysis
 */
export function AnalysisStrip({ plain, decided }: { plain: ParameterInfo[]; decided: ParameterInfo[] }) {
  const seen = useAnalysis()
  const { query } = usePlace()
  const [isOpen, setIsOpen] = useState(false)
  if (seen === null || (seen.all.length === 0 && !seen.mayChange && seen.unknown === null)) return null
  const { all, current, unknown, problem, mayChange, store, undo } = seen
  const changes = changesIn(query, decided)
  const save = async (name: string) => {
    const { settings } = readSettings(query, decided)
    await store(name, withChanges(current?.analysis ?? {}, settings, plain), TAKEN_UP)
  }
  const name = current?.name ?? FIRST_ANALYSIS
  const isPast = current !== null && !all.some(({ reference }) => reference === current.reference)
  return (
    <section class="analysis-strip" aria-label="Analysis">
      <AnalysisChoice {...seen} />
      <span class="held">
        {unknown !== null && <strong>There is no analysis named {unknown} in this study, so none is used. </strong>}
        {isPast && `version ${current.version}: `}
        <bdi>{summaryOf(current?.analysis ?? {}, plain)}</bdi>
      </span>
      {mayChange && (
        <span class="row">
          {changes.length > 0 && !isPast && (
            <Button class="small" title={changes.join(' · ')} onClick={() => void save(name)}>
              {current === null ? 'Save these settings as the analysis' : 'Save these settings in the analysis'}
            </Button>
          )}
          {undo !== null && (
            <Button class="small" onClick={() => void undo()}>
              Undo
            </Button>
          )}
          <Button class="small quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            change
          </Button>
        </span>
      )}
      {problem !== null && (
        <p class="refused" role="alert">
          {problem.title}. {problem.detail}
        </p>
      )}
      {isOpen && mayChange && <Details onSaveAs={save} />}
    </section>
  )
}

/** Draws the choice among the study's analyses, or none. */
function AnalysisChoice({ all, current, choose }: Pick<AnalysisSeen, 'all' | 'current' | 'choose'>) {
  if (all.length === 0) return null
  const option = ({ name, analysis: { title } }: Stored): Option => [name, title ? `${isolate(title)} (${name})` : name]
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
  const analysis = current?.analysis ?? {}
  const ignored = analysis.ignored ?? []
  const put = (next: typeof ignored) => current !== null && void store(current.name, { ...analysis, ignored: next })
  return (
    <div class="details">
      {ignored.length > 0 && (
        <ul>
          {ignored.map((each) => (
            <li key={each.participantId} class="row">
              <code>{each.participantId.slice(0, 8)}</code>
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
export function IgnoreButton({
  participantId,
  name = participantId.slice(0, 8),
  isShort = false,
  isWalked = false,
}: IgnoreButtonProps) {
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
