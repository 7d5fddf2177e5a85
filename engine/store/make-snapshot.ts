import { link, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../errors.ts'
import type { Manifest, Study } from '../study.ts'
import { isCode } from './durable.ts'
import { fillFacts } from './fill.ts'
import { temporaryPath } from './layout.ts'
import type { Image, Parent } from './parent.ts'
import { type Origin, publishSnapshot, writeSnapshot } from './publish.ts'
import type { GivenParticipant, GivenTest } from './tables.ts'
import type { Workshop } from './workshop.ts'
import { type Source, writeSamples } from './write-samples.ts'

/** What every new snapshot has, wherever its samples come from. */
export type NewSnapshot = {
  /** Where the study lies; its lock is held. */
  studyDir: string
  study: Study
  /** In the order of output. */
  participants: GivenParticipant[]
  tests: GivenTest[]
  origin: Origin
  images: Image[]
  createdAt: string
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
  { temporary, lanes, ...workshop }: Workshop,
  signal: AbortSignal,
  onFile: (samples: number) => void,
): Promise<Manifest> {
  const { tests } = snapshot
  const isKept = sources.some((source) => source && 'kept' in source)
  return publishAside(snapshot, temporary, async () => {
    const writer = await (isKept ? workshop.encoder() : workshop.writer())
    return writeSamples({ writer, lanes, directory: temporary }, tests, sources, signal, onFile)
  })
}

/** Publishes another study.json over the same samples, which are linked, not copied; they keep their files and ordinals. */
export async function relinkSnapshot(snapshot: NewSnapshot, { snapshot: old, given }: Parent): Promise<Manifest> {
  const temporary = temporaryPath(snapshot.studyDir, 'import')
  const index = new Map(given.tests.map(({ id }, i) => [id, i]))
  const order = snapshot.tests.map(({ id }) => index.get(id)!)
  return publishAside(snapshot, temporary, async () => {
    const { sampleFiles } = old.manifest
    for (const { name } of sampleFiles) await link(join(old.directory, name), join(temporary, name))
    return {
      sampleFiles,
      places: order.map((i) => ({ file: old.tests[i].file, ordinal: old.tests[i].ordinal })),
      measured: order.map((i) => given.measured[i]),
    }
  })
}

type Samples = Pick<Awaited<ReturnType<typeof writeSamples>>, 'places' | 'sampleFiles' | 'measured'>

async function publishAside(
  { studyDir, study, participants, tests, ...rest }: NewSnapshot,
  temporary: string,
  samplesInto: () => Promise<Samples>,
): Promise<Manifest> {
  try {
    await mkdir(temporary)
    const { places, sampleFiles, measured } = await samplesInto()
    const given = { participants, tests, measured }
    const filled = fillFacts(study, given, places)
    const manifest = await writeSnapshot(temporary, { ...rest, study, ...filled, given, sampleFiles })
    await publishSnapshot(studyDir, temporary, manifest.snapshotId)
    return manifest
  } catch (error) {
    if (isCode(error, 'ENOSPC', 'EDQUOT'))
      throw new ServiceError('disk_full', 'there is no space left on the disk', { cause: error })
    throw error
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}
