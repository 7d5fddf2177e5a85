import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { listValue, openDuckDb } from '../duckdb/duckdb.ts'
import { instantKey } from '../model/instant.ts'
import { itemsInOrder } from '../model/output-order.ts'
import type { Snapshot, Study } from '../model/study.ts'
import {
  EVENT_NAMES,
  EVENTS_FILE,
  PARTICIPANTS_FILE,
  participantNames,
  TABLE_FORMAT,
  TEST_NAMES,
  TESTS_FILE,
  VALIDATION_NAMES,
  VALIDATIONS_FILE,
} from './table-columns.ts'

/** The files that hold a snapshot's rows, each table's together. */
export type LayerFiles = { participants: string[]; tests: string[]; validations: string[]; events: string[] }

/** A test that has moved to another place of the sample files. */
type MovedTest = { testId: string; file: number; ordinal: number; firstSample: number }

/** Changed places of samples: the new index of each sample file, by its old one, and tests that have moved. */
type Moves = { files: Map<number, number>; tests: MovedTest[] }

const MEMORY_MIB = 512
const SPILL_MAX_BYTES = 2 ** 36

/**
 * Writes the rows of a study as its tables, in the order of output.
 *
 * @param directory new tables are written there; it lies in the study's
 * @param moves where the samples are now; none have moved if it is not given
 * @returns the names of the files
 */
export async function writeMerged(
  { directory: from, study, manifest }: Snapshot,
  layers: LayerFiles,
  directory: string,
  moves: Moves = { files: new Map(), tests: [] },
): Promise<string[]> {
  const spill = { temporaryDirectory: join(directory, '.spill'), temporaryMaxBytes: SPILL_MAX_BYTES }
  const { connection, close } = await openDuckDb({
    directories: [dirname(from)],
    threads: 1,
    memoryMib: MEMORY_MIB,
    ...spill,
  })
  const copy = (file: string, names: string[], paths: string[], rest: string) =>
    connection.run(
      `COPY (SELECT ${names.join(', ')} FROM ${ROWS} JOIN people ON person_id = participant_id ${rest})
      TO $path ${TABLE_FORMAT}`,
      { path: join(directory, file), paths: listValue(paths) },
    )
  const named = (names: string[]) => names.map((name) => MADE[name] ?? name)
  try {
    await numberPeople(connection, layers.participants)
    await stageItems(connection, study)
    await stageMoves(connection, moves)
    // The number of the row is the first column.
    await copy(
      PARTICIPANTS_FILE,
      named(participantNames(manifest.participantColumns)),
      layers.participants,
      'ORDER BY 1',
    )
    const joined = `JOIN items ON item_place = item_index LEFT JOIN moved ON moved_id = test_id
      LEFT JOIN moved_files ON from_file = sample_file`
    await copy(TESTS_FILE, named(TEST_NAMES), layers.tests, `${joined} ORDER BY 1`)
    const written = [PARTICIPANTS_FILE, TESTS_FILE]
    if (layers.validations.length > 0) {
      await copy(VALIDATIONS_FILE, named(VALIDATION_NAMES), layers.validations, 'ORDER BY person_row, validation_row')
      written.push(VALIDATIONS_FILE)
    }
    if (layers.events.length > 0) {
      await connection.run(
        `COPY (SELECT ${EVENT_NAMES.map((name) => (name === 'test_row' ? 'row AS test_row' : name)).join(', ')}
        FROM ${ROWS} JOIN (SELECT test_id, test_row AS row FROM read_parquet($tests)) USING (test_id)
        ORDER BY row, t_us, event_row) TO $path ${TABLE_FORMAT}`,
        { path: join(directory, EVENTS_FILE), tests: join(directory, TESTS_FILE), paths: listValue(layers.events) },
      )
      written.push(EVENTS_FILE)
    }
    return written
  } finally {
    close()
    await rm(spill.temporaryDirectory, { recursive: true, force: true })
  }
}

/** Query over all layers, which may differ in the columns of external data. */
const ROWS = 'read_parquet($paths, hive_partitioning = false, union_by_name = true)'

/** Columns that are recomputed from all rows; the others are copied. */
const MADE: Record<string, string> = {
  participant_row: 'person_row AS participant_row',
  test_row: `(row_number() OVER (ORDER BY item_rank, person_row, display_order NULLS LAST, test_id) - 1)::INTEGER AS test_row`,
  tags: 'coalesce(tags, []) AS tags',
  sample_file: 'coalesce(moved_file, to_file, sample_file) AS sample_file',
  test_ordinal: 'coalesce(moved_ordinal, test_ordinal) AS test_ordinal',
  first_sample: 'coalesce(moved_first, first_sample) AS first_sample',
}

/** Numbers the participants by their instants, which SQL cannot read from their text. */
async function numberPeople(connection: DuckDBConnection, paths: string[]): Promise<void> {
  await connection.run('CREATE TABLE instants (id VARCHAR, seconds BIGINT, fraction VARCHAR)')
  const given = await connection.runAndReadAll(`SELECT participant_id, created_at FROM ${ROWS}`, {
    paths: listValue(paths),
  })
  const appender = await connection.createAppender('instants')
  for (const [id, createdAt] of given.getRows()) {
    const key = instantKey(String(createdAt ?? ''))
    appender.appendVarchar(String(id))
    if (key === null) appender.appendNull()
    else appender.appendBigInt(BigInt(key.seconds))
    appender.appendVarchar(key?.fraction ?? '')
    appender.endRow()
  }
  appender.closeSync()
  await connection.run(`CREATE TABLE people AS SELECT id AS person_id,
    (row_number() OVER (ORDER BY seconds NULLS LAST, fraction, id) - 1)::INTEGER AS person_row FROM instants`)
}

async function stageItems(connection: DuckDBConnection, study: Study): Promise<void> {
  const ranks = new Map(itemsInOrder(study).map(({ id }, rank) => [id, rank]))
  const rows = study.items.map(({ id }, place) => [place, ranks.get(id)!])
  await stageNumbers(connection, 'items', ['item_place', 'item_rank'], rows)
}

async function stageMoves(connection: DuckDBConnection, { files, tests }: Moves): Promise<void> {
  await stageNumbers(connection, 'moved_files', ['from_file', 'to_file'], [...files])
  await connection.run(
    'CREATE TABLE moved (moved_id VARCHAR, moved_file INTEGER, moved_ordinal INTEGER, moved_first INTEGER)',
  )
  const appender = await connection.createAppender('moved')
  for (const { testId, file, ordinal, firstSample } of tests) {
    appender.appendVarchar(testId)
    for (const value of [file, ordinal, firstSample]) appender.appendInteger(value)
    appender.endRow()
  }
  appender.closeSync()
}

async function stageNumbers(
  connection: DuckDBConnection,
  table: string,
  columns: [string, string],
  rows: number[][],
): Promise<void> {
  await connection.run(`CREATE TABLE ${table} (${columns.map((name) => `${name} INTEGER`).join(', ')})`)
  const appender = await connection.createAppender(table)
  for (const row of rows) {
    for (const value of row) appender.appendInteger(value)
    appender.endRow()
  }
  appender.closeSync()
}
