import type { Manifest } from '../model/study.ts'

/** Source that a snapshot names whose sample files were merged. */
export const MERGED = 'merged samples'

/** Returns true if a snapshot has the participants and tests of its parent, in merged files. */
export function isMerged({ bundle }: Manifest): boolean {
  return MERGED in bundle
}

/** Returns true if a snapshot has this id, or the same data in files that were merged since. */
export function hasDataOf(manifest: Manifest, id: string): boolean {
  return manifest.snapshotId === id || (isMerged(manifest) && manifest.parentId === id)
}
