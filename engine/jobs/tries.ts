import { stat, truncate, writeFile } from 'node:fs/promises'
import { triesPath } from './job-paths.ts'
import type { Jobs } from './open-jobs.ts'

/** How many tries at an attempt were begun and neither ended nor handed back: the length of its file, a byte for each. */

/** Notes that a try begins, and returns how many there are with it. */
export async function beginTry({ root }: Jobs, id: string, attempt: number): Promise<number> {
  const path = triesPath(root, id, attempt)
  await writeFile(path, '.', { flag: 'a' })
  return (await stat(path)).size
}

export async function handBackTry({ root }: Jobs, id: string, attempt: number): Promise<void> {
  const path = triesPath(root, id, attempt)
  await truncate(path, (await stat(path)).size - 1)
}
