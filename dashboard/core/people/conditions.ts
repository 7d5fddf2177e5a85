import { isolate } from '../number-texts.ts'

/** Splits the parameter `filter` into conditions joined by AND; docs/filter.md describes the language. */

/** Optional columns of participants in the study. */
export type PeopleFacts = { hasTags: boolean; externalDataNames: string[] }

type ColumnKind = 'number' | 'text' | 'boolean' | 'tags'
export type ConditionColumn = { name: string; label: string; kind: ColumnKind }

/** Words, quoted texts and single signs. */
const TOKENS = /'(?:[^']|'')*'|[A-Za-z_][A-Za-z0-9_]*|[^\s]/g

/** Joins filters with AND; empty filters are skipped. */
export function joinConditions(filters: string[]): string {
  const parts = filters.map((filter) => filter.trim()).filter((filter) => filter !== '')
  return parts.length === 1 ? parts[0] : parts.map((part) => (hasOr(part) ? `(${part})` : part)).join(' AND ')
}

function hasOr(filter: string): boolean {
  let depth = 0
  for (const [token] of filter.matchAll(TOKENS)) {
    if (token === '(') depth++
    else if (token === ')') depth--
    else if (depth === 0 && token.toUpperCase() === 'OR') return true
  }
  return false
}

/** Quotes a text as a literal of the filter language. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Labels of comparisons, by kind of value. */
export const COMPARISONS: Record<ColumnKind, { name: string; label: string }[]> = {
  number: [
    { name: '=', label: 'is' },
    { name: '<', label: 'is below' },
    { name: '<=', label: 'is at most' },
    { name: '>', label: 'is above' },
    { name: '>=', label: 'is at least' },
    { name: '<>', label: 'is not' },
  ],
  text: [
    { name: '=', label: 'is' },
    { name: '<>', label: 'is not' },
    { name: 'LIKE', label: 'is like (% for any text)' },
  ],
  boolean: [
    { name: '=', label: 'is true' },
    { name: '<>', label: 'is false' },
  ],
  tags: [
    { name: '=', label: 'include' },
    { name: '<>', label: 'do not include' },
  ],
}

/** Returns a condition as text; null if the column needs a number and the value is not one. */
export function conditionOf({ name, kind }: ConditionColumn, comparison: string, value: string): string | null {
  if (kind === 'boolean') return comparison === '=' ? name : `NOT ${name}`
  if (kind === 'tags') return `${comparison === '=' ? '' : 'NOT '}list_contains(${name}, ${quoted(value)})`
  if (kind === 'text') return value === '' ? null : `${name} ${comparison} ${quoted(value)}`
  return /^-?\d{1,15}(\.\d{1,9})?$/.test(value.trim()) ? `${name} ${comparison} ${value.trim()}` : null
}

const COMMON: ConditionColumn[] = [
  { name: 'participant_age', label: 'Age', kind: 'number' },
  { name: 'participant_display_gender', label: 'Gender', kind: 'text' },
  { name: 'participant_is_completed', label: 'Completed', kind: 'boolean' },
  { name: 'participant_quality_grade', label: 'Grade of the participant', kind: 'number' },
  { name: 'participant_quality_grade_item', label: 'Grade of the test', kind: 'number' },
  { name: 'participant_external_id', label: 'External id', kind: 'text' },
  { name: 'test_item_display_order', label: 'Order of the test', kind: 'number' },
  { name: 'test_duration_ms', label: 'Duration of the test, ms', kind: 'number' },
  { name: 'test_data_loss_percents', label: 'Samples without gaze, %', kind: 'number' },
  { name: 'test_sampling_rate_hz', label: 'Samples with gaze per second', kind: 'number' },
  { name: 'test_data_integrity_percents', label: 'Time without gaps above 50 ms, %', kind: 'number' },
  { name: 'test_gaze_on_screen_percents', label: 'Gaze on the screen, %', kind: 'number' },
  { name: 'test_valid_sample_count', label: 'Samples with gaze', kind: 'number' },
]

/** Returns the columns that the pages offer for conditions; the filter language has more. */
export function conditionColumns({ hasTags, externalDataNames }: PeopleFacts): ConditionColumn[] {
  // Other names would need quotes, which the language does not have for columns.
  const names = externalDataNames.filter((name) => /^[A-Za-z0-9_]+$/.test(name))
  return [
    ...COMMON,
    ...(hasTags ? [{ name: 'participant_tags', label: 'Tags', kind: 'tags' as const }] : []),
    ...names.map((name) => ({ name: `external_data_${name}`, label: name, kind: 'text' as const })),
  ]
}

const SIMPLE = /^([a-z_][a-z0-9_]*) *(=|<>|<=|>=|<|>|like) *('(?:[^']|'')*'|-?[0-9.]+)$/i
const TAGGED = /^(not +)?list_contains *\( *participant_tags *, *('(?:[^']|'')*') *\)$/i
const WORDS: Record<string, string> = {
  '=': 'is',
  '<>': 'is not',
  '<=': 'at most',
  '>=': 'at least',
  '<': 'below',
  '>': 'above',
}

/** Describes a condition: `age at least 20`, `group is b`; returns one of another form as it is. */
export function conditionWords(condition: string): string {
  const text = condition.trim()
  const tag = TAGGED.exec(text)
  if (tag !== null) return `tags ${tag[1] === undefined ? 'include' : 'do not include'} ${unquoted(tag[2])}`
  const [, not = '', flag] = /^(not +)?([a-z_]+)$/i.exec(text) ?? []
  const label = flag === undefined ? null : labelOf(flag)
  if (label !== null) return `${not === '' ? '' : 'not '}${label.name}`
  const [, column, comparison, value] = SIMPLE.exec(text) ?? []
  const told = column === undefined ? null : labelOf(column)
  if (told === null) return text
  const unit = told.unit === '' ? '' : ` ${told.unit}`
  return `${told.name} ${WORDS[comparison] ?? 'is like'} ${unquoted(value)}${unit}`
}

/** Returns the label of a column within a sentence, and its unit; null for a column without one. */
function labelOf(column: string): { name: string; unit: string } | null {
  const own = /^external_data_(.+)$/i.exec(column)?.[1]
  if (own !== undefined) return { name: own, unit: '' }
  const label = COMMON.find(({ name }) => name === column.toLowerCase())?.label
  if (label === undefined) return null
  const [name, unit = ''] = label.split(', ')
  return { name: name[0].toLowerCase() + name.slice(1), unit }
}

function unquoted(literal: string): string {
  return isolate(literal.startsWith("'") ? literal.slice(1, -1).replaceAll("''", "'") : literal)
}
