import { link, lstat, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { isCode } from '../model/system-errors.ts'
import { readManifest, snapshotIds } from '../snapshot/snapshots.ts'
import { RECORDINGS_FILE } from '../snapshot/table-columns.ts'
import { makeDirectory, syncDirectory } from '../storage/files/durable.ts'
import { SHARED, sharedPath } from '../storage/files/layout.ts'
import { namesIn } from '../storage/files/optional-files.ts'

/**
 * Deduplicated files of a study, under `shared/` by SHA-256: adding a participant copies no sample. A snapshot links
 * them by name; one that has just grown refers to them there.
 */

/** Folder in which small sample files are compacted into larger ones. */
export const COMPACTING = 'compacting'

/** Creates the directory of shared files. */
export async function openShared(studyDir: string): Promise<void> {
  if ((await makeDirectory(join(studyDir, SHARED))) !== undefined) await syncDirectory(studyDir)
}

/** Links a file of a snapshot into the shared files, unless it is there. */
export async function shareFile(studyDir: string, path: string, sha256: string): Promise<void> {
  if ((await lstat(path)).isSymbolicLink()) return
  await link(path, sharedPath(studyDir, sha256)).catch((error: unknown) => {
    if (!isCode(error, 'EEXIST')) throw error
  })
}

/** Links a shared file into an unfinished snapshot. @param directory beside the study's other snapshots */
export async function linkShared(studyDir: string, directory: string, name: string, sha256: string): Promise<void> {
  const path = join(directory, name)
  const shared = sharedPath(studyDir, sha256)
  // It is read as files of strangers are, which may be no links.
  if (name === RECORDINGS_FILE) return link(shared, path)
  try {
    await symlink(relative(dirname(path), shared), path)
  } catch (error) {
    // Windows lets only some link like that.
    if (!isCode(error, 'EPERM')) throw error
    await link(shared, path)
  }
}

/** Deletes shared files that no snapshot uses. The caller holds the study's lock. */
export async function sweepShared(studyDir: string): Promise<void> {
  for (const name of await unusedShared(studyDir)) await rm(join(studyDir, SHARED, name), { force: true })
}

/** Lists shared files that no snapshot uses; without the study's lock, these may include files of an unfinished one. */
export async function unusedShared(studyDir: string): Promise<string[]> {
  const names = await namesIn(join(studyDir, SHARED))
  if (names.length === 0) return []
  const used = new Set<string>()
  for (const id of await snapshotIds(studyDir)) {
    const { sampleFiles, files, layers = [] } = await readManifest(join(studyDir, id), { allowsOlder: true })
    for (const { sha256 } of sampleFiles) used.add(sha256)
    for (const sha256 of [files, ...layers].flatMap((each) => Object.values(each))) used.add(sha256)
  }
  return names.filter((each) => !used.has(each))
}
