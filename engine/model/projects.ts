import { isPlainText } from './plain-text.ts'

/**
 * Studies within the rights of a token or a group: ids in lower case, and `project:NAME` for all studies of a project,
 * including future ones; or all studies. In one list, since versions that know no projects keep such an entry, and give
 * no rights for it.
 */
export type Reach = string[] | 'all'

export const PROJECT_MAX = 200
export const PROJECT_RULE = `must be text of 1 to ${PROJECT_MAX} characters, without space around it`

/** Returns whether a text may be the name of a project. */
export function isProjectName(text: string): boolean {
  return text.length <= PROJECT_MAX && /^\S(.*\S)?$/s.test(text) && isPlainText(text)
}

/** Facts of a study on which rights depend. */
type Placed = { id: string; project?: string }

const PROJECT = 'project:'

/** Returns the entry of a reach that stands for all studies of a project. */
export function projectEntry(project: string): string {
  return PROJECT + project
}

/** Returns the names of the projects in a reach. */
export function projectsIn(reach: Reach): string[] {
  return reach === 'all'
    ? []
    : reach.filter((entry) => entry.startsWith(PROJECT)).map((entry) => entry.slice(PROJECT.length))
}

/** Returns whether a reach holds a study. */
export function reaches(reach: Reach, { id, project }: Placed): boolean {
  if (reach === 'all' || reach.includes(id.toLowerCase())) return true
  return project !== undefined && reach.includes(projectEntry(project))
}

/**
 * Returns whether a study may be put into its project, or taken out of it, with a reach. A study of no project takes a
 * right on the study itself, so that a token of a project can neither create studies outside of it nor move one there.
 */
export function mayPlace(reach: Reach, { id, project }: Placed): boolean {
  return reach === 'all' || reach.includes(project === undefined ? id.toLowerCase() : projectEntry(project))
}
