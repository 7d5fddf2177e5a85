import { DIFFERENCES, type Difference } from '../../engine/exports/joined-studies.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { didYouMean, nearest } from '../../engine/model/nearest.ts'
import { isProjectName, PROJECT_RULE } from '../../engine/model/projects.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { readListed } from '../../engine/snapshot/read-listed.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { compareNames } from '../../isomorphic/natural-order.ts'
import { findStudy } from './find-study.ts'

/** Checks the name of a project, which need not have a study yet. @throws ServiceError usage */
export function checkProjectName(project: string): void {
  if (!isProjectName(project))
    throw new ServiceError('usage', `--project ${PROJECT_RULE}, got ${JSON.stringify(project)}`)
}

/** Checks that a project has a study. @throws ServiceError not_found */
export function requireProject(listed: [id: string, facts: { project?: string }][], wanted: string): void {
  const known = [...new Set(listed.flatMap(([, { project }]) => project ?? []))]
  if (known.includes(wanted)) return
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
  requireProject(facts, project)
  const own = facts.filter(([, each]) => each.project === project)
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
  const found: Snapshot[] = []
  for (const each of wanted) {
    const snapshot = await findStudy(studies, each)
    if (found.some(({ study }) => study.id === snapshot.study.id))
      throw new ServiceError('usage', `study ${snapshot.study.name || snapshot.study.id} was given twice`)
    found.push(snapshot)
  }
  return found
}

/** Reads the differences that `--despite` accepts. @throws ServiceError usage */
export function readDespite({ despite = '' }: SeveralStudies): Difference[] {
  const given = despite.split(',').filter((name) => name !== '')
  return given.map((name) => {
    const known = DIFFERENCES.find((each) => each === name)
    if (known !== undefined) return known
    const near = didYouMean(nearest(name, DIFFERENCES).nearest)
    throw new ServiceError('usage', `--despite must be of ${DIFFERENCES.join(', ')}, got ${name}${near}`)
  })
}
