import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { ServiceError } from '../../engine/model/errors.ts'
import { didYouMean, nearest } from '../../engine/model/nearest.ts'

/** Returns the absolute paths of the given files and folders. @throws ServiceError not_found if one does not exist */
export function givenPaths(paths: string[]): string[] {
  return paths.map((given) => {
    const path = resolve(given)
    if (existsSync(path)) return path
    const near = nearest(basename(path), namesIn(dirname(path))).nearest
    throw new ServiceError('not_found', `there is no ${given}${didYouMean(near && join(dirname(given), near))}`)
  })
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
