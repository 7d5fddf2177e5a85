import { encode, fractionText, guardFormula, quote } from '../csv/cells.ts'
import { roundToMs } from '../csv/numbers.ts'
import type { Column, ColumnType } from '../registry.ts'
import type { Item, Participant, Test } from '../study.ts'

/** What a row of a test says about who looked at what: the same in all rows of the test, so it is encoded once. */
export type TestIdentity = { studyId: string; item: Item; participant: Participant; test: Test }

type Value = string | number | boolean | null

/** A column whose cell depends on the test alone (`Subject` = TestIdentity) or on another fixed thing. */
export type FixedColumn<Subject> = Column & { guarded: boolean; value: (subject: Subject) => Value }

function fixed<Subject>(
  name: string,
  type: ColumnType,
  unit: string,
  meaning: string,
  missing: string | null,
  value: (subject: Subject) => Value,
): FixedColumn<Subject> {
  return { name, type, unit, meaning, missing, guarded: GUARDED.has(name), value }
}

/** Free text that a spreadsheet might take for a formula: SPEC section 7. */
const GUARDED = new Set([
  'item_filename',
  'participant_external_id',
  'participant_display_name',
  'participant_display_gender',
  'aoi_name',
  'test_finished_on_key',
  'notes',
])

export const AGE_UNKNOWN = 0
export const NAME_UNKNOWN = 'Anonymous'
export const GENDER_UNKNOWN = 'unknown'

type OfItem = { studyId: string; item: Item }
const studyId = fixed<OfItem>('study_id', 'uuid', '', 'The study', null, (row) => row.studyId)
const itemId = fixed<OfItem>('item_id', 'uuid', '', 'The item that was shown', null, (row) => row.item.id)
const itemFilename = fixed<OfItem>(
  'item_filename',
  'string',
  '',
  "The item's file name",
  '',
  (row) => row.item.filename,
)
const itemCdnUrl = fixed<OfItem>('item_cdn_url', 'url', '', "Address of the item's image", '', (row) => row.item.cdnUrl)
const itemDuration = fixed<OfItem>('item_stimuli_duration_ms', 'int', 'ms', 'How long the item is shown', '', (row) =>
  row.item.stimuliDurationMs === null ? null : roundToMs(row.item.stimuliDurationMs * 1000),
)

/** The first columns of `aoi-overall-stats`. */
export const ITEM_IDENTITY: FixedColumn<OfItem>[] = [studyId, itemId, itemFilename, itemCdnUrl]

type T = TestIdentity
const participantId = fixed<T>('participant_id', 'uuid', '', 'The participant', null, (row) => row.participant.id)
const externalId = fixed<T>(
  'participant_external_id',
  'string',
  '',
  "The participant's name in another system",
  '',
  (row) => row.participant.externalId,
)
const participantCreatedAt = fixed<T>(
  'participant_created_at',
  'datetime',
  '',
  'When the participant began, with UTC offset',
  '',
  (row) => row.participant.createdAt,
)
const displayName = fixed<T>(
  'participant_display_name',
  'string',
  '',
  "The participant's name; Anonymous when unknown",
  NAME_UNKNOWN,
  (row) => row.participant.displayName || NAME_UNKNOWN,
)
const age = fixed<T>(
  'participant_age',
  'int',
  'years',
  'Age; 0 when unknown',
  '0',
  (row) => row.participant.age ?? AGE_UNKNOWN,
)
const gender = fixed<T>(
  'participant_gender',
  'int',
  '',
  '0 female, 1 male, 2 other',
  '',
  (row) => row.participant.gender,
)
const displayGender = fixed<T>(
  'participant_display_gender',
  'string',
  '',
  'Gender in words; unknown when it is',
  GENDER_UNKNOWN,
  (row) => row.participant.displayGender || GENDER_UNKNOWN,
)
const grade = fixed<T>(
  'participant_quality_grade',
  'int',
  'grade',
  'Quality of all the data of the participant, 1 (Very Low) to 6 (Perfect)',
  null,
  (row) => row.participant.qualityGrade,
)
const gradeItem = fixed<T>(
  'participant_quality_grade_item',
  'int',
  'grade',
  "Quality of the participant's data on this item, 1 (Very Low) to 6 (Perfect)",
  null,
  (row) => row.test.qualityGradeItem,
)
const testId = fixed<T>(
  'test_id',
  'uuid',
  '',
  'The test: one participant looking at one item once',
  null,
  (row) => row.test.id,
)
const testCreatedAt = fixed<T>(
  'test_created_at',
  'datetime',
  '',
  'When the test began, with UTC offset',
  '',
  (row) => row.test.createdAt,
)
const testDuration = fixed<T>('test_duration_ms', 'int', 'ms', 'How long the test took', '', (row) =>
  row.test.durationUs === null ? null : roundToMs(row.test.durationUs),
)
const browserWidth = fixed<T>(
  'test_browser_width_px',
  'number',
  'px',
  'Width of the browser window',
  '',
  (row) => row.test.browserWidthPx,
)
const browserHeight = fixed<T>(
  'test_browser_height_px',
  'number',
  'px',
  'Height of the browser window',
  '',
  (row) => row.test.browserHeightPx,
)
const displayOrder = fixed<T>(
  'test_item_display_order',
  'int',
  '',
  'The place of the item in what this participant saw',
  '',
  (row) => row.test.displayOrder,
)
const displayLeft = fixed<T>(
  'item_display_left_px',
  'number',
  'px',
  'Left edge of the displayed item in the window',
  '',
  (row) => row.test.display?.leftPx ?? null,
)
const displayTop = fixed<T>(
  'item_display_top_px',
  'number',
  'px',
  'Top edge of the displayed item in the window',
  '',
  (row) => row.test.display?.topPx ?? null,
)
const displayWidth = fixed<T>(
  'item_display_width_px',
  'number',
  'px',
  'Width of the displayed item',
  '',
  (row) => row.test.display?.widthPx ?? null,
)
const displayHeight = fixed<T>(
  'item_display_height_px',
  'number',
  'px',
  'Height of the displayed item',
  '',
  (row) => row.test.display?.heightPx ?? null,
)
const finishedOnKey = fixed<T>(
  'test_finished_on_key',
  'string',
  '',
  'The key that ended the item; empty when none did',
  '',
  (row) => row.test.finishedOnKey,
)
const finishedOnClick = fixed<T>(
  'test_has_finished_on_click',
  'boolean',
  '',
  'Whether a click ended the item; false also when that is unknown',
  null,
  (row) => row.test.hasFinishedOnClick,
)
const clickCount = fixed<T>(
  'test_click_count',
  'int',
  'clicks',
  'Clicks during the test',
  null,
  (row) => row.test.clickCount,
)

/** Group P of SPEC section 7. */
export const P: FixedColumn<T>[] = [
  studyId,
  itemId,
  itemFilename,
  itemCdnUrl,
  participantId,
  externalId,
  displayName,
  grade,
  gradeItem,
  displayOrder,
]

/** Group G of SPEC section 7. */
export const G: FixedColumn<T>[] = [
  participantId,
  externalId,
  age,
  gender,
  displayGender,
  grade,
  gradeItem,
  itemId,
  testId,
  testCreatedAt,
  testDuration,
  browserWidth,
  browserHeight,
  displayOrder,
]

/** Group X of SPEC section 7. */
export const X: FixedColumn<T>[] = [
  studyId,
  itemFilename,
  itemCdnUrl,
  displayName,
  displayLeft,
  displayTop,
  displayWidth,
  displayHeight,
]

/** The table of INTERFACE section 2.2 up to its notes. */
export const KEYBOARD_AND_MOUSE: FixedColumn<T>[] = [
  studyId,
  itemId,
  itemFilename,
  itemCdnUrl,
  itemDuration,
  participantId,
  externalId,
  participantCreatedAt,
  displayName,
  age,
  displayGender,
  grade,
  gradeItem,
  displayOrder,
  testDuration,
  finishedOnKey,
  finishedOnClick,
  clickCount,
]

/** Cells of fixed columns, joined by commas, as text. */
export function fixedCells<Subject>(columns: FixedColumn<Subject>[], subject: Subject, formulaGuard: boolean): string {
  return columns.map((column) => cellText(column.value(subject), column.guarded && formulaGuard)).join(',')
}

/** The same as bytes, with a comma behind: what rows begin with. */
export function fixedPrefix<Subject>(
  columns: FixedColumn<Subject>[],
  subject: Subject,
  formulaGuard: boolean,
): Uint8Array {
  return encode(`${fixedCells(columns, subject, formulaGuard)},`)
}

/** One cell as text. Numbers take at most six decimals; null is the empty field. */
export function cellText(value: Value, guarded: boolean): string {
  if (value === null) return ''
  if (typeof value === 'number') return fractionText(value)
  if (typeof value === 'boolean') return String(value)
  return quote(guarded ? guardFormula(value) : value)
}
