import { link, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode } from '../files/durable.ts'
import { ServiceError } from '../model/errors.ts'
import type { Manifest, ParticipantColumns, Study, StudyWrite } from '../model/study.ts'
import type { DuckDb } from '../snapshot/duckdb.ts'
import type { Recordings } from '../snapshot/recordings-file.ts'
import type { Origin } from '../snapshot/snapshot-id.ts'
import { currentIdIn } from '../snapshot/snapshots.ts'
import type { GivenParticipant, GivenTest, GivenValidation } from '../snapshot/table-columns.ts'
import { tellStudy } from '../webhooks/tell-study.ts'
import { fillFacts } from './complete-tables.ts'
import type { Image, Parent } from './parent-snapshot.ts'
import { keepPastAois } from './past-aois.ts'
import { publishSnapshot, writeSnapshot } from './publish.ts'
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
  return publishAside(snapshot, workshop, async (writer) =>
    writeSamples({ writer, lanes, directory: temporary }, snapshot.tests, sources, signal, onFile),
  )
}

/** Publishes another study.json over the same samples, which are linked, not copied; they keep their files and ordinals. */
export async function relinkSnapshot(
  snapshot: NewSnapshot,
  { snapshot: old, given }: Parent,
  workshop: Workshop,
): Promise<Manifest> {
  const index = new Map(given.tests.map(({ id }, i) => [id, i]))
  const order = snapshot.tests.map(({ id }) => index.get(id)!)
  return publishAside(snapshot, workshop, async () => {
    const { sampleFiles } = old.manifest
    for (const { name } of sampleFiles) await link(join(old.directory, name), join(workshop.temporary, name))
    return { sampleFiles, places: order.map((i) => given.places[i]), measured: order.map((i) => given.measured[i]) }
  })
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
