import { join } from 'node:path'
import type { DuckDBValue } from '@duckdb/node-api'
import { listValue, readParquet } from '../../duckdb/duckdb.ts'
import { query, queryRows } from '../../duckdb/query.ts'
import { studiesDirectoryOf } from '../../storage/files/layout.ts'
import { isThere } from '../../storage/files/optional-files.ts'
import { readManifest } from '../snapshots.ts'
import {
  EVENTS_FILE,
  type Given,
  type GivenEvent,
  type GivenParticipant,
  type GivenTest,
  type GivenValidation,
  PARTICIPANTS_FILE,
  type SampleMeasures,
  type SamplePlace,
  TESTS_FILE,
  VALIDATIONS_FILE,
} from '../table-columns.ts'
import { layerPaths, type TableFiles, tablePath } from '../tables.ts'
import { displayOf, numberOrNull, participantReader, selectedColumns, textAt } from './read-rows.ts'

const participantsSql = (
  more: string,
) => `SELECT participant_id, external_id, created_at, display_name, age, gender, given_display_gender,
  given_quality_grade, is_completed, notes${more} FROM ${readParquet()} ORDER BY participant_row`
const VALIDATIONS = `SELECT participant_id, created_at, target_x_px, target_y_px, gaze_x_px, gaze_y_px
  FROM ${readParquet()} ORDER BY validation_row`
const EVENTS = `SELECT test_id, t_us, name, value FROM ${readParquet()} ORDER BY event_row`
const TESTS = `SELECT test_id, item_id, participant_id, created_at, display_order, duration_us, finished_on_key,
    has_finished_on_click, given_click_count, given_quality_grade_item, browser_width_px, browser_height_px, has_given_display,
    item_display_left_px, item_display_top_px, item_display_width_px, item_display_height_px, notes,
    sample_file, test_ordinal, first_sample,
    sample_count, recorded_click_count, valid_count, span_us, missing_us, recorded_us, on_screen_count, windowed_count
  FROM ${readParquet()}`

/** Reads the rows that a snapshot's bundles gave, and the measures of its samples, in its order. */
export async function readGivenRows(files: TableFiles): Promise<Given> {
  const more = files.manifest.participantColumns
  const participantOf = participantReader(more)
  const participants = await readAll(
    files,
    PARTICIPANTS_FILE,
    participantsSql(selectedColumns(more)),
    (cells): GivenParticipant => ({ ...participantOf(cells), qualityGrade: numberOrNull(cells[7]) }),
  )
  const [validations, events] = [await readGivenValidations(files), await readGivenEvents(files)]
  return { participants, validations, events, ...(await readGivenTests(files)) }
}

/**
 * Reads only the tests of a snapshot.
 *
 * @param sampleFiles only those whose samples are in these files; all if not given
 */
export async function readGivenTests(
  files: TableFiles,
  sampleFiles?: number[],
): Promise<Pick<Given, 'tests' | 'places' | 'measured'>> {
  const [where, values] =
    sampleFiles === undefined
      ? ['', {}]
      : ['WHERE list_contains($files::INTEGER[], sample_file)', { files: listValue(sampleFiles) }]
  const rows = await readAll(files, TESTS_FILE, `${TESTS} ${where} ORDER BY test_row`, testRowOf, values)
  return {
    tests: rows.map(({ test }) => test),
    places: rows.map(({ place }) => place),
    measured: rows.map(({ measured }) => measured),
  }
}

async function readGivenValidations(files: TableFiles): Promise<GivenValidation[]> {
  return readAll(files, VALIDATIONS_FILE, VALIDATIONS, ([id, createdAt, targetX, targetY, gazeX, gazeY]) => ({
    participantId: textAt(id),
    createdAt: textAt(createdAt),
    targetXPx: Number(targetX),
    targetYPx: Number(targetY),
    gazeXPx: numberOrNull(gazeX),
    gazeYPx: numberOrNull(gazeY),
  }))
}

async function readGivenEvents(files: TableFiles): Promise<GivenEvent[]> {
  return readAll(files, EVENTS_FILE, EVENTS, ([id, tUs, name, value]) => ({
    testId: textAt(id),
    tUs: Number(tUs),
    name: textAt(name),
    value: textAt(value),
  }))
}

/** Returns true if a snapshot's table has a participant, whatever state the snapshot is in. */
export async function hasParticipant(directory: string, id: string): Promise<boolean> {
  const own = join(directory, PARTICIPANTS_FILE)
  const layers = async () => layerPaths({ directory, manifest: await readManifest(directory) }, 'participants')
  const paths = (await isThere(own)) ? [own] : await layers()
  const sql =
    'SELECT 1 FROM read_parquet($paths, hive_partitioning = false, union_by_name = true) WHERE participant_id = $id'
  return (await queryRows(studiesDirectoryOf(directory), sql, { paths: listValue(paths), id })).length > 0
}

/** Reads all rows of a table; none if the snapshot lacks the table. */
async function readAll<Row>(
  files: TableFiles,
  file: string,
  sql: string,
  rowOf: (cells: DuckDBValue[]) => Row,
  values: Record<string, DuckDBValue> = {},
): Promise<Row[]> {
  const path = await tablePath(files, file)
  if (path === null) return []
  return query(studiesDirectoryOf(files.directory), sql, { path, ...values }, (result) => {
    const rows: Row[] = []
    for (let c = 0; c < result.chunkCount; c++)
      for (const cells of result.getChunk(c).getRows()) rows.push(rowOf(cells))
    return rows
  })
}

function testRowOf(cells: DuckDBValue[]): { test: GivenTest; place: SamplePlace; measured: SampleMeasures } {
  const [id, itemId, participantId, createdAt, displayOrder, durationUs, key, finishedOnClick, clickCount, grade] =
    cells
  const [browserWidthPx, browserHeightPx, hasDisplay, left, top, width, height, notes] = cells.slice(10)
  const test = {
    id: textAt(id),
    itemId: textAt(itemId),
    participantId: textAt(participantId),
    createdAt: textAt(createdAt),
    displayOrder: numberOrNull(displayOrder),
    durationUs: numberOrNull(durationUs),
    finishedOnKey: textAt(key),
    hasFinishedOnClick: finishedOnClick === true,
    clickCount: numberOrNull(clickCount),
    qualityGradeItem: numberOrNull(grade),
    browserWidthPx: numberOrNull(browserWidthPx),
    browserHeightPx: numberOrNull(browserHeightPx),
    display: hasDisplay === true ? displayOf(left, top, width, height) : null,
    notes: textAt(notes),
  }
  const [file, ordinal, firstSample, ...counts] = cells.slice(18).map(Number)
  const [sampleCount, recordedClicks, validCount, spanUs, missingUs, recordedUs, onScreenCount, windowedCount] = counts
  const sums = { validCount, spanUs, missingUs, durationUs: recordedUs, onScreenCount, windowedCount }
  return { test, place: { file, ordinal, firstSample }, measured: { ...sums, sampleCount, clickCount: recordedClicks } }
}
