import { stat, truncate, writeFile } from 'node:fs/promises'
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
