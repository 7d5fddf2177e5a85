import { createHash } from 'node:crypto'
import { chmod, constants, copyFile, link, mkdir, readlink, rename, rmdir, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { DuckDb } from '../duckdb/duckdb.ts'
import { collectAll } from '../duckdb/garbage.ts'
import type { EyeColumn } from '../model/eye-columns.ts'
import type { ParticipantColumns, SampleFile, Snapshot, Study } from '../model/study.ts'
import { isCode } from '../model/system-errors.ts'
import type { RecordedFiles } from '../snapshot/recordings-file.ts'
import type { Origin } from '../snapshot/snapshot-id.ts'
import {
  EVENTS_FILE,
  type Given,
  type GivenTest,
  NO_COLUMNS,
  PARTICIPANTS_FILE,
  RECORDINGS_FILE,
  TESTS_FILE,
  VALIDATIONS_FILE,
  writeEvents,
  writeParticipants,
  writeTests,
  writeValidations,
} from '../snapshot/table-columns.ts'
import { hashAndTrust } from '../snapshot/verify.ts'
import { syncFile, writeSynced } from '../storage/files/durable.ts'
import { hashFile } from '../storage/files/hash-file.ts'
import type { Next } from './change-study.ts'
import { type FilledTables, fillFacts } from './complete-tables.ts'
import { type Image, mergeImages, type Parent, storedSources } from './parent-snapshot.ts'
import { sampleFileName } from './samples/place-tests.ts'
import { rowCountOf, type SampleSource, type WrittenSamples, writeSamples } from './samples/write-samples.ts'
import type { Workspace } from './workspace.ts'

/** All rows and files of a study except samples. */
export type StudyRows = Omit<Given, 'measured' | 'places'> & {
  study: Study
  columns: ParticipantColumns
  recordings: RecordedFiles | null
  images: Image[]
}

/** Returns the rows that a study has. */
export function rowsOf({ snapshot, given, recordings }: Parent): StudyRows {
  const { study, manifest } = snapshot
  const { participants, tests, validations, events } = given
  const columns = manifest.participantColumns ?? NO_COLUMNS
  const images = mergeImages(snapshot, study)
  return { study, participants, tests, validations, events, columns, recordings, images }
}

/** Number of samples from which a collection frees more than it costs: they take some MB. */
const COLLECTED_SAMPLES = 100_000

/** Samples of a snapshot: their number, and a function that puts them into a directory. */
type Samples = { count: number; into: (db: DuckDb, directory: string) => Promise<WrittenSamples> }

/** Returns a snapshot whose tables are rewritten from rows. */
export function rewritten(rows: StudyRows, samples: Samples, origin: Origin, { writer }: Workspace): Next {
  const { study, participants, tests, columns, events } = rows
  const counts = {
    participants: participants.length,
    completed: participants.filter(({ isCompleted }) => isCompleted).length,
    items: study.items.length,
    tests: tests.length,
    samples: samples.count,
    ...(events.length > 0 ? { events: events.length } : {}),
  }
  const fill = async (directory: string) => {
    const db = await writer()
    const { places, sampleFiles, measured } = await samples.into(db, directory)
    const tables = fillFacts(study, { participants, tests, measured, places })
    return { sampleFiles, files: await writeRows(db.connection, directory, rows, tables) }
  }
  return { origin, counts, columns, description: study, fill }
}

/**
 * Returns samples that are rewritten from `sources`, one for each test.
 *
 * @param eyes columns of eyes in the table `staged`
 * @param onFile called with the samples written so far, and all
 */
export function samplesFrom(
  tests: GivenTest[],
  sources: SampleSource[],
  { lanes, signal }: Workspace,
  eyes: EyeColumn[] = [],
  onFile: (done: number, total: number) => void = () => {},
): Samples {
  const count = sources.reduce((total, source) => total + rowCountOf(source), 0)
  const into = async (writer: DuckDb, directory: string) => {
    const written = await writeSamples({ writer, lanes, directory, eyes }, tests, sources, signal, (done) =>
      onFile(done, count),
    )
    // The data read back, or what was received, are garbage now, and making the tables takes memory, too.
    if (count > COLLECTED_SAMPLES) collectAll()
    return written
  }
  return { count, into }
}

/**
 * Returns the samples of some of a study's tests. Files that also hold others are rewritten; the rest are linked and
 * keep their ordinals.
 */
export function samplesKept(parent: Parent, tests: GivenTest[], { lanes, signal }: Workspace): Samples {
  const { snapshot: old, given } = parent
  const index = new Map(given.tests.map(({ id }, i) => [id, i]))
  const order = tests.map(({ id }) => index.get(id)!)
  const measured = order.map((i) => given.measured[i])
  const count = measured.reduce((total, { sampleCount }) => total + sampleCount, 0)
  const stays = new Set(order)
  const touched = new Set(given.places.flatMap(({ file }, i) => (stays.has(i) ? [] : [file])))
  const into = async (writer: DuckDb, directory: string) => {
    const kept = old.manifest.sampleFiles.filter((_, file) => !touched.has(file))
    const linked = await linkFiles(old, kept, directory)
    if (touched.size === 0) return { sampleFiles: linked, places: order.map((i) => given.places[i]), measured }
    const sources = storedSources(parent)
    const moves = order.filter((i) => given.measured[i].sampleCount > 0 && touched.has(given.places[i].file))
    const moving = moves.map((i) => given.tests[i])
    const aside = join(directory, '.written')
    await mkdir(aside)
    const firstOrdinal = given.places.reduce((most, { ordinal }) => Math.max(most, ordinal + 1), 0)
    const from = moving.map(({ id }) => sources.get(id)!)
    const to = { writer, lanes, directory: aside, firstOrdinal }
    const written = await writeSamples(to, moving, from, signal, () => {})
    const fresh = written.sampleFiles.map((file, i) => ({ ...file, name: sampleFileName(linked.length + i) }))
    for (const [i, { name }] of fresh.entries())
      await rename(join(aside, written.sampleFiles[i].name), join(directory, name))
    await rmdir(aside)
    const keptAt = new Map(kept.map(({ name }, at) => [name, at]))
    const moved = new Map(
      moves.map((i, k) => [i, { ...written.places[k], file: linked.length + written.places[k].file }]),
    )
    const placeOf = (i: number) => {
      const { file, ...place } = given.places[i]
      // The place of a test without samples means nothing.
      return moved.get(i) ?? { ...place, file: keptAt.get(old.manifest.sampleFiles[file]?.name) ?? 0 }
    }
    return { sampleFiles: [...linked, ...fresh], places: order.map(placeOf), measured }
  }
  return { count, into }
}

/** Links sample files of a snapshot, and numbers them. */
async function linkFiles({ directory }: Snapshot, files: SampleFile[], into: string): Promise<SampleFile[]> {
  const linked = files.map((file, i) => ({ ...file, name: sampleFileName(i) }))
  for (const [i, { name }] of linked.entries()) await linkAgain(join(directory, files[i].name), join(into, name))
  return linked
}

/** Links a file. A symbolic link is created again, since its target may not be fetched yet. */
async function linkAgain(path: string, other: string): Promise<void> {
  const target = await readlink(path).catch((error: unknown) => {
    if (isCode(error, 'EINVAL')) return null
    if (isCode(error, 'ENOENT')) return relative(dirname(other), path)
    throw error
  })
  await (target === null ? link(path, other) : symlink(target, other))
}

/** Writes everything but the samples and the manifest, and syncs it. @returns the SHA-256 of each file */
async function writeRows(
  connection: DuckDBConnection,
  directory: string,
  { study, recordings, columns, tests: given, validations, events, images }: StudyRows,
  { participants, tests }: FilledTables,
): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  const write = async (name: string, bytes: string | Buffer) => {
    files[name] = createHash('sha256').update(bytes).digest('hex')
    await writeSynced(join(directory, name), bytes)
  }
  const note = async (name: string) => {
    await syncFile(join(directory, name))
    files[name] = hashAndTrust(join(directory, name))
  }
  await write('study.json', JSON.stringify(study))
  if (recordings !== null) await write(RECORDINGS_FILE, JSON.stringify(recordings))
  await writeParticipants(connection, join(directory, PARTICIPANTS_FILE), participants, columns)
  await note(PARTICIPANTS_FILE)
  await writeTests(connection, join(directory, TESTS_FILE), tests)
  await note(TESTS_FILE)
  if (validations.length > 0) {
    await writeValidations(connection, join(directory, VALIDATIONS_FILE), participants, validations)
    await note(VALIDATIONS_FILE)
  }
  if (events.length > 0) {
    await writeEvents(connection, join(directory, EVENTS_FILE), given, events)
    await note(EVENTS_FILE)
  }
  if (images.length > 0) await mkdir(join(directory, 'images'))
  for (const image of images) {
    const name = `images/${image.name}`
    if ('bytes' in image) await write(name, image.bytes)
    else files[name] = await placeImage(image, join(directory, name))
  }
  return files
}

/**
 * Places a picture in a snapshot: one that the study has already is linked, so that a change of something else costs
 * nothing, however large its videos are; another is copied and synced.
 *
 * @returns its SHA-256
 */
async function placeImage({ path, sha256 }: { path: string; sha256?: string }, to: string): Promise<string> {
  if (sha256 !== undefined) {
    await linkAgain(path, to)
    return sha256
  }
  await copyFile(path, to, constants.COPYFILE_FICLONE)
  // A copy has the permissions of its source; others on this machine may read that.
  await chmod(to, 0o600)
  await syncFile(to)
  return hashFile(to)
}
