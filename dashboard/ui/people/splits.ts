import { useMemo } from 'preact/hooks'
import type { DescribedParticipants, Participant } from '../../core/api.ts'
import { type ConditionColumn, conditionColumns, type PeopleFacts, quoted } from '../../core/people/conditions.ts'
import type { People } from '../../core/people/people.ts'

/** Most groups into which participants are split. */
export const SPLIT_MAX = 4

/** Most values of a column that are suggested. */
const SUGGESTED_MAX = 40

/** Way to split participants into groups by an attribute. */
export type Split = { label: string; groups: { name: string; filter: string; members: Participant[] }[] }

/**
 * Returns the attributes that split participants into two to four groups.
 *
 * @param age of all participants; null until it is known
 */
export function splitsOf(facts: PeopleFacts, people: Participant[], age: DescribedParticipants['age'] | null): Split[] {
  const byValue = conditionColumns(facts)
    .filter(({ kind, name }) => kind === 'text' && name !== 'participant_external_id')
    .flatMap((column) => splitByValue(column, people))
  const tags = conditionColumns(facts)
    .filter(({ kind }) => kind === 'tags')
    .flatMap((column) => valuesOf(column, people).map((tag) => splitByTag(column, tag, people)))
  return [...byValue, ...splitByAge(age, people), ...tags]
}

/** Returns the split by the values of a column; none if they are not two to four. */
function splitByValue(column: ConditionColumn, people: Participant[]): Split[] {
  const values = valuesOf(column, people)
  if (values.length < 2 || values.length > SPLIT_MAX) return []
  const groups = values.map((value) => ({
    name: value,
    filter: `${column.name} = ${quoted(value)}`,
    members: people.filter((person) => textsOf(column, person).includes(value)),
  }))
  return [{ label: column.label, groups }]
}

function splitByTag(column: ConditionColumn, tag: string, people: Participant[]): Split {
  const has = `list_contains(${column.name}, ${quoted(tag)})`
  const isTagged = (person: Participant) => textsOf(column, person).includes(tag)
  return {
    label: `Tag ${tag}`,
    groups: [
      { name: tag, filter: has, members: people.filter(isTagged) },
      { name: `not ${tag}`, filter: `NOT ${has}`, members: people.filter((person) => !isTagged(person)) },
    ],
  }
}

/** Returns the attributes that split participants, but for their age; null until all participants are known. */
export function useSplits({ first, all, isComplete }: People): Split[] | null {
  return useMemo(
    () => (first.data === null || !isComplete ? null : splitsOf(first.data, all, null)),
    [first.data, all, isComplete],
  )
}

function splitByAge(age: DescribedParticipants['age'] | null, people: Participant[]): Split[] {
  // If the median is the minimum age, nobody is below it.
  if (age === null || age.median === null || age.median === age.min) return []
  const middle = age.median
  return [
    {
      label: 'Age, at the median',
      groups: [
        {
          name: `below ${middle}`,
          filter: `participant_age < ${middle}`,
          members: people.filter((person) => person.age !== null && person.age < middle),
        },
        {
          name: `${middle} and above`,
          filter: `participant_age >= ${middle}`,
          members: people.filter((person) => person.age !== null && person.age >= middle),
        },
      ],
    },
  ]
}

/** Returns the values that participants have in a column of texts or tags, sorted and limited. */
export function valuesOf(column: ConditionColumn, people: Participant[]): string[] {
  const values = new Set(people.flatMap((person) => textsOf(column, person)).filter((value) => value !== ''))
  return [...values].sort().slice(0, SUGGESTED_MAX)
}

function textsOf({ name, kind }: ConditionColumn, person: Participant): string[] {
  if (kind === 'tags') return person.tags
  if (name === 'participant_display_gender') return [person.displayGender]
  if (name === 'participant_external_id') return [person.externalId]
  return name.startsWith('external_data_') ? [person.externalData[name.slice('external_data_'.length)] ?? ''] : []
}
