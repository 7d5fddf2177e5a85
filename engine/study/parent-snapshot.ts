import { join } from 'node:path'
import type { Snapshot } from '../model/study.ts'
import { type RecordedFiles, readRecordings } from '../snapshot/recordings-file.ts'
import { readGivenRows } from '../snapshot/rows/read-given.ts'
import { BROKEN } from '../snapshot/snapshots.ts'
import type { Given } from '../snapshot/table-columns.ts'
import { readFault } from '../storage/files/read-fault.ts'
import type { SampleSource } from './samples/write-samples.ts'

/** A study's current snapshot with what a new one is made of, in the snapshot's order. */
export type Parent = { snapshot: Snapshot; given: Given; recordings: RecordedFiles | null }

/** Loads the rows of a snapshot. @throws ServiceError corrupt, overloaded when too many files are open */
export async function loadParent(snapshot: Snapshot): Promise<Parent> {
  try {
    return { snapshot, given: await readGivenRows(snapshot), recordings: await readRecordings(snapshot) }
  } catch (error) {
    throw readFault(error, BROKEN)
  }
}

/** Returns where a snapshot's tests have their samples, by test id. */
export function storedSources({
  snapshot: { directory, manifest, pin },
  given,
}: {
  snapshot: Snapshot
  given: Pick<Given, 'tests' | 'places' | 'measured'>
}): Map<string, SampleSource> {
  return new Map(
    given.tests.map(({ id }, i) => {
      const { sampleCount: rowCount } = given.measured[i]
      if (rowCount === 0) return [id, null]
      const { file, ordinal } = given.places[i]
      const sampleFile = manifest.sampleFiles[file]
      const { name, sha256, eyes = [] } = sampleFile
      const held = pin === undefined ? {} : { hold: () => pin(sampleFile) }
      return [id, { stored: { directory, file: name, sha256, ordinal, rowCount, eyes, ...held } }]
    }),
  )
}

/** A picture, and where it is. @property sha256 if it is known, as that of a picture that the study has */
export type Image = { name: string } & ({ path: string; sha256?: string } | { bytes: Buffer })

/**
 * Returns the pictures of a new snapshot: those of the parent that still belong to an item, and those of the bundle,
 * which replace others of the same name.
 */
export function mergeImages(
  parent: Snapshot | null,
  { items }: { items: { filename: string }[] },
  bundle: { directory: string; images: string[] } = { directory: '', images: [] },
): Image[] {
  const stored = Object.entries(parent?.manifest.files ?? {}).filter(([file]) => file.startsWith('images/'))
  const images = new Map<string, Image>()
  for (const [file, sha256] of stored) {
    const name = file.slice('images/'.length)
    images.set(name, { name, path: join(parent!.directory, file), sha256 })
  }
  for (const name of bundle.images) images.set(name, { name, path: join(bundle.directory, 'images', name) })
  const named = new Set(items.map(({ filename }) => filename))
  return [...images.values()].filter(({ name }) => named.has(name))
}
