import type { Jobs } from './open-jobs.ts'
import { type JobPart, triesPath } from './record/job-paths.ts'

/**
 * How many tries at an attempt were begun and neither ended nor handed back: the length of its file, a byte for each.
 */

/**
 * Notes that a try begins, and returns how many there are with it.
 *
 * @param part if it is at a part of the attempt alone
 */
export function beginTry({ root, disk }: Jobs, id: string, attempt: number, part?: JobPart): Promise<number> {
  return disk.addTry(triesPath(root, id, attempt, part))
}

export function handBackTry({ root, disk }: Jobs, id: string, attempt: number, part?: JobPart): Promise<void> {
  return disk.takeTry(triesPath(root, id, attempt, part))
}

/**
 * Returns how many tries at an attempt there were that neither ended it nor were handed back, and the present one; 0
 * once that is forgotten.
 */
export function countTries({ root, disk }: Jobs, id: string, attempt: number): Promise<number> {
  return disk.countTries(triesPath(root, id, attempt))
}
