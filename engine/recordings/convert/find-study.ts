import type { Samples } from '../../compute/gaze.ts'
import { ServiceError } from '../../model/errors.ts'
import type { Snapshot } from '../../model/study.ts'
import { withSampleFile } from '../../snapshot/pin-samples.ts'
import { readSamples } from '../../snapshot/read-samples.ts'
import { type RecordedFiles, readRecordings } from '../../snapshot/recordings-file.ts'
import { readGivenRows } from '../../snapshot/rows/read-given.ts'
import type { StudyReader } from '../../snapshot/snapshots.ts'
import type { SamplePlace } from '../../snapshot/table-columns.ts'
import { hashOpenFile } from '../../storage/files/hash-file.ts'
import { withPlain } from '../../storage/files/plain-file.ts'
import { lookKey } from '../bundle/bundle-ids.ts'
import type { ContinuedStudy } from '../bundle/continued-study.ts'
import { findSourceFiles } from '../text/source-files.ts'

/**
 * Finds the study to which recordings are to be added: the named one, otherwise the one that has some of the files,
 * otherwise the only one made from recordings.
 *
 * @param studyId null for none named
 * @throws ServiceError not_found; usage, listing the candidates, if several match
 */
export async function findContinuedStudy(
  studies: StudyReader,
  paths: string[],
  studyId: string | null,
): Promise<ContinuedStudy> {
  if (studyId !== null) {
    const snapshot = await studies.current(studyId)
    if (snapshot === null) throw new ServiceError('not_found', `there is no study ${studyId}`)
    return continuedOf(snapshot, await readRecordings(snapshot))
  }
  const made: { snapshot: Snapshot; recordings: RecordedFiles }[] = []
  for (const id of await studies.studyIds()) {
    const snapshot = await studies.current(id)
    const recordings = snapshot && (await readRecordings(snapshot))
    if (recordings) made.push({ snapshot: snapshot!, recordings })
  }
  if (made.length === 0)
    throw new ServiceError(
      'usage',
      'no study here was made of recordings: import them without --append, or name one with --study',
    )
  const chosen = made.length === 1 ? made : await thoseThatHave(paths, made)
  if (chosen.length === 1) return continuedOf(chosen[0].snapshot, chosen[0].recordings)
  const names = made.map(({ snapshot: { study } }) => `${study.id} (${study.name})`)
  throw new ServiceError(
    'usage',
    `several studies here were made of recordings: say with --study which: ${names.join(', ')}`,
  )
}

async function thoseThatHave<T extends { recordings: RecordedFiles }>(paths: string[], studies: T[]): Promise<T[]> {
  const hashes = new Set<string>()
  for (const { path } of await findSourceFiles(paths)) hashes.add(await withPlain(path, (file) => hashOpenFile(file)))
  return studies.filter(({ recordings }) => recordings.files.some(({ sha256 }) => hashes.has(sha256)))
}

async function continuedOf(snapshot: Snapshot, recordings: RecordedFiles | null): Promise<ContinuedStudy> {
  const { participants, tests, measured, places } = await readGivenRows(snapshot)
  const itemName = new Map(snapshot.study.items.map(({ id, filename }) => [id, filename]))
  const looks = new Map<string, number>()
  const lastOrder = new Map<string, number>()
  for (const { participantId, itemId, displayOrder } of tests) {
    const key = lookKey(participantId, itemId)
    looks.set(key, (looks.get(key) ?? 0) + 1)
    lastOrder.set(participantId, Math.max(lastOrder.get(participantId) ?? 0, displayOrder ?? 0))
  }
  return {
    study: snapshot.study,
    participants: participants.map(({ id, externalId }) => ({ id, name: externalId })),
    items: snapshot.study.items.map(({ id, filename }) => ({ id, name: filename })),
    looks,
    lastOrder,
    tests: tests.map(({ participantId, itemId }, i) => ({
      ...{ participantId, item: itemName.get(itemId)!, samples: measured[i].sampleCount, seen: measured[i].validCount },
      lastMs: measured[i].durationUs / 1000,
    })),
    gazeOf: (test) => gazeOf(snapshot, places[test], measured[test].sampleCount),
    hashes: new Set(recordings?.files.map(({ sha256 }) => sha256)),
    recordings,
  }
}

function gazeOf(snapshot: Snapshot, { file, ordinal, firstSample }: SamplePlace, rowCount: number): Promise<Samples> {
  const { directory, manifest } = snapshot
  const sampleFile = manifest.sampleFiles[file]
  const place = { directory, file: sampleFile, firstOrdinal: ordinal, lastOrdinal: ordinal }
  const read = () => readSamples({ ...place, fromRow: firstSample, rowCount }, ['gazeXPx', 'gazeYPx'])
  return withSampleFile(snapshot, sampleFile, read)
}
