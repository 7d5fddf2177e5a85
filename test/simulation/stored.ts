import type { Manifest } from '../../engine/model/study.ts'
import { allOf } from '../../engine/study/bucket/snapshot-files.ts'
import type { State } from '../../engine/study/bucket/versions.ts'
import type { World } from './world.ts'

/** Reads what a world has stored, on the disk or in the bucket, at once and without faults, for the checks. */

/** Reads a record, such as imports/<id>/end.json; null when there is none. */
export function recordOf({ disk, bucket, isInBucket }: World, name: string): Buffer | null {
  return isInBucket ? (bucket.objects.get(name) ?? null) : disk.read(`/${name}`)
}

/** Returns the number and content of the newest version of a study in the bucket; null for none. */
export function newestOf({ bucket: { objects } }: World, studyId: string): { key: string; state: State } | null {
  let newest: string | null = null
  for (const key of objects.keys())
    if (key.startsWith(`versions/${studyId}/`) && (newest === null || key > newest)) newest = key
  return newest === null ? null : { key: newest, state: JSON.parse(objects.get(newest)!.toString()) as State }
}

/** Returns the id of the current snapshot of a study; null for none. */
export function currentOf(world: World, studyId: string): string | null {
  if (world.isInBucket) return newestOf(world, studyId)?.state.snapshotId ?? null
  return world.disk.read(`/studies/${studyId}/current`)?.toString().trim() ?? null
}

/** Reads the manifest of a snapshot; null when it is gone. */
export function manifestOf({ disk, bucket, isInBucket }: World, studyId: string, snapshotId: string): Manifest | null {
  const text = isInBucket
    ? bucket.objects.get(`snapshots/${studyId}/${snapshotId}.json`)
    : disk.read(`/studies/${studyId}/${snapshotId}/manifest.json`)
  return text ? (JSON.parse(text.toString()) as Manifest) : null
}

/** Reads a file of a snapshot; null when it is gone. */
export function fileOf(
  { disk, bucket, isInBucket }: World,
  { studyId, snapshotId }: Manifest,
  { path, sha256 }: { path: string; sha256: string },
): Buffer | null {
  if (isInBucket) return bucket.objects.get(`files/${studyId}/${sha256}`) ?? null
  return disk.read(`/studies/${studyId}/${snapshotId}/${path}`)
}

/** Returns the paths on the disk and the keys in the bucket; many name the SHA-256 of what is there. */
export function storedPaths({ disk, bucket }: World): string[] {
  return [...disk.everything().map(([path]) => path), ...bucket.objects.keys()]
}

/** Returns the paths of the files of a snapshot that are not there, or not whole. */
export function missingFiles(world: World, manifest: Manifest): string[] {
  return allOf(manifest)
    .filter((file) => world.sha256(fileOf(world, manifest, file) ?? '') !== file.sha256)
    .map(({ path }) => path)
}

/** Lists who is in the current snapshot of a study. */
export function participantsNow(world: World, studyId: string): string[] {
  const current = currentOf(world, studyId)
  const manifest = current && manifestOf(world, studyId, current)
  if (!manifest) return []
  const own = manifest.files['participants.parquet']
  const files = own
    ? [{ path: 'participants.parquet', sha256: own }]
    : (manifest.layers ?? []).map(({ participants: sha256 }) => ({ path: `../shared/${sha256}`, sha256 }))
  return files.flatMap((file) => JSON.parse(fileOf(world, manifest, file)!.toString()) as string[])
}
