import { type Draft, noteDoubt } from '../draft/draft.ts'

/**
 * Asks to check tests whose onset is that of their first sample, since all latencies depend on it.
 *
 * @param remedy how to give another onset
 */
export function noteFirstSampleOnset(draft: Draft, remedy: string): void {
  noteDoubt(draft, `latencies count from the first sample of each test, as its item's onset: ${remedy}`)
}
