import { type Cells, type Column, type ColumnType, same, type Value } from '../../model/columns.ts'
import type { Item, Participant, Test } from '../../model/study.ts'
import { roundToMs } from '../../text/numbers.ts'

/** Identity of a test, the same in all of its rows: who looked at what. */
export type TestIdentity = { studyId: string; item: Item; participant: Participant; test: Test }

/** The kind of thing that the value of a column belongs to; there is one value for each of them. */
export type Domain = 'study' | 'item' | 'participant' | 'test' | 'aoi'

/** A column whose cell depends on one such thing alone; null where the value is unknown. */
export type FixedColumn<Subject> = Column & { of: Domain; value: (subject: Subject) => Value }

export function fixed<Subject>(
  of: Domain,
  name: string,
  type: ColumnType,
  unit: string,
  meaning: string,
  missing: string | null,
  value: (subject: Subject) => Value,
): FixedColumn<Subject> {
  return { of, name, type, unit, meaning, missing, isGuarded: GUARDED.has(name), value }
}

/** Columns of free text that a spreadsheet might take for a formula. */
const GUARDED = new Set([
  'item_filename',
  'participant_external_id',
  'participant_display_name',
  'participant_display_gender',
  'aoi_name',
  'test_finished_on_key',
  'participant_tags',
])

type OfItem = { studyId: string; item: Item }
const studyId = fixed<OfItem>('study', 'study_id', 'uuid', '', 'The study', null, (row) => row.studyId)
const itemId = fixed<OfItem>('item', 'item_id', 'uuid', '', 'The item that was shown', null, (row) => row.item.id)
const itemFilename = fixed<OfItem>(
  'item',
  'item_filename',
  'string',
  '',
  'File name of the item',
  '',
  (row) => row.item.filename,
)
const itemCdnUrl = fixed<OfItem>(
  'item',
  'item_cdn_url',
  'url',
  '',
  'Address of the image of the item',
  '',
  (row) => row.item.cdnUrl,
)
const itemDuration = fixed<OfItem>(
  'item',
  'item_stimuli_duration_ms',
  'int',
  'ms',
  'How long the item is shown',
  '',
  (row) => (row.item.stimuliDurationMs === null ? null : roundToMs(row.item.stimuliDurationMs * 1000)),
)

/** The first columns of `aoi-overall-stats`. */
export const ITEM_IDENTITY: FixedColumn<OfItem>[] = [studyId, itemId, itemFilename, itemCdnUrl]

type T = TestIdentity
const participantId = fixed<T>(
  'participant',
  'participant_id',
  'uuid',
  '',
  'The participant',
  null,
  (row) => row.participant.id,
)
const externalId = fixed<T>(
  'participant',
  'participant_external_id',
  'string',
  '',
  "The participant's id in another system",
  '',
  (row) => row.participant.externalId,
)
const participantCreatedAt = fixed<T>(
  'participant',
  'participant_created_at',
  'datetime',
  '',
  'When the participant began, with UTC offset',
  '',
  (row) => row.participant.createdAt,
)
const displayName = fixed<T>(
  'participant',
  'participant_display_name',
  'string',
  '',
  "The participant's name; Anonymous if unknown",
  'Anonymous',
  (row) => row.participant.displayName || null,
)
const age = fixed<T>(
  'participant',
  'participant_age',
  'int',
  'years',
  'Age; 0 if unknown',
  '0',
  (row) => row.participant.age,
)
const gender = fixed<T>(
  'participant',
  'participant_gender',
  'int',
  '',
  '0 female, 1 male, 2 other',
  '',
  (row) => row.participant.gender,
)
const displayGender = fixed<T>(
  'participant',
  'participant_display_gender',
  'string',
  '',
  'Gender in words, unknown if it is not known',
  'unknown',
  (row) => row.participant.displayGender || null,
)
const grade = fixed<T>(
  'participant',
  'participant_quality_grade',
  'int',
  'grade',
  "Quality grade of all of the participant's data, 1 (Very Low) to 6 (Perfect)",
  null,
  (row) => row.participant.qualityGrade,
)
const gradeItem = fixed<T>(
  'test',
  'participant_quality_grade_item',
  'int',
  'grade',
  "Quality grade of the participant's data on this item, 1 (Very Low) to 6 (Perfect)",
  null,
  (row) => row.test.qualityGradeItem,
)
const testId = fixed<T>(
  'test',
  'test_id',
  'uuid',
  '',
  'The test: one participant looking at one item once',
  null,
  (row) => row.test.id,
)
const testCreatedAt = fixed<T>(
  'test',
  'test_created_at',
  'datetime',
  '',
  'When the test began, with UTC offset',
  '',
  (row) => row.test.createdAt,
)
const testDuration = fixed<T>('test', 'test_duration_ms', 'int', 'ms', 'How long the test took', '', (row) =>
  row.test.durationUs === null ? null : roundToMs(row.test.durationUs),
)
const browserWidth = fixed<T>(
  'test',
  'test_browser_width_px',
  'number',
  'px',
  'Width of the browser window',
  '',
  (row) => row.test.browserWidthPx,
)
const browserHeight = fixed<T>(
  'test',
  'test_browser_height_px',
  'number',
  'px',
  'Height of the browser window',
  '',
  (row) => row.test.browserHeightPx,
)
const displayOrder = fixed<T>(
  'test',
  'test_item_display_order',
  'int',
  '',
  'Position of the item in the order in which this participant saw the items',
  '',
  (row) => row.test.displayOrder,
)
const displayLeft = fixed<T>(
  'test',
  'item_display_left_px',
  'number',
  'px',
  'Left edge of the displayed item in the window',
  '',
  (row) => row.test.display?.leftPx ?? null,
)
const displayTop = fixed<T>(
  'test',
  'item_display_top_px',
  'number',
  'px',
  'Top edge of the displayed item in the window',
  '',
  (row) => row.test.display?.topPx ?? null,
)
const displayWidth = fixed<T>(
  'test',
  'item_display_width_px',
  'number',
  'px',
  'Width of the displayed item',
  '',
  (row) => row.test.display?.widthPx ?? null,
)
const displayHeight = fixed<T>(
  'test',
  'item_display_height_px',
  'number',
  'px',
  'Height of the displayed item',
  '',
  (row) => row.test.display?.heightPx ?? null,
)
const finishedOnKey = fixed<T>(
  'test',
  'test_finished_on_key',
  'string',
  '',
  'Key that ended the item; empty if no key did',
  '',
  (row) => row.test.finishedOnKey,
)
const finishedOnClick = fixed<T>(
  'test',
  'test_has_finished_on_click',
  'boolean',
  '',
  'Whether a click ended the item; false also if that is unknown',
  null,
  (row) => row.test.hasFinishedOnClick,
)
const clickCount = fixed<T>(
  'test',
  'test_click_count',
  'int',
  'clicks',
  'Clicks during the test',
  null,
  (row) => row.test.clickCount,
)

export const participantTags = fixed<T>(
  'participant',
  'participant_tags',
  'string',
  '',
  "The participant's tags, joined by commas",
  '',
  (row) => row.participant.tags.join(','),
)

/**
 * Returns a column of the study's external data about participants, which stands before `notes` where its bundles have
 * it.
 */
export function externalDataColumn(name: string): FixedColumn<T> {
  const meaning = 'What the study knows of the participant under this name'
  // Any object has a `constructor`.
  const value = ({ participant: { externalData } }: T) => (Object.hasOwn(externalData, name) ? externalData[name] : '')
  return { ...fixed<T>('participant', `external_data_${name}`, 'string', '', meaning, '', value), isGuarded: true }
}

/** The first columns of most exports of fixations and AOIs. */
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

/** The first columns of the exports of measures: P, and the test. */
export const Q: FixedColumn<T>[] = [...P, testId]

/** The first columns of exports of gaze and mouse. */
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

/** The last columns of exports with a row per test. */
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

/** All columns of `keyboard-mouse-overall` but its notes. */
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

/** Returns cells of columns that are the same in all rows. */
export function identityCells<Subject>(columns: FixedColumn<Subject>[], subject: Subject): Cells[] {
  return columns.map((column) => same(column.value(subject)))
}
