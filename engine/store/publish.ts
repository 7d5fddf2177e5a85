import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Manifest, Participant, SampleFile, Study, Test } from '../study.ts'
import { replaceDurably, syncDirectory } from './durable.ts'
import { isThere } from './optional-files.ts'
import type { Image } from './parent.ts'
import { FORMAT_VERSION } from './snapshots.ts'
import {
  type Given,
  givenToJson,
  PARTICIPANTS_FILE,
  participantsToBytes,
  TEST_PAGES_FILE,
  TESTS_FILE,
  testsToBytes,
} from './tables.ts'

/** What a snapshot's id is made of (SPEC section 2). */
export type Origin = { bundle: Record<string, string>; parentId: string | null }

/** SHA-256, in hex, of the format version, the hashes of the bundle's files, and the parent's id. */
export function snapshotIdOf({ bundle, parentId }: Origin): string {
  const files = Object.entries(bundle).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([FORMAT_VERSION, files, parentId]))
    .digest('hex')
}

export type SnapshotParts = {
  origin: Origin
  study: Study
  participants: Participant[]
  tests: Test[]
  given: Given
  /** Already in the directory, hashed and synced. */
  sampleFiles: SampleFile[]
  images: Image[]
  createdAt: string
}

/** Writes everything but the samples into a snapshot's directory, the manifest last, and syncs it all. */
export async function writeSnapshot(directory: string, parts: SnapshotParts): Promise<Manifest> {
  const { origin, study, participants, tests, given, sampleFiles, images, createdAt } = parts
  const files: Record<string, string> = {}
  const write = async (name: string, bytes: string | Buffer) => {
    files[name] = createHash('sha256').update(bytes).digest('hex')
    await writeSynced(join(directory, name), bytes)
  }
  await write('study.json', JSON.stringify(study))
  await write(PARTICIPANTS_FILE, participantsToBytes(participants))
  const { table, pages } = testsToBytes(tests)
  await write(TESTS_FILE, table)
  await write(TEST_PAGES_FILE, pages)
  await write('given.json', givenToJson(given))
  if (images.length > 0) await mkdir(join(directory, 'images'))
  for (const { name, path } of images) await write(`images/${name}`, await readFile(path))
  const manifest: Manifest = {
    formatVersion: FORMAT_VERSION,
    snapshotId: snapshotIdOf(origin),
    studyId: study.id,
    parentId: origin.parentId,
    createdAt,
    counts: {
      participants: participants.length,
      items: study.items.length,
      tests: tests.length,
      samples: sampleFiles.reduce((total, { rowCount }) => total + rowCount, 0),
    },
    sampleFiles,
    files,
    bundle: origin.bundle,
  }
  await writeSynced(join(directory, 'manifest.json'), JSON.stringify(manifest))
  if (images.length > 0) await syncDirectory(join(directory, 'images'))
  await syncDirectory(directory)
  return manifest
}

/** Gives a finished directory its name, unless that snapshot is there already, and makes it the study's current one. */
export async function publishSnapshot(studyDir: string, temporary: string, snapshotId: string): Promise<void> {
  const directory = join(studyDir, snapshotId)
  if (await isThere(join(directory, 'manifest.json'))) await rm(temporary, { recursive: true, force: true })
  else {
    await rename(temporary, directory)
    await syncDirectory(studyDir)
  }
  await replaceDurably(join(studyDir, 'current'), `${snapshotId}\n`)
}

async function writeSynced(path: string, bytes: string | Buffer): Promise<void> {
  const file = await open(path, 'wx')
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
