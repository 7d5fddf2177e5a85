import { nearest } from '../../engine/model/nearest.ts'

/**
 * Returns the path that a client probably meant: one that differs from a known path in a single misspelt segment.
 *
 * @param templates paths of routes, with parameters such as `:studyId`
 */
export function nearPath(path: string, templates: string[]): string | undefined {
  const given = path.split('/')
  const known = templates.map((template) => template.split('/')).filter(({ length }) => length === given.length)
  for (const [at, segment] of given.entries()) {
    const isAlike = (parts: string[]) => parts.every((part, i) => i === at || part.startsWith(':') || part === given[i])
    const names = known.filter((parts) => !parts[at].startsWith(':') && isAlike(parts)).map((parts) => parts[at])
    const near = nearest(segment, names).nearest
    if (near !== undefined && near !== segment) return given.with(at, near).join('/')
  }
  return undefined
}
