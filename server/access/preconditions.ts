import type { Request } from 'express'
import { ProblemError } from '../http/problems.ts'

/** Returns the entity tag of a study at a snapshot. */
export function studyTag(snapshotId: string): string {
  return `"${snapshotId}"`
}

/**
 * Returns the snapshot that If-Match names; null for `*`, or if If-Match is optional and missing.
 *
 * @throws ProblemError precondition_needed if it is required and missing, moved_on for a tag that no snapshot has
 */
export function ifMatch(req: Request, isNeeded: boolean): string | null {
  const given = req.get('if-match')?.trim()
  if (given === undefined && isNeeded) throw new ProblemError('precondition_needed')
  if (given === undefined || given === '*') return null
  const id = /^"([0-9a-f]{64})"$/.exec(given)?.[1]
  // Weak tags and lists match nothing here: a client has read one version.
  if (id === undefined) throw new ProblemError('moved_on')
  return id
}
