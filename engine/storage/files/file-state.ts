import type { BigIntStats } from 'node:fs'

/** Coarsest resolution of file times: a file that changed more recently may change again unnoticed. */
export const TIME_GRAIN_MS = 2000

/**
 * Returns a text that differs whenever a file was changed or replaced, even if its time was set back; within the
 * resolution of file times.
 */
export function stateOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
}
