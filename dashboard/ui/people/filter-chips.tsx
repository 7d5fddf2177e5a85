import { useId, useState } from 'preact/hooks'
import { splitConditions } from '../../../isomorphic/conditions.ts'
import type { Participant, Problem } from '../../core/api.ts'
import { useIsView } from '../../core/link-seen.ts'
import { useOneStop } from '../../core/one-stop.ts'
import {
  COMPARISONS,
  type ConditionColumn,
  conditionColumns,
  conditionOf,
  conditionWords,
  joinConditions,
  type PeopleFacts,
} from '../../core/people/conditions.ts'
import { Button } from '../controls/button.tsx'
import { type ChoiceOption, Select } from '../controls/choice.tsx'
import { valuesOf } from './splits.ts'
import { SqlField, sqlFault } from './sql-field.tsx'

type FilterChipsProps = {
  title: string
  filter: string
  facts: PeopleFacts
  people: Participant[]
  problem: Problem | null
  /** True to fold all that adds a condition, to save space. */
  isFolded?: boolean
  onChange: (filter: string) => void
}

/**
 * Draws a filter as removable chips, with a line that adds a condition; the filter as SQL text is folded. Chips and
 * folds are one stop of Tab.
 *
 * @param title accessible name of the filter
 * @param problem of the last request with this filter
 */
export function FilterChips({ title, filter, facts, people, problem, isFolded = false, onChange }: FilterChipsProps) {
  const isView = useIsView()
  const stop = useOneStop<HTMLDivElement>('.condition-chip button, summary')
  const parts = splitConditions(filter)
  // Most pages have one.
  const label = title === 'Tests' ? 'Filter' : `Filter, ${title}`
  if (isView) return null
  const adding = (
    <AddCondition
      {...{ title, people }}
      columns={conditionColumns(facts)}
      onAdd={(part) => onChange(joinConditions([...parts, part]))}
    />
  )
  const hasFault = sqlFault(problem) !== undefined
  const asSql = (
    <details class="advanced" open={hasFault}>
      <summary>Advanced: the filter as SQL</summary>
      <SqlField label={`${label}: only tests for which this is true`} {...{ filter, problem, onChange }} />
    </details>
  )
  return (
    <div class="filter-chips" {...stop}>
      <ul class="row" aria-label={`${title}: conditions that are all true`}>
        {parts.length === 0 && <li class="hint">No condition: all participants.</li>}
        {parts.map((part, i) => (
          <li key={`${i} ${part}`} class="chip condition-chip">
            <bdi title={part}>{conditionWords(part)}</bdi>
            <Button
              class="quiet small"
              aria-label={`Remove ${conditionWords(part)}`}
              onClick={() => onChange(joinConditions(parts.filter((_, other) => other !== i)))}
            >
              ×
            </Button>
          </li>
        ))}
      </ul>
      {isFolded ? (
        <details class="advanced" open={hasFault}>
          <summary>Add a condition</summary>
          {adding}
          {asSql}
        </details>
      ) : (
        <>
          {adding}
          {asSql}
        </>
      )}
    </div>
  )
}

type AddConditionProps = {
  title: string
  columns: ConditionColumn[]
  people: Participant[]
  onAdd: (condition: string) => void
}

function AddCondition({ title, columns, people, onAdd }: AddConditionProps) {
  const [place, setPlace] = useState(0)
  const [comparison, setComparison] = useState('=')
  const [value, setValue] = useState('')
  const [refused, setRefused] = useState(false)
  const column = columns[place] ?? columns[0]
  const comparisons = COMPARISONS[column.kind]
  const chosen = comparisons.some(({ name }) => name === comparison) ? comparison : comparisons[0].name
  const add = (event: Event) => {
    event.preventDefault()
    const condition = conditionOf(column, chosen, value)
    setRefused(condition === null)
    if (condition === null) return
    onAdd(condition)
    setValue('')
  }
  return (
    <form class="row add-condition" onSubmit={add}>
      <Select
        aria-label={`${title}: column`}
        value={place}
        of={columns.map(({ label }, i): ChoiceOption<number> => [i, label])}
        onChange={(value) => {
          setPlace(value)
          setValue('')
          setRefused(false)
        }}
      />
      <Select
        aria-label={`${title}: comparison`}
        value={chosen}
        of={comparisons.map(({ name, label }): ChoiceOption => [name, label])}
        onChange={setComparison}
      />
      {column.kind !== 'boolean' && (
        <ValueField label={`${title}: value`} {...{ column, people, value, refused }} onValue={setValue} />
      )}
      <Button isSubmit class="small">
        Add condition
      </Button>
      {refused && (
        <p class="refused" role="alert">
          {column.label} needs {column.kind === 'number' ? 'a number' : 'a text'} here, “<bdi>{value}</bdi>” is none.
        </p>
      )}
    </form>
  )
}

type ValueFieldProps = {
  label: string
  column: ConditionColumn
  people: Participant[]
  value: string
  refused: boolean
  onValue: (value: string) => void
}

/** Draws the field of a value, and suggests the values of participants. */
function ValueField({ label, column, people, value, refused, onValue }: ValueFieldProps) {
  const id = useId()
  return (
    <>
      <input
        type="text"
        aria-label={label}
        list={id}
        value={value}
        inputMode={column.kind === 'number' ? 'decimal' : undefined}
        aria-invalid={refused}
        autocomplete="off"
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <datalist id={id}>
        {valuesOf(column, people).map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  )
}
