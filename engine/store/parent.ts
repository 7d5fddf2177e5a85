import { join } from 'node:path'
import { ServiceError } from '../errors.ts'
import type { Snapshot } from '../study.ts'
import { readHashed } from './hash-file.ts'
import { readFault } from './read-fault.ts'
import { BROKEN, currentId, loadSnapshot } from './snapshots.ts'
import { type Given, givenFromJson } from './tables.ts'
import type { Source } from './write-samples.ts'

/** A study's current snapshot with what a new one is made of; `tests` of `given` stand in the snapshot's order. */
export type Parent = { snapshot: Snapshot; given: Given }

/**
 * @param studyDir the study's directory in `dataDir`
 * @throws ServiceError not_found when nothing is published there, corrupt, overloaded when too many files are open
 */
export async function loadParent(dataDir: string, studyDir: string, studyId: string): Promise<Parent> {
  const id = await currentId(dataDir, studyId)
  if (id === null) throw new ServiceError('not_found', `there is no study ${studyId}`)
  return loadWithGiven(join(studyDir, id))
}

export async function loadWithGiven(directory: string): Promise<Parent> {
  const snapshot = await loadSnapshot(directory)
  try {
    const json = await readHashed(join(directory, 'given.json'), snapshot.manifest.files['given.json'])
    return { snapshot, given: givenFromJson(json.toString(), snapshot) }
  } catch (error) {
    throw readFault(error, BROKEN)
  }
}

/** Where a snapshot's tests have their samples, by test id. */
export function storedSources({ id: _id, directory, manifest, tests }: Snapshot): Map<string, Source> {
  return new Map(
    tests.map(({ id, file, ordinal, sampleCount: rowCount }) => {
      if (rowCount === 0) return [id, null]
      const { name, sha256 } = manifest.sampleFiles[file]
      return [id, { stored: { directory, file: name, sha256, ordinal, rowCount } }]
    }),
  )
}

/** A picture to copy, and where from. */
export type Image = { name: string; path: string }

/**
 * The pictures of a new snapshot: a parent's that are still some item's, and those of the bundle, which replace others of the same
 * name.
 */
export function mergeImages(
  parent: Snapshot | null,
  bundle: { directory: string; images: string[] },
  { items }: { items: { filename: string }[] },
): Image[] {
  const stored = Object.keys(parent?.manifest.files ?? {}).filter((file) => file.startsWith('images/'))
  const paths = new Map([
    ...stored.map((file) => [file.slice('images/'.length), join(parent!.directory, file)] as const),
    ...bundle.images.map((name) => [name, join(bundle.directory, 'images', name)] as const),
  ])
  const named = new Set(items.map(({ filename }) => filename))
  return [...paths].filter(([name]) => named.has(name)).map(([name, path]) => ({ name, path }))
}
