import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type DuckDb, listValue, openDuckDb } from '../duckdb/duckdb.ts'
import type { Manifest, ParticipantColumns, Snapshot, TableLayer } from '../model/study.ts'
import {
  EVENTS_FILE,
  type Given,
  NO_COLUMNS,
  PARTICIPANTS_FILE,
  stageEvents,
  stageParticipants,
  stageTests,
  stageValidations,
  TABLE_FORMAT,
  TESTS_FILE,
  VALIDATIONS_FILE,
} from '../snapshot/table-columns.ts'
import { layerFiles, layerPaths } from '../snapshot/tables.ts'
import { fillFacts } from './complete-tables.ts'
import { isMerged } from './merged-snapshot.ts'
import { layerOf } from './share-study.ts'

/** State needed to add to a growing study: participants already there, and places for new rows. */
export type LiveTables = {
  /** Writes files for the study. */
  db: DuckDb
  /** The snapshot that they are of. */
  snapshot: Snapshot
  participantIds: Set<string>
  testIds: Set<string>
  columns: ParticipantColumns
  validationCount: number
  eventCount: number
  /** Ordinal of the next test in a new sample file. */
  nextOrdinal: number
}

/** Rows to add to the tables: participants, and tests with the places of their samples. */
export type NewRows = Given & { columns: ParticipantColumns }

const ROWS = 'read_parquet($paths, hive_partitioning = false, union_by_name = true)'

/**
 * Loads the state that is needed to add to a snapshot.
 *
 * @param studyDir the only directory that its SQL may read and write
 * @throws ServiceError corrupt
 */
export async function openLiveTables(studyDir: string, snapshot: Snapshot, memoryMib: number): Promise<LiveTables> {
  const db = await openDuckDb({ directories: [studyDir], threads: 1, memoryMib })
  try {
    return {
      db,
      snapshot,
      columns: snapshot.manifest.participantColumns ?? NO_COLUMNS,
      ...(await stateOf(db, snapshot)),
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Reads the rows of some layers. */
async function stateOf(
  db: DuckDb,
  snapshot: Parameters<typeof layerFiles>[0],
): Promise<Omit<LiveTables, 'db' | 'snapshot' | 'columns'>> {
  const layers = layerFiles(snapshot)
  const ids = async (what: string, paths: string[]) => new Set((await read(db, what, paths)).map(String))
  const count = async (paths: string[]) => (paths.length > 0 ? Number((await read(db, 'count(*)', paths))[0]) : 0)
  return {
    participantIds: await ids('participant_id', layers.participants),
    testIds: await ids('test_id', layers.tests),
    validationCount: await count(layers.validations),
    eventCount: await count(layers.events),
    nextOrdinal: await nextOrdinal(db, layers.tests),
  }
}

async function read(db: DuckDb, what: string, paths: string[]) {
  const result = await db.connection.runAndReadAll(`SELECT ${what} FROM ${ROWS}`, { paths: listValue(paths) })
  return result.getColumns()[0] ?? []
}

async function nextOrdinal(db: DuckDb, tests: string[]): Promise<number> {
  return Number((await read(db, 'coalesce(max(test_ordinal), -1)', tests))[0]) + 1
}

/**
 * Switches to a snapshot that another process made of this one: with the same rows in other files, or with more layers,
 * of which only those are read.
 *
 * @returns false, and changes nothing, for any other snapshot
 * @throws ServiceError corrupt
 */
export async function follow(tables: LiveTables, snapshot: Snapshot): Promise<boolean> {
  const { manifest } = snapshot
  if (manifest.parentId === tables.snapshot.id && isMerged(manifest)) {
    tables.nextOrdinal = await nextOrdinal(tables.db, layerPaths(snapshot, 'tests'))
    tables.snapshot = snapshot
    return true
  }
  const added = addedLayers(tables.snapshot.manifest, manifest)
  if (added === null) return false
  const found = await stateOf(tables.db, { directory: snapshot.directory, manifest: { files: {}, layers: added } })
  for (const id of found.participantIds) tables.participantIds.add(id)
  for (const id of found.testIds) tables.testIds.add(id)
  tables.validationCount += found.validationCount
  tables.eventCount += found.eventCount
  tables.nextOrdinal = Math.max(tables.nextOrdinal, found.nextOrdinal)
  tables.columns = manifest.participantColumns ?? NO_COLUMNS
  tables.snapshot = snapshot
  return true
}

/** Returns the layers by which a study has grown from one snapshot to another; null if it has changed otherwise. */
function addedLayers(before: Manifest, after: Manifest): TableLayer[] | null {
  const { layers: former = [layerOf((name) => before.files[name])] } = before
  const isSame =
    after.files['study.json'] === before.files['study.json'] &&
    isDeepStrictEqual(after.layers?.slice(0, former.length), former)
  return isSame ? after.layers!.slice(former.length) : null
}

/**
 * Writes rows as a layer of tables, without row numbers, which depend on all rows of the study.
 *
 * @returns the names of the files in the directory
 */
export async function writeLayer(tables: LiveTables, rows: NewRows, directory: string): Promise<string[]> {
  const { connection } = tables.db
  const filled = fillFacts(tables.snapshot.study, rows)
  const copy = (file: string, without: string) =>
    connection.run(`COPY (SELECT * EXCLUDE (${without}) FROM written) TO $path ${TABLE_FORMAT}`, {
      path: join(directory, file),
    })
  await stageParticipants(connection, filled.participants, rows.columns)
  await copy(PARTICIPANTS_FILE, 'participant_row')
  await stageTests(connection, filled.tests)
  await copy(TESTS_FILE, 'test_row, participant_row')
  const written = [PARTICIPANTS_FILE, TESTS_FILE]
  if (rows.validations.length > 0) {
    await stageValidations(connection, rows.validations, tables.validationCount)
    await copy(VALIDATIONS_FILE, 'participant_row')
    written.push(VALIDATIONS_FILE)
  }
  if (rows.events.length > 0) {
    await stageEvents(connection, rows.events, tables.eventCount)
    await copy(EVENTS_FILE, 'test_row')
    written.push(EVENTS_FILE)
  }
  return written
}

/**
 * Adds published rows to the state.
 *
 * @param rows with the columns of the study.
 * @param manifest that of the snapshot with them
 */
export function noteRows(tables: LiveTables, rows: NewRows, manifest: Manifest): void {
  const { participants, tests, validations, events, columns } = rows
  for (const { id } of participants) tables.participantIds.add(id)
  for (const { id } of tests) tables.testIds.add(id)
  tables.validationCount += validations.length
  tables.eventCount += events.length
  tables.columns = columns
  const { snapshotId: id } = manifest
  const directory = join(dirname(tables.snapshot.directory), id)
  tables.snapshot = { ...tables.snapshot, id, directory, manifest }
}
