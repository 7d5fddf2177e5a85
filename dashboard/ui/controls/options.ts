import type { Item, Participant } from '../../core/api.ts'
import { isolate, participantLabel } from '../../core/number-texts.ts'
import type { ChoiceOption } from './choice.tsx'

/**
 * Returns options of items, by name or position.
 *
 * @param none label of the first option, no item; null to leave it out
 */
export function itemOptions(items: Pick<Item, 'id' | 'filename'>[], none: string | null = null): ChoiceOption[] {
  const own = items.map(({ id, filename }, i): ChoiceOption => [id, isolate(filename) || `Item ${i + 1}`])
  return none === null ? own : [['', none], ...own]
}

/** Returns options of participants, by name. @param none label of the first option, no participant */
export function peopleOptions(people: Participant[], none: string): ChoiceOption[] {
  return [['', none], ...people.map((each): ChoiceOption => [each.id, isolate(participantLabel(each))])]
}

/** Returns options of numbers with their labels. */
export function numberOptions(
  numbers: readonly number[],
  words: (each: number) => string = String,
): ChoiceOption<number>[] {
  return numbers.map((each) => [each, words(each)])
}
