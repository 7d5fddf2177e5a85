import type { Selection } from '../snapshot/selection.ts'
import type { Viewers } from './viewers.ts'

/** Counts of the tests and participants that a condition keeps, and of all. */
export type Kept = { tests: number; testsTotal: number; participants: number; participantsTotal: number }

/** The tests that numbers are of: of where people looked, those with valid gaze. */
export type Counted = { tests: number; participants: number }

/** Returns the tests that numbers are of. @param viewers null where tests without gaze count, too */
export function countedOf(kept: Kept, viewers: Viewers | null): Counted {
  if (viewers === null) return { tests: kept.tests, participants: kept.participants }
  return { tests: viewers.tests, participants: viewers.participants.size }
}

export function keptOf(some: Selection, all: Selection): Kept {
  const people = ({ participantRows }: Selection) => new Set(participantRows).size
  return { tests: some.n, testsTotal: all.n, participants: people(some), participantsTotal: people(all) }
}
