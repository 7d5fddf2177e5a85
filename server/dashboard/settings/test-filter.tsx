import { useEffect, useId, useState } from 'preact/hooks'
import type { Problem } from '../core/api.ts'
import { useIsView } from '../core/link-seen.ts'
import { FilterChips } from '../people/filter-chips.tsx'
import type { People } from '../people/people.ts'
import type { Settings } from '../view/chart-settings.ts'

type Props = {
  settings: Settings
  onChange: (settings: Settings) => void
  /** Of the answer to the last request: what the server says of the filter is told. */
  problem: Problem | null
}

/** Draws the conditions on tests as chips; the same as a text of SQL is folded away. */
export function TestFilter({ people, ...props }: Props & { people: People }) {
  const { settings, onChange, problem } = props
  const facts = people.first.data
  const isRefused = problem?.errors?.some(({ parameter }) => parameter === 'filter') === true
  if (useIsView()) return null
  return (
    <>
      {facts !== null && (
        <FilterChips
          title="Tests"
          filter={settings.filter}
          facts={facts}
          people={people.all}
          problem={null}
          isFolded
          onChange={(filter) => onChange({ ...settings, filter })}
        />
      )}
      <details class="advanced" open={isRefused || facts === null}>
        <summary>Advanced: the filter as SQL</summary>
        <SqlField {...props} />
      </details>
    </>
  )
}

/** Draws the field of the condition on tests. What is typed is asked for on Enter, or when the field is left. */
function SqlField({ settings, onChange, problem }: Props) {
  const id = useId()
  const [text, setText] = useState(settings.filter)
  useEffect(() => setText(settings.filter), [settings.filter])
  const fault = problem?.errors?.find(({ parameter }) => parameter === 'filter')
  const isOfText = fault !== undefined && text.trim() === settings.filter
  const apply = (wanted: string) => {
    if (wanted.trim() !== settings.filter) onChange({ ...settings, filter: wanted.trim() })
  }
  return (
    <form
      class="field test-filter"
      onSubmit={(event) => {
        event.preventDefault()
        apply(text)
      }}
    >
      <label for={id}>Filter: only tests for which this is true</label>
      <input
        id={id}
        type="text"
        class="condition"
        value={text}
        placeholder="participant_age < 30"
        autocomplete="off"
        spellcheck={false}
        aria-invalid={isOfText}
        aria-describedby={isOfText ? `${id}-refused` : `${id}-hint`}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => apply(event.currentTarget.value)}
      />
      {isOfText ? (
        <p class="refused" id={`${id}-refused`} role="alert">
          The filter {fault.rule}
          {fault.position !== undefined && `, at character ${fault.position}`}.
          {fault.nearest !== undefined && (
            <>
              {' '}
              Did you mean <code>{fault.nearest}</code>?
            </>
          )}
        </p>
      ) : (
        <p class="hint" id={`${id}-hint`}>
          In SQL, of the columns of participants and tests.
        </p>
      )}
    </form>
  )
}
