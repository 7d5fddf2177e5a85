import { join } from 'node:path'
import { studyDirectory } from '../files/layout.ts'
import { readJson } from '../files/optional-files.ts'
import type { Manifest } from '../model/study.ts'
import { openStore } from '../snapshot/snapshots.ts'
import { readHistory } from '../study/history.ts'

/**
 * Returns whether a snapshot became a study's newest, as far as its history and the snapshots on disk tell.
 * Asked by those that may have been killed right after they published it.
 */
export async function wasPublished(dataDir: string, studyId: string, snapshotId: string): Promise<boolean> {
  const directory = studyDirectory(dataDir, studyId)
  const current = await openStore(dataDir).current(studyId)
  if (directory === null || current === null) return false
  const history = await readHistory(directory, current.manifest)
  if (history.some((entry) => entry.snapshotId === snapshotId)) return true
  for (let id: string | null = current.id; id !== null; ) {
    if (id === snapshotId) return true
    id = (await readJson<Manifest>(join(directory, id, 'manifest.json')))?.parentId ?? null
  }
  return false
}
