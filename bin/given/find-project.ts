import { ServiceError } from '../../engine/model/errors.ts'
import { didYouMean, nearest } from '../../engine/model/nearest.ts'
import { isProjectName, PROJECT_RULE } from '../../engine/model/projects.ts'

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
