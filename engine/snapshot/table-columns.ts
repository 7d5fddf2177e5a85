import { setImmediate } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { GazeSums } from '../compute/grade.ts'
import type { Participant, Test } from '../model/study.ts'

/**
 * What a snapshot knows of its participants and tests, as Parquet in the order of output. Beside the facts that exports need there is
 * what the bundle gave and what was measured, from which a later import fills missing facts anew. docs/storage.md describes them.
 */
export const PARTICIPANTS_FILE = 'participants.parquet'
export const TESTS_FILE = 'tests.parquet'

/** What a bundle said of a participant: '' and null where it said nothing. */
export type GivenParticipant = Omit<Participant, 'qualityGrade'> & { qualityGrade: number | null }

/** What a bundle said of a test: null where it said nothing. */
export type GivenTest = Omit<
  Test,
  'itemIndex' | 'participantIndex' | 'clickCount' | 'qualityGradeItem' | 'sampleCount'
> & { itemId: string; participantId: string; clickCount: number | null; qualityGradeItem: number | null }

/** What was found in a test's samples. */
export type Measured = GazeSums & { sampleCount: number; clickCount: number }

/** Where a test's samples lie: index into the manifest's sample files, its number in that file, and its first row there. */
export type Place = { file: number; ordinal: number; firstSample: number }

/** What later imports of a study need of it: participants and tests in the order of output, and for each test what is known of its samples. */
export type Given = { participants: GivenParticipant[]; tests: GivenTest[]; measured: Measured[]; places: Place[] }

export type ParticipantRow = { filled: Participant; given: GivenParticipant }
export type TestRow = { filled: Test; given: GivenTest; measured: Measured; place: Place }

type SqlType = 'INTEGER' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'VARCHAR'
type TableColumn<Row> = [
  name: string,
  type: SqlType,
  value: (row: Row, index: number) => string | number | boolean | null,
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

/** How many rows a thread reads at once: a row group. */
export const TABLE_GROUP_ROWS = 8192
const FORMAT = `(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${TABLE_GROUP_ROWS})`

export async function writeParticipants(
  connection: DuckDBConnection,
  path: string,
  rows: Iterable<ParticipantRow>,
): Promise<void> {
  await writeTable(connection, path, PARTICIPANT_COLUMNS, rows)
}

export async function writeTests(connection: DuckDBConnection, path: string, rows: Iterable<TestRow>): Promise<void> {
  await writeTable(connection, path, TEST_COLUMNS, rows)
}

/** Empty text is stored as NULL, as what is not known. */
async function writeTable<Row>(
  connection: DuckDBConnection,
  path: string,
  columns: TableColumn<Row>[],
  rows: Iterable<Row>,
): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE written (${columns.map(([name, type]) => `${name} ${type}`).join(', ')})`,
  )
  const appender = await connection.createAppender('written', 'main', 'temp')
  let i = 0
  for (const row of rows) {
    for (const [, type, read] of columns) {
      const value = read(row, i)
      if (value === null || value === '') appender.appendNull()
      else if (type === 'VARCHAR') appender.appendVarchar(value as string)
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
  await connection.run(`COPY written TO $path ${FORMAT}`, { path })
  await connection.run('DROP TABLE written')
}
