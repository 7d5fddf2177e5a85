import { dirname, join } from 'node:path'
import type { DuckDBValue } from '@duckdb/node-api'
import { readParquet } from './duckdb.ts'
import { displayOf, numberOrNull, participantReader, selectedColumns, type TableFiles, text } from './read-rows.ts'
import { query, queryRows } from './snapshot-reader.ts'
import {
  type Given,
  type GivenParticipant,
  type GivenTest,
  type GivenValidation,
  type Measured,
  PARTICIPANTS_FILE,
  type Place,
  TESTS_FILE,
  VALIDATIONS_FILE,
} from './table-columns.ts'
import { verifyFile } from './verify.ts'

const participantsSql = (
  more: string,
) => `SELECT participant_id, external_id, created_at, display_name, age, gender, given_display_gender,
  given_quality_grade, is_completed, notes${more} FROM ${readParquet()} ORDER BY participant_row`
const VALIDATIONS = `SELECT participant_id, created_at, target_x_px, target_y_px, gaze_x_px, gaze_y_px
  FROM ${readParquet()} ORDER BY validation_row`
const TESTS = `SELECT test_id, item_id, participant_id, created_at, display_order, duration_us, finished_on_key,
    has_finished_on_click, given_click_count, given_quality_grade_item, browser_width_px, browser_height_px, has_given_display,
    item_display_left_px, item_display_top_px, item_display_width_px, item_display_height_px, notes,
    sample_file, test_ordinal, first_sample,
    sample_count, recorded_click_count, valid_count, span_us, missing_us, recorded_us, on_screen_count, windowed_count
  FROM ${readParquet()} ORDER BY test_row`

/** Reads what a snapshot's bundles gave, and what was measured in its samples, in its order. */
export async function readGiven({ directory, manifest }: TableFiles): Promise<Given> {
  const more = manifest.participantColumns
  const participantOf = participantReader(more)
  const participants = await readAll(
    directory,
    PARTICIPANTS_FILE,
    participantsSql(selectedColumns(more)),
    (cells): GivenParticipant => ({ ...participantOf(cells), qualityGrade: numberOrNull(cells[7]) }),
  )
  const rows = await readAll(directory, TESTS_FILE, TESTS, testRowOf)
  return {
    participants,
    validations: await readGivenValidations(directory, manifest.files),
    tests: rows.map(({ test }) => test),
    places: rows.map(({ place }) => place),
    measured: rows.map(({ measured }) => measured),
  }
}

async function readGivenValidations(directory: string, files: Record<string, string>): Promise<GivenValidation[]> {
  if (!(VALIDATIONS_FILE in files)) return []
  verifyFile(join(directory, VALIDATIONS_FILE), files[VALIDATIONS_FILE])
  return readAll(directory, VALIDATIONS_FILE, VALIDATIONS, ([id, createdAt, targetX, targetY, gazeX, gazeY]) => ({
    participantId: text(id),
    createdAt: text(createdAt),
    targetXPx: Number(targetX),
    targetYPx: Number(targetY),
    gazeXPx: numberOrNull(gazeX),
    gazeYPx: numberOrNull(gazeY),
  }))
}

/** Tells whether a snapshot's table has a participant, whatever else is in the snapshot. */
export async function hasParticipant(directory: string, id: string): Promise<boolean> {
  const sql = `SELECT 1 FROM ${readParquet()} WHERE participant_id = $id`
  const rows = await queryRows(dirname(dirname(directory)), sql, { path: join(directory, PARTICIPANTS_FILE), id })
  return rows.length > 0
}

function readAll<Row>(
  directory: string,
  file: string,
  sql: string,
  rowOf: (cells: DuckDBValue[]) => Row,
): Promise<Row[]> {
  return query(dirname(dirname(directory)), sql, { path: join(directory, file) }, (result) => {
    const rows: Row[] = []
    for (let c = 0; c < result.chunkCount; c++)
      for (const cells of result.getChunk(c).getRows()) rows.push(rowOf(cells))
    return rows
  })
}

function testRowOf(cells: DuckDBValue[]): { test: GivenTest; place: Place; measured: Measured } {
  const [id, itemId, participantId, createdAt, displayOrder, durationUs, key, finishedOnClick, clickCount, grade] =
    cells
  const [browserWidthPx, browserHeightPx, hasDisplay, left, top, width, height, notes] = cells.slice(10)
  const test = {
    id: text(id),
    itemId: text(itemId),
    participantId: text(participantId),
    createdAt: text(createdAt),
    displayOrder: numberOrNull(displayOrder),
    durationUs: numberOrNull(durationUs),
    finishedOnKey: text(key),
    hasFinishedOnClick: finishedOnClick === true,
    clickCount: numberOrNull(clickCount),
    qualityGradeItem: numberOrNull(grade),
    browserWidthPx: numberOrNull(browserWidthPx),
    browserHeightPx: numberOrNull(browserHeightPx),
    display: hasDisplay === true ? displayOf(left, top, width, height) : null,
    notes: text(notes),
  }
  const [file, ordinal, firstSample, ...counts] = cells.slice(18).map(Number)
  const [sampleCount, recordedClicks, validCount, spanUs, missingUs, recordedUs, onScreenCount, windowedCount] = counts
  const sums = { validCount, spanUs, missingUs, durationUs: recordedUs, onScreenCount, windowedCount }
  return { test, place: { file, ordinal, firstSample }, measured: { ...sums, sampleCount, clickCount: recordedClicks } }
}
