import { stat, truncate, writeFile } from 'node:fs/promises'
import { isCode } from '../files/durable.ts'
import { type JobPart, triesPath } from './job-paths.ts'
import type { Jobs } from './open-jobs.ts'

/** How many tries at an attempt were begun and neither ended nor handed back: the length of its file, a byte for each. */

/** Notes that a try begins, and returns how many there are with it. @param part if it is at a part of the attempt alone */
export async function beginTry({ root }: Jobs, id: string, attempt: number, part?: JobPart): Promise<number> {
  const path = triesPath(root, id, attempt, part)
  await writeFile(path, '.', { flag: 'a' })
  return (await stat(path)).size
}

export async function handBackTry({ root }: Jobs, id: string, attempt: number, part?: JobPart): Promise<void> {
  const path = triesPath(root, id, attempt, part)
  await truncate(path, (await stat(path)).size - 1)
}

/** Returns how many tries at an attempt there were that neither ended it nor were handed back, and the present one; 0 once that is forgotten. */
export async function countTries({ root }: Jobs, id: string, attempt: number): Promise<number> {
  try {
    return (await stat(triesPath(root, id, attempt))).size
  } catch (error) {
    if (isCode(error, 'ENOENT')) return 0
    throw error
  }
}
