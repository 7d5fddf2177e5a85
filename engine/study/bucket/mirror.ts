import { rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Snapshot } from '../../model/study.ts'
import { openSnapshot } from '../../snapshot/snapshots.ts'
import { isThere, namesIn } from '../../storage/files/optional-files.ts'
import type { ObjectStore } from '../../storage/objects/object-store.ts'
import { type Fetch, fetchSnapshot } from './receive-files.ts'
import { fetchContent } from './study-content.ts'
import type { NumberedState, State } from './versions.ts'

/**
 * A study of a bucket in a directory of this process, laid out as in a data directory, for whoever changes it. Sample
 * files come when they are read.
 */

/** Opens a snapshot of a mirror. Sample files are fetched when they are pinned. */
export async function openMirrored(directory: string, fetch: Fetch): Promise<Snapshot> {
  const pin: Snapshot['pin'] = async (what) => {
    // Pictures are always there.
    if (what === 'images' || 'image' in what) return () => {}
    if (!(await isThere(join(directory, what.name)))) await fetch(what.sha256)
    return () => {}
  }
  return { ...(await openSnapshot(directory)), pin }
}

/**
 * Updates a mirror to a version of its study: the current snapshot, history, past AOIs and analyses. The modification
 * time of `current` tells how long the study has been quiet, so it becomes that of the version.
 *
 * @param before the version that it has; null for none
 * @throws ServiceError corrupt, not_found where the bucket lacks something
 */
export async function bringTo(
  store: ObjectStore,
  studyDir: string,
  fetch: Fetch,
  { snapshotId, at, ...named }: NumberedState,
  before: State | null,
): Promise<void> {
  if (snapshotId === null) return emptied(studyDir)
  await fetchSnapshot(store, studyDir, snapshotId, fetch, true)
  await fetchContent(store, studyDir, named, before)
  await writeFile(join(studyDir, 'current'), `${snapshotId}\n`)
  await utimes(join(studyDir, 'current'), new Date(at), new Date(at))
}

/** Deletes the content of a mirror, but not its lock. */
export async function emptied(studyDir: string): Promise<void> {
  for (const name of await namesIn(studyDir))
    if (!name.startsWith('lock')) await rm(join(studyDir, name), { recursive: true, force: true })
}
