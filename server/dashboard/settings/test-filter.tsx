import { useEffect, useId, useState } from 'preact/hooks'
import type { Problem } from '../core/api.ts'
import { useIsView } from '../core/link-seen.ts'
import type { Settings } from '../view/chart-settings.ts'

/**
 * Draws the field of the condition on tests. What is typed is asked for on Enter, or when the field is left.
 *
 * @param problem of the answer to the last request: what the server says of the filter stands below the field
 */
export function TestFilter({
  settings,
  onChange,
  problem,
}: {
  settings: Settings
  onChange: (settings: Settings) => void
  problem: Problem | null
}) {
  const id = useId()
  const isView = useIsView()
  const [text, setText] = useState(settings.filter)
  useEffect(() => setText(settings.filter), [settings.filter])
  const fault = problem?.errors?.find(({ parameter }) => parameter === 'filter')
  const isOfText = fault !== undefined && text.trim() === settings.filter
  const apply = (wanted: string) => {
    if (wanted.trim() !== settings.filter) onChange({ ...settings, filter: wanted.trim() })
  }
  if (isView) return null
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
