import { compareNames } from '../../../isomorphic/natural-order.ts'
import type { Item, Participant } from '../api.ts'
import { participantLabel } from '../number-texts.ts'
import type { Numbers } from '../numbers-csv.ts'

/** Returns participants by name in natural order; those without a name come last, in the given order. */
export function inNaturalOrder(people: Participant[]): Participant[] {
  const named = people.map((each) => ({ each, name: each.externalId || each.displayName }))
  const isUnnamed = ({ name }: { name: string }) => Number(name === '')
  return named.sort((a, b) => isUnnamed(a) - isUnnamed(b) || compareNames(a.name, b.name)).map(({ each }) => each)
}

/**
 * Column by which participants are sorted: one of their own, external data by name, or what is told of an item, by
 * index.
 */
export type SortBy =
  | 'given'
  | 'name'
  | 'age'
  | 'gender'
  | 'completed'
  | 'told'
  | 'date'
  | 'tags'
  | `external ${string}`
  | number
export type Order = { by: SortBy; isDescending: boolean }

/** Measures of a test, of which the table of participants tells one. */
export const TOLD_WORDS = { loss: 'Samples lost, %', grade: 'Grade' } as const
export type Told = keyof typeof TOLD_WORDS

type Loss = NonNullable<Participant['loss']>
/** A participant with what is told of all tests together, and on each item; null where nothing is known. */
export type ToldParticipant = Participant & { told: number | null; toldOfItems: (number | null)[] }

/**
 * Adds what is told to participants: the grade, or their losses, as far as they are known.
 *
 * @param losses by participant
 */
export function tellOf(people: Participant[], told: Told, losses: Map<string, Loss>): ToldParticipant[] {
  return people.map((each) => {
    if (told === 'grade') return { ...each, told: each.qualityGrade, toldOfItems: each.grades }
    const loss = losses.get(each.id)
    return { ...each, told: loss?.medianPercents ?? null, toldOfItems: loss?.ofItems ?? each.grades.map(() => null) }
  })
}

export const AS_GIVEN: Order = { by: 'given', isDescending: false }

/**
 * Returns participants whose name, id, tags or external data contain the text, sorted; missing values come last in both
 * directions.
 */
export function arrange(people: ToldParticipant[], find: string, { by, isDescending }: Order): ToldParticipant[] {
  const wanted = find.trim().toLowerCase()
  const found = people.filter(({ id, externalId, displayName, tags, externalData }) =>
    [externalId, displayName, id, ...tags, ...Object.values(externalData)].join('\n').toLowerCase().includes(wanted),
  )
  if (by === 'given') return isDescending ? found.reverse() : found
  const sign = isDescending ? -1 : 1
  return found.sort((one, other) => {
    const [a, b] = [sortValue(one, by), sortValue(other, by)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return sign * (typeof a === 'string' ? compareNames(a, String(b)) : a - Number(b))
  })
}

function sortValue(person: ToldParticipant, by: Exclude<SortBy, 'given'>): string | number | null {
  if (typeof by === 'number') return person.toldOfItems[by]
  if (by === 'name') return participantLabel(person)
  if (by === 'age') return person.age
  if (by === 'gender') return person.displayGender
  if (by === 'date') return Date.parse(person.createdAt) || null
  if (by === 'tags') return person.tags.length === 0 ? null : person.tags.join(', ')
  if (by.startsWith('external ')) return person.externalData[by.slice('external '.length)] ?? null
  return by === 'completed' ? Number(person.isCompleted) : person.told
}

/** Returns the table of participants as numbers, with what is told of each item. */
export function peopleNumbers(
  people: ToldParticipant[],
  items: Item[],
  told: Told,
  { hasTags, externalDataNames }: { hasTags: boolean; externalDataNames: string[] },
): Numbers {
  return {
    columns: [
      'participant_id',
      'participant_external_id',
      'participant_display_name',
      'participant_age',
      'participant_display_gender',
      'participant_is_completed',
      told === 'grade' ? 'participant_quality_grade' : 'data_loss_percents_median',
      ...(hasTags ? ['participant_tags'] : []),
      ...externalDataNames.map((name) => `external_data_${name}`),
      ...items.map(({ filename, id }) => filename || id),
    ],
    rows: people.map((each) => [
      each.id,
      each.externalId,
      each.displayName,
      each.age,
      each.displayGender,
      String(each.isCompleted),
      each.told,
      ...(hasTags ? [each.tags.join('; ')] : []),
      ...externalDataNames.map((name) => each.externalData[name] ?? null),
      ...each.toldOfItems,
    ]),
  }
}
