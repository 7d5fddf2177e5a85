import { type Draft, noteDoubt } from '../draft/draft.ts'

/**
 * Warns that items are named by a running number, which under a random order pools displays of different items.
 *
 * @param what text that contains the number
 * @param remedy another way to name items
 */
export function noteRunningNumbers(draft: Draft, what: string, remedy: string): void {
  noteDoubt(
    draft,
    `items are named by ${what}, a running number: in a random order, the same number means a different picture for each participant; ${remedy}`,
  )
}
