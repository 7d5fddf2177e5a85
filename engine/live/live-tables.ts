import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { fillFacts } from '../import/complete-tables.ts'
import { instantKey } from '../model/instant.ts'
import { itemsInOrder } from '../model/output-order.ts'
import type { ParticipantColumns, Snapshot } from '../model/study.ts'
import { type DuckDb, openDuckDb, readParquet } from '../snapshot/duckdb.ts'
import {
  externalDataColumnName,
  type GivenParticipant,
  type GivenTest,
  type GivenValidation,
  type Measured,
  PARTICIPANTS_FILE,
  type Place,
  participantNames,
  stageParticipants,
  stageTests,
  stageValidations,
  TABLE_FORMAT,
  TEST_NAMES,
  TESTS_FILE,
  VALIDATION_NAMES,
  VALIDATIONS_FILE,
} from '../snapshot/table-columns.ts'
import { verifyFile } from '../snapshot/verify.ts'

/**
 * The tables of a study that grows, held in DuckDB, so that a snapshot with more participants is one sorted copy: without the
 * numbers of rows, which change when others come before them.
 */
export type LiveTables = {
  db: DuckDb
  /** The snapshot that they are of. */
  snapshot: Snapshot
  participantIds: Set<string>
  testIds: Set<string>
  columns: ParticipantColumns
  validationCount: number
  /** Of the next test in a new sample file. */
  nextOrdinal: number
}

/** What comes into the tables: tests with where their samples are. */
export type NewRows = {
  participants: GivenParticipant[]
  columns: ParticipantColumns
  tests: GivenTest[]
  measured: Measured[]
  places: Place[]
  validations: GivenValidation[]
}

/**
 * Loads the tables of a snapshot.
 *
 * @param studyDir the only directory that its SQL may read and write
 * @throws ServiceError corrupt
 */
export async function openLiveTables(studyDir: string, snapshot: Snapshot, memoryMib: number): Promise<LiveTables> {
  const db = await openDuckDb({ directories: [studyDir], threads: 1, memoryMib })
  try {
    const { directory, manifest, study } = snapshot
    const { connection } = db
    const load = (table: string, file: string, without: string) =>
      connection.run(`CREATE TABLE ${table} AS SELECT * EXCLUDE (${without}) FROM ${readParquet()}`, {
        path: join(directory, file),
      })
    await load('tests', TESTS_FILE, 'test_row, participant_row')
    await load('participants', PARTICIPANTS_FILE, 'participant_row')
    const hasValidations = VALIDATIONS_FILE in manifest.files
    if (hasValidations) {
      verifyFile(join(directory, VALIDATIONS_FILE), manifest.files[VALIDATIONS_FILE])
      await load('validations', VALIDATIONS_FILE, 'participant_row')
    }
    await createInstants(connection)
    const ranks = new Map(itemsInOrder(study).map(({ id }, rank) => [id, rank]))
    await connection.run('CREATE TABLE items (item_index INTEGER, item_rank INTEGER)')
    const appender = await connection.createAppender('items')
    for (const [index, { id }] of study.items.entries()) {
      appender.appendInteger(index)
      appender.appendInteger(ranks.get(id)!)
      appender.endRow()
    }
    appender.closeSync()
    const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRows()
    const ids = async (sql: string) => new Set((await read(sql)).map(([id]) => String(id)))
    const [[lastOrdinal]] = await read('SELECT coalesce(max(test_ordinal), -1) FROM tests')
    const more = manifest.participantColumns
    return {
      db,
      snapshot,
      participantIds: await ids('SELECT participant_id FROM participants'),
      testIds: await ids('SELECT test_id FROM tests'),
      columns: { hasTags: more?.hasTags ?? false, externalData: more?.externalData ?? [] },
      validationCount: hasValidations ? Number((await read('SELECT count(*) FROM validations'))[0][0]) : 0,
      nextOrdinal: Number(lastOrdinal) + 1,
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Keeps beside the participants the instants by which they are ordered: their times are text. */
async function createInstants(connection: DuckDBConnection): Promise<void> {
  await connection.run('CREATE TABLE instants (participant_id VARCHAR, seconds BIGINT, fraction VARCHAR)')
  const rows = (await connection.runAndReadAll('SELECT participant_id, created_at FROM participants')).getRows()
  await appendInstants(
    connection,
    rows.map(([id, createdAt]) => ({ id: String(id), createdAt: String(createdAt ?? '') })),
  )
}

async function appendInstants(
  connection: DuckDBConnection,
  participants: { id: string; createdAt: string }[],
): Promise<void> {
  const appender = await connection.createAppender('instants')
  for (const { id, createdAt } of participants) {
    const key = instantKey(createdAt)
    appender.appendVarchar(id)
    if (key === null) appender.appendNull()
    else appender.appendBigInt(BigInt(key.seconds))
    appender.appendVarchar(key?.fraction ?? '')
    appender.endRow()
  }
  appender.closeSync()
}

/** Adds rows to the tables. If that fails, they are of no use any more. */
export async function addRows(tables: LiveTables, rows: NewRows): Promise<void> {
  const { connection } = tables.db
  const { study } = tables.snapshot
  await addColumns(tables, rows.columns)
  const filled = fillFacts(study, rows)
  await stageParticipants(connection, filled.participants, tables.columns)
  await connection.run('INSERT INTO participants BY NAME SELECT * EXCLUDE (participant_row) FROM written')
  await appendInstants(connection, rows.participants)
  await stageTests(connection, filled.tests)
  await connection.run('INSERT INTO tests BY NAME SELECT * EXCLUDE (test_row, participant_row) FROM written')
  if (rows.validations.length > 0) {
    await stageValidations(connection, rows.validations, tables.validationCount)
    const isFirst = tables.validationCount === 0
    const into = isFirst ? 'CREATE OR REPLACE TABLE validations AS' : 'INSERT INTO validations BY NAME'
    await connection.run(`${into} SELECT * EXCLUDE (participant_row) FROM written`)
  }
  for (const { id } of rows.participants) tables.participantIds.add(id)
  for (const { id } of rows.tests) tables.testIds.add(id)
  tables.validationCount += rows.validations.length
}

async function addColumns(tables: LiveTables, { hasTags, externalData }: ParticipantColumns): Promise<void> {
  const { connection } = tables.db
  if (hasTags && !tables.columns.hasTags)
    await connection.run('ALTER TABLE participants ADD COLUMN tags VARCHAR[] DEFAULT []')
  const names = externalData.filter((name) => !tables.columns.externalData.includes(name))
  for (const name of names)
    await connection.run(`ALTER TABLE participants ADD COLUMN ${externalDataColumnName(name)} VARCHAR`)
  tables.columns = {
    hasTags: hasTags || tables.columns.hasTags,
    externalData: [...tables.columns.externalData, ...names].sort(),
  }
}

const PEOPLE = `CREATE OR REPLACE TABLE people AS SELECT participant_id,
  (row_number() OVER (ORDER BY seconds NULLS LAST, fraction, participant_id) - 1)::INTEGER AS participant_row FROM instants`
const TEST_ROW = `(row_number() OVER (ORDER BY item_rank, participant_row, display_order NULLS LAST, test_id) - 1)::INTEGER AS test_row`

/**
 * Writes the tables as a snapshot's, in the order of output.
 *
 * @param directory of the snapshot
 * @returns the names of the files
 */
export async function writeTables({ db, columns, validationCount }: LiveTables, directory: string): Promise<string[]> {
  const { connection } = db
  await connection.run(PEOPLE)
  const copy = (file: string, names: string[], from: string, order: string) =>
    connection.run(`COPY (SELECT ${names.join(', ')} FROM ${from} ORDER BY ${order}) TO $path ${TABLE_FORMAT}`, {
      path: join(directory, file),
    })
  const tests = TEST_NAMES.map((name) => (name === 'test_row' ? TEST_ROW : name))
  const withPeople = 'JOIN people USING (participant_id)'
  await copy(PARTICIPANTS_FILE, participantNames(columns), `participants ${withPeople}`, 'participant_row')
  await copy(TESTS_FILE, tests, `tests ${withPeople} JOIN items USING (item_index)`, 'test_row')
  if (validationCount === 0) return [PARTICIPANTS_FILE, TESTS_FILE]
  await copy(VALIDATIONS_FILE, VALIDATION_NAMES, `validations ${withPeople}`, 'participant_row, validation_row')
  return [PARTICIPANTS_FILE, TESTS_FILE, VALIDATIONS_FILE]
}
