import { DIFFERENCES, type Difference } from '../../engine/model/differences.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { didYouMean, nearest } from '../../engine/model/nearest.ts'
import { isProjectName, PROJECT_RULE } from '../../engine/model/projects.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { readListed } from '../../engine/snapshot/read-listed.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { compareNames } from '../../isomorphic/natural-order.ts'
import { findStudy, studyIdsOf } from './find-study.ts'

/** Checks the name of a project, which need not have a study yet. @throws ServiceError usage */
export function checkProjectName(project: string): void {
  if (!isProjectName(project))
    throw new ServiceError('usage', `--project ${PROJECT_RULE}, got ${JSON.stringify(project)}`)
}

/** Returns the listed studies of a project, at least one. @throws ServiceError not_found */
export function studiesOfProject<Listed extends [id: string, facts: { project?: string }]>(
  listed: Listed[],
  wanted: string,
): Listed[] {
  const own = listed.filter(([, { project }]) => project === wanted)
  if (own.length > 0) return own
  const known = [...new Set(listed.flatMap(([, { project }]) => project ?? []))]
  const near = didYouMean(nearest(wanted, known).nearest)
  throw new ServiceError(
    'not_found',
    `no study is in project ${wanted}${near || '; gazette studies shows the projects'}`,
  )
}

/** Studies of a command that takes several: by id or name, or all of a project. */
export type SeveralStudies = { study?: string[]; project?: string; despite?: string }

/**
 * Finds the studies that are named, in that order, or those of a project by their names, without archived ones.
 *
 * @throws ServiceError usage, not_found, corrupt for a damaged study, which may be one of the project
 */
export async function findStudies(studies: Studies, { study = [], project }: SeveralStudies): Promise<Snapshot[]> {
  if (project === undefined) return namedStudies(studies, study)
  if (study.length > 0) throw new ServiceError('usage', 'give --study or --project, not both')
  const { facts, damaged } = await readListed(studies, [...(await studies.currents())])
  if (damaged.length > 0)
    throw new ServiceError(
      'corrupt',
      `study ${damaged[0][0]} cannot be read, and may be of the project: ${damaged[0][1]}`,
    )
  const own = studiesOfProject(facts, project)
  const shown = own.filter(([, { isArchived }]) => !isArchived)
  if (shown.length < own.length)
    console.error(
      `Archived and left out of ${project}: ${own.length - shown.length}; --study names studies one by one.`,
    )
  if (shown.length === 0) throw new ServiceError('not_found', `all studies of project ${project} are archived`)
  const inOrder = shown.sort(([a, one], [b, other]) => compareNames(one.name, other.name) || (a < b ? -1 : 1))
  return namedStudies(
    studies,
    inOrder.map(([id]) => id),
  )
}

async function namedStudies(studies: Studies, wanted: string[]): Promise<Snapshot[]> {
  const ids = await studyIdsOf(studies, wanted)
  const again = ids.findIndex((id, i) => ids.indexOf(id) < i)
  if (again >= 0) throw new ServiceError('usage', `study ${wanted[again]} was given twice`)
  const found: Snapshot[] = []
  for (const id of ids) found.push(await findStudy(studies, id))
  return found
}

/** Reads the differences that `--despite` accepts. @throws ServiceError usage */
export function readDespite(despite = ''): Difference[] {
  const given = despite
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return given.map((name) => {
    const known = DIFFERENCES.find((each) => each === name)
    if (known !== undefined) return known
    const near = didYouMean(nearest(name, DIFFERENCES).nearest)
    throw new ServiceError('usage', `--despite must be of ${DIFFERENCES.join(', ')}, got ${name}${near}`)
  })
}
