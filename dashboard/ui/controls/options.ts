import type { Item, Participant } from '../../core/api.ts'
import { isolate, nameOf } from '../../core/number-texts.ts'
import type { Option } from './choice.tsx'

/**
 * Returns options of items, by name or position.
 *
 * @param none label of the first option, no item; null to leave it out
 */
export function itemOptions(items: Pick<Item, 'id' | 'filename'>[], none: string | null = null): Option[] {
  const own = items.map(({ id, filename }, i): Option => [id, isolate(filename) || `Item ${i + 1}`])
  return none === null ? own : [['', none], ...own]
}

/** Returns options of participants, by name. @param none label of the first option, no participant */
export function peopleOptions(people: Participant[], none: string): Option[] {
  return [['', none], ...people.map((each): Option => [each.id, isolate(nameOf(each))])]
}

/** Returns options of numbers with their labels. */
export function numberOptions(numbers: readonly number[], words: (each: number) => string = String): Option<number>[] {
  return numbers.map((each) => [each, words(each)])
}
