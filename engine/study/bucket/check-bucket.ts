import { ServiceError } from '../../model/errors.ts'
import { snapshotIdOf } from '../../snapshot/snapshot-id.ts'
import { manifestIn } from '../../snapshot/snapshots.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import { hashOfObject } from './send-files.ts'
import { allOf } from './snapshot-files.ts'
import { AT_ONCE, fileKey, namedBy, newestNumbers, newestState, snapshotKey, snapshotsIn } from './versions.ts'

/**
 * Re-hashes every file of every study in a bucket: those that a snapshot's manifest lists, and those that the newest
 * version names, which are the history, past AOIs and analyses.
 *
 * @param report called with a sentence for each object that is missing or is not what was written
 * @returns the number of objects checked
 */
export async function checkBucket(store: ObjectStore, report: (sentence: string) => void): Promise<number> {
  const snapshots = await snapshotsIn(store)
  let files = 0
  for (const studyId of [...new Set([...snapshots.keys(), ...(await newestNumbers(store)).keys()])].sort())
    files += await checkStudy(store, studyId, [...(snapshots.get(studyId)?.keys() ?? [])], (sentence) =>
      report(`Study ${studyId}: ${sentence}.`),
    )
  return files
}

async function checkStudy(
  store: ObjectStore,
  studyId: string,
  snapshotIds: string[],
  report: (sentence: string) => void,
): Promise<number> {
  const state = await newestState(store, studyId).catch(unlessCorrupt(report))
  const expected = new Map<string, string>()
  if (state !== null) for (const sha256 of namedBy(state)) expected.set(sha256, 'a file of its history or analyses')
  const current = state?.snapshotId ?? null
  if (current !== null && !snapshotIds.includes(current)) report(`snapshot ${current}, the current one, is missing`)
  for (const id of snapshotIds) {
    const text = await readObject(store, snapshotKey(studyId, id))
    if (text === null) continue
    for (const { path, sha256 } of manifestFiles(text, id, report)) expected.set(sha256, `snapshot ${id}: ${path}`)
  }
  await forEach(expected, AT_ONCE, async ([sha256, name]) => {
    const found = await hashOfObject(store, fileKey(studyId, sha256))
    if (found !== sha256) report(`${name} ${found === null ? 'is missing' : 'has changed'}`)
  })
  return expected.size + snapshotIds.length + (state === null ? 0 : 1)
}

function manifestFiles(text: Buffer, id: string, report: (sentence: string) => void) {
  try {
    const manifest = manifestIn(text.toString(), id)
    if (snapshotIdOf(manifest) === id) return allOf(manifest)
    report(`snapshot ${id}: its manifest is that of another snapshot`)
  } catch (error) {
    unlessCorrupt(report)(error)
  }
  return []
}

/** Reports damage, and throws everything else. */
function unlessCorrupt(report: (sentence: string) => void): (error: unknown) => null {
  return (error) => {
    if (!(error instanceof ServiceError) || !['corrupt', 'other_format'].includes(error.code)) throw error
    report(error.message)
    return null
  }
}
