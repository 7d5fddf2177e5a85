import type { Manifest } from '../model/study.ts'
import type { Cause } from '../snapshot/snapshot-id.ts'

/** Cause of a snapshot whose files were merged. */
export const MERGED_CAUSE = 'merged samples' satisfies Cause

/** Returns true if a snapshot has the participants and tests of its parent, in merged files. */
export function isMerged({ bundle }: Manifest): boolean {
  return MERGED_CAUSE in bundle
}

/**
 * Returns whether there may be anything to merge, whatever changed the study last: layers, or several sample files that
 * are not those of one import. Any other study need not be read to know that.
 */
export function mayBeMerged({ layers, parentId, sampleFiles }: Manifest): boolean {
  return layers !== undefined || (parentId !== null && sampleFiles.length > 1)
}

/** Returns true if a snapshot has this id, or the same data in files that were merged since. */
export function hasDataOf(manifest: Manifest, id: string): boolean {
  return manifest.snapshotId === id || (isMerged(manifest) && manifest.parentId === id)
}
