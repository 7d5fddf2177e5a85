import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { logged } from '../files/change-log.ts'
import { FORMAT_VERSION } from '../files/data-format.ts'
import { replaceDurably, syncDirectory, syncFile } from '../files/durable.ts'
import { isThere } from '../files/optional-files.ts'
import type { Manifest, ParticipantColumns, SampleFile, Study, StudyWrite } from '../model/study.ts'
import { RECORDINGS_FILE, type Recordings } from '../snapshot/recordings-file.ts'
import { type Origin, snapshotIdOf } from '../snapshot/snapshot-id.ts'
import { currentIdIn, manifestText } from '../snapshot/snapshots.ts'
import {
  type GivenValidation,
  PARTICIPANTS_FILE,
  TESTS_FILE,
  VALIDATIONS_FILE,
  writeParticipants,
  writeTests,
  writeValidations,
} from '../snapshot/table-columns.ts'
import { hashAndTrust } from '../snapshot/verify.ts'
import type { FilledTables } from './complete-tables.ts'
import { carryWrites } from './history.ts'
import type { Image } from './parent-snapshot.ts'

type SnapshotParts = {
  origin: Origin
  study: Study
  tables: FilledTables
  counts: Manifest['counts']
  /** In the order of the bundles' files. */
  validations: GivenValidation[]
  participantColumns: ParticipantColumns | undefined
  recordings: Recordings | null
  /** Already in the directory, hashed and synced. */
  sampleFiles: SampleFile[]
  images: Image[]
  createdAt: string
  /** The changes that made it. */
  writes?: StudyWrite[]
}

/**
 * Writes everything but the samples into a snapshot's directory, the manifest last, and syncs it all.
 *
 * @param connection of a DuckDB that may write there
 */
export async function writeSnapshot(
  connection: DuckDBConnection,
  directory: string,
  parts: SnapshotParts,
): Promise<Manifest> {
  const { study, tables, validations, images } = parts
  const { hasTags = false, externalData = [] } = parts.participantColumns ?? {}
  const participantColumns = hasTags || externalData.length > 0 ? { hasTags, externalData } : undefined
  const files: Record<string, string> = {}
  const write = async (name: string, bytes: string | Buffer) => {
    files[name] = createHash('sha256').update(bytes).digest('hex')
    await writeSynced(join(directory, name), bytes)
  }
  await write('study.json', JSON.stringify(study))
  if (parts.recordings !== null) await write(RECORDINGS_FILE, JSON.stringify(parts.recordings))
  await writeParticipants(connection, join(directory, PARTICIPANTS_FILE), tables.participants, participantColumns)
  await writeTests(connection, join(directory, TESTS_FILE), tables.tests)
  const hasValidations = validations.length > 0
  if (hasValidations)
    await writeValidations(connection, join(directory, VALIDATIONS_FILE), tables.participants, validations)
  for (const name of [PARTICIPANTS_FILE, TESTS_FILE, ...(hasValidations ? [VALIDATIONS_FILE] : [])]) {
    await syncFile(join(directory, name))
    files[name] = hashAndTrust(join(directory, name))
  }
  if (images.length > 0) await mkdir(join(directory, 'images'))
  for (const { name, path } of images) await write(`images/${name}`, await readFile(path))
  return sealSnapshot(directory, { ...parts, participantColumns, studyId: study.id, files })
}

/** Writes the manifest of a snapshot whose other files are there and synced, and syncs the directory. */
export async function sealSnapshot(
  directory: string,
  parts: Pick<SnapshotParts, 'origin' | 'counts' | 'sampleFiles' | 'participantColumns' | 'createdAt' | 'writes'> &
    Pick<Manifest, 'studyId' | 'files' | 'layers'>,
): Promise<Manifest> {
  const { origin, studyId, counts, sampleFiles, participantColumns, files, layers, createdAt, writes = [] } = parts
  const manifest: Manifest = {
    formatVersion: FORMAT_VERSION,
    snapshotId: snapshotIdOf(origin),
    studyId,
    parentId: origin.parentId,
    createdAt,
    counts,
    sampleFiles,
    ...(participantColumns ? { participantColumns } : {}),
    files,
    ...(layers ? { layers } : {}),
    bundle: origin.bundle,
    ...(writes.length > 0 ? { writes } : {}),
  }
  await writeSynced(join(directory, 'manifest.json'), manifestText(manifest))
  if (Object.keys(files).some((name) => name.startsWith('images/'))) await syncDirectory(join(directory, 'images'))
  await syncDirectory(directory)
  return manifest
}

/** Gives a finished directory its name, unless that snapshot is there already, and makes it the study's current one. */
export async function publishSnapshot(studyDir: string, temporary: string, snapshotId: string): Promise<void> {
  const directory = join(studyDir, snapshotId)
  await carryWrites(studyDir, await currentIdIn(studyDir))
  if (await isThere(join(directory, 'manifest.json'))) await rm(temporary, { recursive: true, force: true })
  else {
    await rename(temporary, directory)
    await syncDirectory(studyDir)
  }
  await logged(dirname(studyDir), basename(studyDir), () =>
    replaceDurably(join(studyDir, 'current'), `${snapshotId}\n`),
  )
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
