import { createHash } from 'node:crypto'
import { FORMAT_VERSION } from '../files/data-format.ts'

/** The origin of a snapshot, from which its id is made. */
export type Origin = { bundle: Record<string, string>; parentId: string | null }

/** Returns the SHA-256, in hex, of the format version, the hashes of the bundle's files, and the id of the parent. */
export function snapshotIdOf({ bundle, parentId }: Origin): string {
  const files = Object.entries(bundle).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([FORMAT_VERSION, files, parentId]))
    .digest('hex')
}
