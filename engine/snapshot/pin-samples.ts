import type { SampleFile, Snapshot } from '../model/study.ts'

/**
 * Runs `work` while a sample file is pinned in the snapshot's directory; that of a study in a bucket is fetched first.
 *
 * @param file null for none
 * @throws what `work` throws; ServiceError overloaded, corrupt, moved_on when the file cannot be fetched
 */
export async function withSampleFile<T>(
  { pin }: Pick<Snapshot, 'pin'>,
  file: SampleFile | null,
  work: () => Promise<T>,
): Promise<T> {
  if (pin === undefined || file === null) return work()
  const release = await pin(file)
  try {
    return await work()
  } finally {
    release()
  }
}
