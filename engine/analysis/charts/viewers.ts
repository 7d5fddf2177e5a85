import { hasGaze, type Samples } from '../../compute/gaze.ts'
import type { SampleColumn } from '../../snapshot/read-samples.ts'

/**
 * Tests with valid gaze, and the indexes of their participants. A test without valid gaze counts as missing, since
 * nobody knows where its participant looked.
 */
export type Viewers = { tests: number; participants: Set<number> }

/** Columns that decide whether a test has gaze. */
export const GAZE_COLUMNS: SampleColumn[] = ['gazeXPx', 'gazeYPx']

export function noViewers(): Viewers {
  return { tests: 0, participants: new Set() }
}

/** Counts a test if it has valid gaze. @returns whether it has gaze */
export function addViewer(viewers: Viewers, samples: Samples, participantIndex: number): boolean {
  if (!hasGaze(samples)) return false
  viewers.tests++
  viewers.participants.add(participantIndex)
  return true
}

export function mergeViewers(total: Viewers, { tests, participants }: Viewers): void {
  total.tests += tests
  for (const participant of participants) total.participants.add(participant)
}
