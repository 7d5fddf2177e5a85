import type { Selection } from '../snapshot/selection.ts'

/** Counts of the tests and participants that a condition keeps, and of all. */
export type Kept = { tests: number; testsTotal: number; participants: number; participantsTotal: number }

export function keptOf(some: Selection, all: Selection): Kept {
  const people = ({ participantRows }: Selection) => new Set(participantRows).size
  return { tests: some.n, testsTotal: all.n, participants: people(some), participantsTotal: people(all) }
}
