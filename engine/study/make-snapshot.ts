import { link, mkdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDb } from '../duckdb/duckdb.ts'
import { collectAll } from '../duckdb/garbage.ts'
import { isCode } from '../files/durable.ts'
import { ServiceError } from '../model/errors.ts'
import type { Manifest, ParticipantColumns, SampleFile, Snapshot, Study, StudyWrite } from '../model/study.ts'
import type { Recordings } from '../snapshot/recordings-file.ts'
import type { Origin } from '../snapshot/snapshot-id.ts'
import { currentIdIn } from '../snapshot/snapshots.ts'
import type { GivenParticipant, GivenTest, GivenValidation } from '../snapshot/table-columns.ts'
import { tellStudy } from '../webhooks/tell-study.ts'
import { fillFacts } from './complete-tables.ts'
import { type Image, type Parent, storedSources } from './parent-snapshot.ts'
import { keepPastAois } from './past-aois.ts'
import { publishSnapshot, writeSnapshot } from './publish.ts'
import { sampleFileName } from './samples/place-tests.ts'
import { type Source, type WrittenSamples, writeSamples } from './samples/write-samples.ts'
import type { Workshop } from './scratch-space.ts'

/** Everything that a new snapshot has besides its samples. */
export type NewSnapshot = {
  /** Directory of the study; its lock is held. */
  studyDir: string
  study: Study
  /** In the order of output. */
  participants: GivenParticipant[]
  tests: GivenTest[]
  /** In the order of the bundles' files. */
  validations: GivenValidation[]
  participantColumns: ParticipantColumns | undefined
  recordings: Recordings | null
  origin: Origin
  images: Image[]
  createdAt: string
  writes?: StudyWrite[]
}

/**
 * Writes the samples anew, from where `sources` say, and publishes.
 *
 * @param workshop its writer has what writeSamples needs
 * @param onFile called with the samples written so far
 */
export async function makeSnapshot(
  snapshot: NewSnapshot,
  sources: Source[],
  workshop: Workshop,
  signal: AbortSignal,
  onFile: (samples: number) => void,
): Promise<Manifest> {
  const { temporary, lanes } = workshop
  return publishAside(snapshot, workshop, async (writer) => {
    const written = await writeSamples({ writer, lanes, directory: temporary }, snapshot.tests, sources, signal, onFile)
    // What was read back is garbage now, and making the tables takes memory, too.
    collectAll()
    return written
  })
}

/** Publishes another study.json over the same samples, which are linked, not copied; they keep their files and ordinals. */
export async function relinkSnapshot(
  snapshot: NewSnapshot,
  { snapshot: old, given }: Parent,
  workshop: Workshop,
): Promise<Manifest> {
  const order = placesAmong(given.tests, snapshot.tests)
  return publishAside(snapshot, workshop, async () => ({
    sampleFiles: await linkFiles(old, old.manifest.sampleFiles, workshop.temporary),
    places: order.map((i) => given.places[i]),
    measured: order.map((i) => given.measured[i]),
  }))
}

/**
 * Publishes some of the tests of a snapshot: only the sample files that hold others are written anew, the rest are linked.
 *
 * @throws ServiceError corrupt when a stored file is not what its manifest promises
 */
export async function publishFewer(
  snapshot: NewSnapshot,
  parent: Parent,
  workshop: Workshop,
  signal: AbortSignal,
): Promise<Manifest> {
  const { snapshot: old, given } = parent
  const order = placesAmong(given.tests, snapshot.tests)
  const stays = new Set(order)
  const touched = new Set(given.places.flatMap(({ file }, i) => (stays.has(i) ? [] : [file])))
  const kept = old.manifest.sampleFiles.filter((_, file) => !touched.has(file))
  const keptPlaces = new Map(kept.map(({ name }, to) => [name, to]))
  const sources = storedSources(parent)
  const moves = order.filter((i) => given.measured[i].sampleCount > 0 && touched.has(given.places[i].file))
  return publishAside(snapshot, workshop, async (writer) => {
    const directory = join(workshop.temporary, '.written')
    await mkdir(directory)
    const firstOrdinal = given.places.reduce((most, { ordinal }) => Math.max(most, ordinal + 1), 0)
    const tests = moves.map((i) => given.tests[i])
    const from = tests.map(({ id }) => sources.get(id)!)
    const written = await writeSamples(
      { writer, lanes: workshop.lanes, directory, firstOrdinal },
      tests,
      from,
      signal,
      () => {},
    )
    const linked = await linkFiles(old, kept, workshop.temporary)
    const fresh = written.sampleFiles.map((file, i) => ({ ...file, name: sampleFileName(linked.length + i) }))
    for (const [i, { name }] of fresh.entries())
      await rename(join(directory, written.sampleFiles[i].name), join(workshop.temporary, name))
    await rmdir(directory)
    const moved = new Map(
      moves.map((i, k) => [i, { ...written.places[k], file: linked.length + written.places[k].file }]),
    )
    const placeOf = (i: number) => {
      const { file, ...place } = given.places[i]
      // That of a test without samples means nothing.
      return moved.get(i) ?? { ...place, file: keptPlaces.get(old.manifest.sampleFiles[file]?.name) ?? 0 }
    }
    return {
      sampleFiles: [...linked, ...fresh],
      places: order.map(placeOf),
      measured: order.map((i) => given.measured[i]),
    }
  })
}

/** Returns where each of some tests stands among others. */
function placesAmong(others: GivenTest[], tests: GivenTest[]): number[] {
  const index = new Map(others.map(({ id }, i) => [id, i]))
  return tests.map(({ id }) => index.get(id)!)
}

/** Links to sample files of a snapshot, and numbers them. */
async function linkFiles({ directory }: Snapshot, files: SampleFile[], into: string): Promise<SampleFile[]> {
  const linked = files.map((file, i) => ({ ...file, name: sampleFileName(i) }))
  for (const [i, { name }] of linked.entries()) await link(join(directory, files[i].name), join(into, name))
  return linked
}

async function publishAside(
  { studyDir, study, participants, tests, ...rest }: NewSnapshot,
  { temporary, writer }: Workshop,
  samplesInto: (db: DuckDb) => Promise<WrittenSamples>,
): Promise<Manifest> {
  try {
    await mkdir(temporary)
    const db = await writer()
    const { places, sampleFiles, measured } = await samplesInto(db)
    const tables = fillFacts(study, { participants, tests, measured, places })
    const counts = {
      participants: participants.length,
      completed: participants.filter(({ isCompleted }) => isCompleted).length,
      items: study.items.length,
      tests: tests.length,
      samples: sampleFiles.reduce((total, { rowCount }) => total + rowCount, 0),
    }
    const manifest = await writeSnapshot(db.connection, temporary, { ...rest, study, tables, counts, sampleFiles })
    const { createdAt: until, writes } = rest
    await keepPastAois(studyDir, await currentIdIn(studyDir), study, { until, tokenId: writes?.[0]?.tokenId ?? null })
    await tellStudy(studyDir)
    await publishSnapshot(studyDir, temporary, manifest.snapshotId)
    await tellStudy(studyDir)
    return manifest
  } catch (error) {
    if (isCode(error, 'ENOSPC', 'EDQUOT'))
      throw new ServiceError('disk_full', 'there is no space left on the disk', { cause: error })
    throw error
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}
