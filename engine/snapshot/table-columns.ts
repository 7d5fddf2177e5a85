import { setImmediate } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { GazeSums } from '../compute/grade.ts'
import { duckDbLibrary } from '../duckdb/duckdb.ts'
import type { Participant, ParticipantColumns, Test } from '../model/study.ts'

/**
 * The names of the tables of participants and tests, Parquet in the order of output (docs/storage.md). Besides the
 * facts that exports need, they hold what the bundle gave and what was measured, from which a later import fills
 * missing facts anew.
 */
export const PARTICIPANTS_FILE = 'participants.parquet'
export const TESTS_FILE = 'tests.parquet'
/** File in which bundles and snapshots describe their recordings: enough to recognise a file, and nobody's name. */
export const RECORDINGS_FILE = 'recordings.json'
/** Table of validations; only in snapshots that have any. */
export const VALIDATIONS_FILE = 'validations.parquet'
/** Table of events; only in snapshots that have any. */
export const EVENTS_FILE = 'events.parquet'

/** A participant as the bundle gave it: '' and null where it gave nothing. */
export type GivenParticipant = Omit<Participant, 'qualityGrade'> & { qualityGrade: number | null }

/** A test as the bundle gave it: null where it gave nothing. */
export type GivenTest = Omit<
  Test,
  'itemIndex' | 'participantIndex' | 'clickCount' | 'qualityGradeItem' | 'sampleCount'
> & { itemId: string; participantId: string; clickCount: number | null; qualityGradeItem: number | null }

/** Facts found in a test's samples. */
export type SampleMeasures = GazeSums & { sampleCount: number; clickCount: number }

/** A validation target as the bundle gave it; the gaze is null where it was lost. */
export type GivenValidation = {
  participantId: string
  /** RFC 3339 as given, or ''. */
  createdAt: string
  targetXPx: number
  targetYPx: number
  gazeXPx: number | null
  gazeYPx: number | null
}

/** An event as the bundle gave it; '' where it has no value. */
export type GivenEvent = { testId: string; tUs: number; name: string; value: string }

/** The place of a test's samples: index into the manifest's sample files, ordinal, and first row in the file. */
export type SamplePlace = { file: number; ordinal: number; firstSample: number }

/**
 * Facts that later imports of a study need: participants and tests in the order of output, and for each test what is
 * known of its samples; validations and events in the order of their files.
 */
export type Given = {
  participants: GivenParticipant[]
  tests: GivenTest[]
  measured: SampleMeasures[]
  places: SamplePlace[]
  validations: GivenValidation[]
  events: GivenEvent[]
}

export type ParticipantRow = { filled: Participant; given: GivenParticipant }
export type TestRow = { filled: Test; given: GivenTest; measured: SampleMeasures; place: SamplePlace }

/** Columns of a study whose tables have only the fixed ones. */
export const NO_COLUMNS: ParticipantColumns = { hasTags: false, externalData: [] }

type SqlType = 'INTEGER' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'VARCHAR' | 'VARCHAR[]'
type TableColumn<Row> = [
  name: string,
  type: SqlType,
  value: (row: Row, index: number) => string | number | boolean | null | string[],
]

const PARTICIPANT_COLUMNS: TableColumn<ParticipantRow>[] = [
  ['participant_row', 'INTEGER', (_, index) => index],
  ['participant_id', 'VARCHAR', ({ filled }) => filled.id],
  ['external_id', 'VARCHAR', ({ filled }) => filled.externalId],
  ['created_at', 'VARCHAR', ({ filled }) => filled.createdAt],
  ['display_name', 'VARCHAR', ({ filled }) => filled.displayName],
  ['age', 'INTEGER', ({ filled }) => filled.age],
  ['gender', 'INTEGER', ({ filled }) => filled.gender],
  ['display_gender', 'VARCHAR', ({ filled }) => filled.displayGender],
  ['quality_grade', 'INTEGER', ({ filled }) => filled.qualityGrade],
  ['is_completed', 'BOOLEAN', ({ filled }) => filled.isCompleted],
  ['notes', 'VARCHAR', ({ filled }) => filled.notes],
  ['given_display_gender', 'VARCHAR', ({ given }) => given.displayGender],
  ['given_quality_grade', 'INTEGER', ({ given }) => given.qualityGrade],
]

const TEST_COLUMNS: TableColumn<TestRow>[] = [
  ['test_row', 'INTEGER', (_, index) => index],
  ['test_id', 'VARCHAR', ({ filled }) => filled.id],
  ['item_id', 'VARCHAR', ({ given }) => given.itemId],
  ['item_index', 'INTEGER', ({ filled }) => filled.itemIndex],
  ['participant_id', 'VARCHAR', ({ given }) => given.participantId],
  ['participant_row', 'INTEGER', ({ filled }) => filled.participantIndex],
  ['created_at', 'VARCHAR', ({ filled }) => filled.createdAt],
  ['display_order', 'INTEGER', ({ filled }) => filled.displayOrder],
  ['duration_us', 'BIGINT', ({ filled }) => filled.durationUs],
  ['finished_on_key', 'VARCHAR', ({ filled }) => filled.finishedOnKey],
  ['has_finished_on_click', 'BOOLEAN', ({ filled }) => filled.hasFinishedOnClick],
  ['click_count', 'INTEGER', ({ filled }) => filled.clickCount],
  ['quality_grade_item', 'INTEGER', ({ filled }) => filled.qualityGradeItem],
  ['browser_width_px', 'DOUBLE', ({ filled }) => filled.browserWidthPx],
  ['browser_height_px', 'DOUBLE', ({ filled }) => filled.browserHeightPx],
  ['item_display_left_px', 'DOUBLE', ({ filled }) => filled.display?.leftPx ?? null],
  ['item_display_top_px', 'DOUBLE', ({ filled }) => filled.display?.topPx ?? null],
  ['item_display_width_px', 'DOUBLE', ({ filled }) => filled.display?.widthPx ?? null],
  ['item_display_height_px', 'DOUBLE', ({ filled }) => filled.display?.heightPx ?? null],
  ['notes', 'VARCHAR', ({ filled }) => filled.notes],
  ['sample_file', 'INTEGER', ({ place }) => place.file],
  ['test_ordinal', 'INTEGER', ({ place }) => place.ordinal],
  ['first_sample', 'INTEGER', ({ place }) => place.firstSample],
  ['sample_count', 'INTEGER', ({ filled }) => filled.sampleCount],
  ['given_click_count', 'INTEGER', ({ given }) => given.clickCount],
  ['given_quality_grade_item', 'INTEGER', ({ given }) => given.qualityGradeItem],
  ['has_given_display', 'BOOLEAN', ({ given }) => given.display !== null],
  ['recorded_click_count', 'INTEGER', ({ measured }) => measured.clickCount],
  ['valid_count', 'INTEGER', ({ measured }) => measured.validCount],
  ['span_us', 'BIGINT', ({ measured }) => measured.spanUs],
  ['missing_us', 'BIGINT', ({ measured }) => measured.missingUs],
  ['recorded_us', 'BIGINT', ({ measured }) => measured.durationUs],
  ['on_screen_count', 'INTEGER', ({ measured }) => measured.onScreenCount],
  ['windowed_count', 'INTEGER', ({ measured }) => measured.windowedCount],
]

/**
 * Returns the name of the column that holds external data of a name, which import has checked: letters, digits and `_`.
 */
export function externalDataColumnName(name: string): string {
  return `external_data_${name}`
}

/** Rows in a row group: few, so that a few rows are read fast. */
const TABLE_GROUP_ROWS = 8192
export const TABLE_FORMAT = `(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${TABLE_GROUP_ROWS})`

export async function writeParticipants(
  connection: DuckDBConnection,
  path: string,
  rows: Iterable<ParticipantRow>,
  more: ParticipantColumns | undefined,
): Promise<void> {
  await writeTable(connection, path, participantColumns(more), rows)
}

function participantColumns(more: ParticipantColumns | undefined): TableColumn<ParticipantRow>[] {
  return [...PARTICIPANT_COLUMNS, ...furtherColumns(more)]
}

function namesOf<Row>(columns: TableColumn<Row>[]): string[] {
  return columns.map(([name]) => name)
}
/** The names of the columns of each table, in order. */
export const TEST_NAMES = namesOf(TEST_COLUMNS)
export const participantNames = (more: ParticipantColumns | undefined) => namesOf(participantColumns(more))

/** Puts rows into the temporary table `written` of a connection, in the columns of participants.parquet. */
export function stageParticipants(
  connection: DuckDBConnection,
  rows: Iterable<ParticipantRow>,
  more: ParticipantColumns | undefined,
): Promise<void> {
  return stageRows(connection, participantColumns(more), rows)
}

/** Puts rows into the temporary table `written`, in the columns of tests.parquet. */
export function stageTests(connection: DuckDBConnection, rows: Iterable<TestRow>): Promise<void> {
  return stageRows(connection, TEST_COLUMNS, rows)
}

/**
 * Puts rows into the temporary table `written`, in the columns of validations.parquet.
 *
 * @param firstRow number of the first one
 */
export function stageValidations(
  connection: DuckDBConnection,
  validations: GivenValidation[],
  firstRow: number,
): Promise<void> {
  const rows = validations.map((given, i) => ({ row: firstRow + i, participantRow: 0, given }))
  return stageRows(connection, VALIDATION_COLUMNS, rows)
}

/**
 * Puts rows into the temporary table `written`, in the columns of events.parquet.
 *
 * @param firstRow number of the first one
 */
export function stageEvents(connection: DuckDBConnection, events: GivenEvent[], firstRow: number): Promise<void> {
  const rows = events.map((given, i) => ({ row: firstRow + i, testRow: 0, given }))
  return stageRows(connection, EVENT_COLUMNS, rows)
}

/**
 * Returns the optional columns of a study whose bundles have them, behind all others; without them the file is the same
 * as that of any other study.
 */
function furtherColumns(
  more: ParticipantColumns = { hasTags: false, externalData: [] },
): TableColumn<ParticipantRow>[] {
  const tags: TableColumn<ParticipantRow> = ['tags', 'VARCHAR[]', ({ filled }) => filled.tags]
  const external = more.externalData.map(
    (name): TableColumn<ParticipantRow> => [
      externalDataColumnName(name),
      'VARCHAR',
      ({ filled: { externalData } }) => (Object.hasOwn(externalData, name) ? externalData[name] : null),
    ],
  )
  return more.hasTags ? [tags, ...external] : external
}

const VALIDATION_COLUMNS: TableColumn<{ row: number; participantRow: number; given: GivenValidation }>[] = [
  ['validation_row', 'INTEGER', ({ row }) => row],
  ['participant_row', 'INTEGER', ({ participantRow }) => participantRow],
  ['participant_id', 'VARCHAR', ({ given }) => given.participantId],
  ['created_at', 'VARCHAR', ({ given }) => given.createdAt],
  ['target_x_px', 'DOUBLE', ({ given }) => given.targetXPx],
  ['target_y_px', 'DOUBLE', ({ given }) => given.targetYPx],
  ['gaze_x_px', 'DOUBLE', ({ given }) => given.gazeXPx],
  ['gaze_y_px', 'DOUBLE', ({ given }) => given.gazeYPx],
]
export const VALIDATION_NAMES = namesOf(VALIDATION_COLUMNS)

const EVENT_COLUMNS: TableColumn<{ row: number; testRow: number; given: GivenEvent }>[] = [
  ['event_row', 'INTEGER', ({ row }) => row],
  ['test_row', 'INTEGER', ({ testRow }) => testRow],
  ['test_id', 'VARCHAR', ({ given }) => given.testId],
  ['t_us', 'BIGINT', ({ given }) => given.tUs],
  ['name', 'VARCHAR', ({ given }) => given.name],
  ['value', 'VARCHAR', ({ given }) => given.value],
]
export const EVENT_NAMES = namesOf(EVENT_COLUMNS)

/** Writes events, test by test in the order of time, so that those of some tests are found fast. */
export async function writeEvents(
  connection: DuckDBConnection,
  path: string,
  tests: { id: string }[],
  events: GivenEvent[],
): Promise<void> {
  const testRows = new Map(tests.map(({ id }, row) => [id, row]))
  const rows = events.map((given, row) => ({ row, testRow: testRows.get(given.testId)!, given }))
  rows.sort((a, b) => a.testRow - b.testRow || a.given.tUs - b.given.tUs || a.row - b.row)
  await writeTable(connection, path, EVENT_COLUMNS, rows)
}

/**
 * Writes validations, participant by participant, so that those of some participants are found fast.
 *
 * @param validations in the order of the bundles' files, which `validation_row` keeps
 */
export async function writeValidations(
  connection: DuckDBConnection,
  path: string,
  participants: ParticipantRow[],
  validations: GivenValidation[],
): Promise<void> {
  const participantRows = new Map(participants.map(({ filled }, row) => [filled.id, row]))
  const rows = validations.map((given, row) => ({
    row,
    participantRow: participantRows.get(given.participantId)!,
    given,
  }))
  rows.sort((a, b) => a.participantRow - b.participantRow || a.row - b.row)
  await writeTable(connection, path, VALIDATION_COLUMNS, rows)
}

export async function writeTests(connection: DuckDBConnection, path: string, rows: Iterable<TestRow>): Promise<void> {
  await writeTable(connection, path, TEST_COLUMNS, rows)
}

/** Writes a table as Parquet. */
async function writeTable<Row>(
  connection: DuckDBConnection,
  path: string,
  columns: TableColumn<Row>[],
  rows: Iterable<Row>,
): Promise<void> {
  await stageRows(connection, columns, rows)
  await connection.run(`COPY written TO $path ${TABLE_FORMAT}`, { path })
  await connection.run('DROP TABLE written')
}

/** Fills the temporary table `written` with rows. Empty text is stored as NULL. */
async function stageRows<Row>(
  connection: DuckDBConnection,
  columns: TableColumn<Row>[],
  rows: Iterable<Row>,
): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE written (${columns.map(([name, type]) => `${name} ${type}`).join(', ')})`,
  )
  const appender = await connection.createAppender('written', 'main', 'temp')
  const { LIST, VARCHAR } = duckDbLibrary()
  const texts = LIST(VARCHAR)
  let i = 0
  for (const row of rows) {
    for (const [, type, read] of columns) {
      const value = read(row, i)
      if (value === null || value === '') appender.appendNull()
      else if (type === 'VARCHAR') appender.appendVarchar(value as string)
      else if (type === 'VARCHAR[]') appender.appendList(value as string[], texts)
      else if (type === 'BOOLEAN') appender.appendBoolean(value as boolean)
      else if (type === 'INTEGER') appender.appendInteger(value as number)
      else if (type === 'BIGINT') appender.appendBigInt(BigInt(value as number))
      else appender.appendDouble(value as number)
    }
    appender.endRow()
    // Others have their turn, and V8 tidies up what the calls left.
    if (++i % TABLE_GROUP_ROWS === 0) await setImmediate()
  }
  appender.closeSync()
}
