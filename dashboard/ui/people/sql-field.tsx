import { useEffect, useId, useState } from 'preact/hooks'
import type { Problem } from '../../core/api.ts'

type SqlFieldProps = {
  label: string
  filter: string
  /** Problem of the last request; faults of the filter are shown. */
  problem: Problem | null
  onChange: (filter: string) => void
}

/** Draws a filter as SQL text. Changes apply on Enter, or when the field loses the focus. @param label of the field */
export function SqlField({ label, filter, problem, onChange }: SqlFieldProps) {
  const id = useId()
  const [text, setText] = useState(filter)
  useEffect(() => setText(filter), [filter])
  const fault = sqlFault(problem)
  const isOfText = fault !== undefined && text.trim() === filter
  const apply = (wanted: string) => {
    if (wanted.trim() !== filter) onChange(wanted.trim())
  }
  return (
    <form
      class="field test-filter"
      onSubmit={(event) => {
        event.preventDefault()
        apply(text)
      }}
    >
      <label for={id}>{label}</label>
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
          An SQL condition over the columns of participants and tests.
        </p>
      )}
    </form>
  )
}

/** Returns the server's fault of a filter; undefined for none. */
export function sqlFault(problem: Problem | null) {
  return problem?.errors?.find(({ parameter }) => parameter === 'filter')
}
