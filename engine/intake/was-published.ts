import { join } from 'node:path'
import { studyDirectory } from '../files/layout.ts'
import { readJson } from '../files/optional-files.ts'
import type { Manifest } from '../model/study.ts'
import { currentId } from '../snapshot/snapshots.ts'

/**
 * Returns whether a snapshot became a study's newest, as far as snapshots on disk tell: it is the newest, or that was appended to it.
 * Asked by those that may have been killed right after they published it.
 */
export async function wasPublished(dataDir: string, studyId: string, snapshotId: string): Promise<boolean> {
  const directory = studyDirectory(dataDir, studyId)
  for (let id = await currentId(dataDir, studyId); directory !== null && id !== null; ) {
    if (id === snapshotId) return true
    id = (await readJson<Manifest>(join(directory, id, 'manifest.json')))?.parentId ?? null
  }
  return false
}
