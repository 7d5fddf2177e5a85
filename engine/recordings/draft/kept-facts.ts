import { ServiceError } from '../../model/errors.ts'
import { type Draft, noteLeft, participantName } from './draft.ts'

/** Columns of facts about a person, to keep as tags, as external_data_<name>, or for the reader itself. */
export type KeptColumns = { tags: string[]; externalData: string[]; facts?: string[] }

/** Bundle limits for tags and for the names of further columns. */
const [TAG_MAX, NAME_MAX, COLUMNS_MAX] = [64, 64, 100]

export function externalName(column: string): string {
  const name = column.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '')
  return name.slice(0, NAME_MAX)
}

/** Refuses columns that cannot be kept side by side. @throws ServiceError usage */
export function checkKept({ tags, externalData }: KeptColumns): void {
  const names = new Map<string, string>()
  for (const column of externalData) {
    const name = externalName(column).toLowerCase()
    const other = names.get(name)
    if (name === '')
      throw new ServiceError('usage', `the column ${column} cannot be kept: its name has no letter or digit of A to Z`)
    if (other !== undefined)
      throw new ServiceError('usage', `the columns ${other} and ${column} would both be kept as external_data_${name}`)
    names.set(name, column)
  }
  if (tags.length > TAG_MAX || names.size > COLUMNS_MAX)
    throw new ServiceError(
      'usage',
      `at most ${TAG_MAX} columns of tags and ${COLUMNS_MAX} of external data can be kept`,
    )
}

/** Keeps a fact about a person; one that differs between their rows is omitted and reported. */
export function keepFact(draft: Draft, person: number, kind: keyof KeptColumns, column: string, value: string): void {
  const facts = draft.participants[person][kind]
  const known = facts.get(column)
  if (known === undefined) facts.set(column, value)
  else if (known !== null && known !== value) {
    facts.set(column, null)
    const who = participantName(draft.participants[person])
    noteLeft(draft, `participants for whom ${column} is not always the same, so that it is not kept of them`, 1, {
      first: `${who}: ${JSON.stringify(known.slice(0, 40))} and ${JSON.stringify(value.slice(0, 40))}`,
    })
  }
}

/** Returns a tag: the text, preceded by the name of its column if it is a mere number. */
export function tagOf(column: string, value: string): string {
  const text = /[^\d\s.,+-]/.test(value) ? value : `${column} ${value}`
  return text
    .replace(/[,\s]+/g, ' ')
    .trim()
    .slice(0, TAG_MAX)
}
