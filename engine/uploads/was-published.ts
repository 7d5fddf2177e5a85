import { dirname, join } from 'node:path'
import { ServiceError } from '../model/errors.ts'
import type { Manifest, Snapshot } from '../model/study.ts'
import type { StudyReader } from '../snapshot/snapshots.ts'
import { readJson } from '../storage/files/optional-files.ts'
import { readHistory } from '../study/history.ts'

/**
 * Returns whether a snapshot was published as a study's newest, judging by its history and existing snapshots. For a
 * process that may have been killed right after it published.
 */
export async function wasPublished(studies: StudyReader, studyId: string, snapshotId: string): Promise<boolean> {
  const current = await studies.current(studyId)
  if (current === null) return false
  const history = await readHistory(dirname(current.directory), current.manifest)
  if (history.some((entry) => entry.snapshotId === snapshotId)) return true
  for (let id: string | null = current.id; id !== null; ) {
    if (id === snapshotId) return true
    id = await parentOf(studies, current, id)
  }
  return false
}

/** Returns the parent of a snapshot of a study; null if it has none or was deleted. */
async function parentOf(studies: StudyReader, { directory, manifest }: Snapshot, id: string): Promise<string | null> {
  const near = await readJson<Manifest>(join(dirname(directory), id, 'manifest.json'))
  if (near !== null) return near.parentId
  try {
    return (await studies.load(manifest.studyId, id)).manifest.parentId
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return null
    throw error
  }
}
