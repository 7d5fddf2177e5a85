import { type Draft, noteDoubt } from '../bundle/draft.ts'

/**
 * Says that items are called by a number that only counts, which under a random order pools what different participants
 * saw.
 *
 * @param what the number is part of
 * @param remedy how to name items otherwise
 */
export function noteRunningNumbers(draft: Draft, what: string, remedy: string): void {
  noteDoubt(
    draft,
    `items are called by ${what}, a running number: under a random order the same number is another picture for each participant; ${remedy}`,
  )
}
