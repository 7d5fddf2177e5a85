import type { Selection } from '../../snapshot/selection.ts'
import type { Viewers } from './viewers.ts'

/** Counts of the tests and participants that pass a condition, and of all. */
export type KeptTests = { tests: number; testsTotal: number; participants: number; participantsTotal: number }

/** Tests that numbers are based on: for where people looked, only those with valid gaze. */
export type Counted = { tests: number; participants: number }

/** Returns the tests on which numbers are based. @param viewers null if tests without gaze count, too */
export function countedOf(kept: KeptTests, viewers: Viewers | null): Counted {
  if (viewers === null) return { tests: kept.tests, participants: kept.participants }
  return { tests: viewers.tests, participants: viewers.participants.size }
}

export function keptOf(some: Selection, all: Selection): KeptTests {
  const people = ({ participantRows }: Selection) => new Set(participantRows).size
  return { tests: some.n, testsTotal: all.n, participants: people(some), participantsTotal: people(all) }
}
