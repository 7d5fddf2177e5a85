import type { Item, Participant } from '../../core/api.ts'
import { isolate, nameOf } from '../../core/number-texts.ts'
import type { Option } from './choice.tsx'

/** Returns a choice of items, by name or place; @param none the words for no item, as the first; null without them */
export function itemOptions(items: Pick<Item, 'id' | 'filename'>[], none: string | null = null): Option[] {
  const own = items.map(({ id, filename }, i): Option => [id, isolate(filename) || `Item ${i + 1}`])
  return none === null ? own : [['', none], ...own]
}

/** Returns a choice of participants, by name. @param none the words for no participant, as the first */
export function peopleOptions(people: Participant[], none: string): Option[] {
  return [['', none], ...people.map((each): Option => [each.id, isolate(nameOf(each))])]
}

/** Returns a choice among numbers, in words. */
export function numberOptions(numbers: readonly number[], words: (each: number) => string = String): Option<number>[] {
  return numbers.map((each) => [each, words(each)])
}
