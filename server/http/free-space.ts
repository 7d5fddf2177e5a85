import { statfs } from 'node:fs/promises'

export const MIB = 2 ** 20

export async function freeMib(dataDir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dataDir)
  return (bavail * bsize) / MIB
}

/** Below this, a disk is full, whatever the floor. */
const FULL_MIB = 1

/** Returns whether a disk with so much free space takes no new jobs and uploads. */
export function isBelowFloor(freeMib: number, floorMib: number): boolean {
  return freeMib < Math.max(floorMib, FULL_MIB)
}
