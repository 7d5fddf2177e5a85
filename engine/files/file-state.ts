import type { BigIntStats } from 'node:fs'

/** File times are this coarse at worst: what changed more recently may change again unseen. */
export const TIME_GRAIN_MS = 2000

/** What is another whenever a file was changed or replaced, also when its time was set back; but for the grain of times. */
export function stateOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
}
