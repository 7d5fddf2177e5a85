import type { Response } from 'express'
import type { Fault } from '../../engine/model/errors.ts'
import { UUID } from '../../engine/model/parameters.ts'
import { reaches } from '../../engine/model/projects.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { leaseSnapshot } from '../../engine/snapshot/leases.ts'
import type { StudyReader } from '../../engine/snapshot/snapshots.ts'
import { ProblemError } from '../http/problems.ts'
import { type Deed, may, tokenOf } from './authorize.ts'

/**
 * Returns the current snapshot of the study that a request names.
 *
 * @throws ProblemError not_found, the same for a malformed or unknown id and a study that the token may not read
 */
export async function readableStudy(studies: StudyReader, res: Response, studyId: string): Promise<Snapshot> {
  return leased(res, UUID.test(studyId) && may('read', tokenOf(res), studyId) ? await studies.current(studyId) : null)
}

/** Returns whether a token still reaches a study, which may have left its project while the request waited. */
function stillReaches(res: Response, { study }: Snapshot): boolean {
  const { role, reach, project } = tokenOf(res)
  return reaches(reach, study) && (role !== 'link' || project === undefined || project === study.project)
}

/** Returns a snapshot and pins it until the answer is sent. @throws ProblemError not_found without a snapshot */
async function leased(res: Response, snapshot: Snapshot | null): Promise<Snapshot> {
  if (snapshot === null || !stillReaches(res, snapshot)) throw new ProblemError('not_found')
  const release = await leaseSnapshot(snapshot.directory)
  res.once('close', release)
  if (res.closed) release()
  return snapshot
}

/**
 * Returns the current snapshot of a study for a change.
 *
 * @throws ProblemError not_found as for reading; forbidden if the token may only read the study
 */
export async function changeableStudy(
  studies: StudyReader,
  res: Response,
  studyId: string,
  deed: Deed,
): Promise<Snapshot> {
  if (!may(deed, tokenOf(res), studyId)) {
    await readableStudy(studies, res, studyId)
    throw new ProblemError('forbidden')
  }
  return leased(res, UUID.test(studyId) ? await studies.current(studyId) : null)
}

/** Returns the fault of a `studyId` in the query that differs from that of the path. */
export function studyIdFaults(query: Map<string, string[]>, studyId: string): Fault[] {
  const values = query.get('studyId') ?? []
  const differs = values.length === 1 && values[0].toLowerCase() !== studyId
  return differs ? [{ parameter: 'studyId', rule: "must be the path's study", value: values[0] }] : []
}
