import { type Cells, type Column, same, type Value } from '../../model/columns.ts'
import type { Item, Participant, Test } from '../../model/study.ts'
import { roundToMs } from '../../text/numbers.ts'

/** Identity of a test, which all of its rows share: participant and item. */
export type TestIdentity = { studyId: string; item: Item; participant: Participant; test: Test }

/** Kind of subject to which the value of a column belongs; each subject has one value. */
export type Domain = 'study' | 'item' | 'participant' | 'test' | 'aoi'

/** A column whose cell depends on one subject only; null for an unknown value. */
export type FixedColumn<Subject> = Column & { of: Domain; value: (subject: Subject) => Value }

/** A column in a table. `unit` and `missing` default to ''; `isGuarded` is for free text. */
type Entry<Thing> = Pick<Column, 'type' | 'meaning' | 'isGuarded'> &
  Partial<Pick<Column, 'unit' | 'missing'>> & { value: (thing: Thing) => Value }

/** Creates the columns of a table by name. @param thingOf returns the subject of their values */
export function fixedColumns<Subject, Thing, Name extends string>(
  of: Domain,
  thingOf: (subject: Subject) => Thing,
  table: { [N in Name]: Entry<Thing> },
): { [N in Name]: FixedColumn<Subject> } {
  const columns = Object.entries<Entry<Thing>>(table).map(([name, entry]) => {
    const { type, unit = '', meaning, missing = '', isGuarded = false, value } = entry
    return [name, { of, name, type, unit, meaning, missing, isGuarded, value: (row: Subject) => value(thingOf(row)) }]
  })
  return Object.fromEntries(columns)
}

type OfItem = { studyId: string; item: Item }
type T = TestIdentity

const OF_STUDY = fixedColumns('study', (row: OfItem) => row.studyId, {
  study_id: { type: 'uuid', meaning: 'The study', missing: null, value: (id) => id },
})

const OF_ITEM = fixedColumns('item', (row: OfItem) => row.item, {
  item_id: { type: 'uuid', meaning: 'The item that was shown', missing: null, value: (of) => of.id },
  item_filename: { type: 'string', meaning: 'File name of the item', isGuarded: true, value: (of) => of.filename },
  item_cdn_url: { type: 'url', meaning: 'Address of the image of the item', value: (of) => of.cdnUrl },
  item_stimuli_duration_ms: {
    type: 'int',
    unit: 'ms',
    meaning: 'How long the item is shown',
    value: ({ stimuliDurationMs: ms }) => (ms === null ? null : roundToMs(ms * 1000)),
  },
})

const OF_PARTICIPANT = fixedColumns('participant', (row: T) => row.participant, {
  participant_id: { type: 'uuid', meaning: 'The participant', missing: null, value: (of) => of.id },
  participant_external_id: {
    type: 'string',
    meaning: "The participant's id in another system",
    isGuarded: true,
    value: (of) => of.externalId,
  },
  participant_created_at: {
    type: 'datetime',
    meaning: 'When the participant began, with UTC offset',
    value: (of) => of.createdAt,
  },
  participant_display_name: {
    type: 'string',
    meaning: "The participant's name; Anonymous if unknown",
    missing: 'Anonymous',
    isGuarded: true,
    value: (of) => of.displayName || null,
  },
  participant_age: { type: 'int', unit: 'years', meaning: 'Age; 0 if unknown', missing: '0', value: (of) => of.age },
  participant_gender: { type: 'int', meaning: '0 female, 1 male, 2 other', value: (of) => of.gender },
  participant_display_gender: {
    type: 'string',
    meaning: 'Gender in words, unknown if it is not known',
    missing: 'unknown',
    isGuarded: true,
    value: (of) => of.displayGender || null,
  },
  participant_quality_grade: {
    type: 'int',
    unit: 'grade',
    meaning: "Quality grade of all of the participant's data, 1 (Very Low) to 6 (Perfect)",
    missing: null,
    value: (of) => of.qualityGrade,
  },
  participant_tags: {
    type: 'string',
    meaning: "The participant's tags, joined by commas",
    isGuarded: true,
    value: (of) => of.tags.join(','),
  },
})

const OF_TEST = fixedColumns('test', (row: T) => row.test, {
  participant_quality_grade_item: {
    type: 'int',
    unit: 'grade',
    meaning: "Quality grade of the participant's data on this item, 1 (Very Low) to 6 (Perfect)",
    missing: null,
    value: (of) => of.qualityGradeItem,
  },
  test_id: {
    type: 'uuid',
    meaning: 'The test: one participant looking at one item once',
    missing: null,
    value: (of) => of.id,
  },
  test_created_at: { type: 'datetime', meaning: 'When the test began, with UTC offset', value: (of) => of.createdAt },
  test_duration_ms: {
    type: 'int',
    unit: 'ms',
    meaning: 'How long the test took',
    value: ({ durationUs: us }) => (us === null ? null : roundToMs(us)),
  },
  test_browser_width_px: {
    type: 'number',
    unit: 'px',
    meaning: 'Width of the browser window',
    value: (of) => of.browserWidthPx,
  },
  test_browser_height_px: {
    type: 'number',
    unit: 'px',
    meaning: 'Height of the browser window',
    value: (of) => of.browserHeightPx,
  },
  test_item_display_order: {
    type: 'int',
    meaning: 'Position of the item in the order in which this participant saw the items',
    value: (of) => of.displayOrder,
  },
  item_display_left_px: {
    type: 'number',
    unit: 'px',
    meaning: 'Left edge of the displayed item in the window',
    value: (of) => of.display?.leftPx ?? null,
  },
  item_display_top_px: {
    type: 'number',
    unit: 'px',
    meaning: 'Top edge of the displayed item in the window',
    value: (of) => of.display?.topPx ?? null,
  },
  item_display_width_px: {
    type: 'number',
    unit: 'px',
    meaning: 'Width of the displayed item',
    value: (of) => of.display?.widthPx ?? null,
  },
  item_display_height_px: {
    type: 'number',
    unit: 'px',
    meaning: 'Height of the displayed item',
    value: (of) => of.display?.heightPx ?? null,
  },
  test_finished_on_key: {
    type: 'string',
    meaning: 'Key that ended the item; empty if no key did',
    isGuarded: true,
    value: (of) => of.finishedOnKey,
  },
  test_has_finished_on_click: {
    type: 'boolean',
    meaning: 'Whether a click ended the item; false also if that is unknown',
    missing: null,
    value: (of) => of.hasFinishedOnClick,
  },
  test_click_count: {
    type: 'int',
    unit: 'clicks',
    meaning: 'Clicks during the test',
    missing: null,
    value: (of) => of.clickCount,
  },
})

export const participantTags = OF_PARTICIPANT.participant_tags

/** Returns a column of the study's external data of participants, which comes before `notes` if its bundles have it. */
export function externalDataColumn(name: string): FixedColumn<T> {
  const column = `external_data_${name}`
  const made = fixedColumns('participant', (row: T) => row.participant.externalData, {
    [column]: {
      type: 'string',
      meaning: 'What the study knows of the participant under this name',
      isGuarded: true,
      // Any object has a `constructor`.
      value: (data: Record<string, string>) => (Object.hasOwn(data, name) ? data[name] : ''),
    },
  })
  return made[column]
}

/** First columns of `aoi-overall-stats`. */
export const ITEM_IDENTITY: FixedColumn<OfItem>[] = [
  OF_STUDY.study_id,
  OF_ITEM.item_id,
  OF_ITEM.item_filename,
  OF_ITEM.item_cdn_url,
]

const ALL = { ...OF_STUDY, ...OF_ITEM, ...OF_PARTICIPANT, ...OF_TEST }
const these = (...names: (keyof typeof ALL)[]): FixedColumn<T>[] => names.map((name) => ALL[name])

/** First columns of most exports of fixations and AOIs. */
export const ITEM_AND_PARTICIPANT = [
  ...ITEM_IDENTITY,
  ...these(
    'participant_id',
    'participant_external_id',
    'participant_display_name',
    'participant_quality_grade',
    'participant_quality_grade_item',
    'test_item_display_order',
  ),
]

/** First columns of exports with one row for each participant. */
export const WHO = these(
  'participant_id',
  'participant_external_id',
  'participant_display_name',
  'participant_age',
  'participant_display_gender',
  'participant_quality_grade',
)

/** First columns of the exports of measures: the same, and the test. */
export const ITEM_PARTICIPANT_TEST = [...ITEM_AND_PARTICIPANT, ...these('test_id')]

/** First columns of exports of gaze and mouse. */
export const PARTICIPANT_AND_TEST = these(
  'participant_id',
  'participant_external_id',
  'participant_age',
  'participant_gender',
  'participant_display_gender',
  'participant_quality_grade',
  'participant_quality_grade_item',
  'item_id',
  'test_id',
  'test_created_at',
  'test_duration_ms',
  'test_browser_width_px',
  'test_browser_height_px',
  'test_item_display_order',
)

/** Last columns of exports with one row for each test. */
export const ITEM_AND_DISPLAY = these(
  'study_id',
  'item_filename',
  'item_cdn_url',
  'participant_display_name',
  'item_display_left_px',
  'item_display_top_px',
  'item_display_width_px',
  'item_display_height_px',
)

/** Columns of `keyboard-mouse-overall`, without notes. */
export const KEYBOARD_AND_MOUSE = [
  ...ITEM_IDENTITY,
  ...these(
    'item_stimuli_duration_ms',
    'participant_id',
    'participant_external_id',
    'participant_created_at',
    'participant_display_name',
    'participant_age',
    'participant_display_gender',
    'participant_quality_grade',
    'participant_quality_grade_item',
    'test_item_display_order',
    'test_duration_ms',
    'test_finished_on_key',
    'test_has_finished_on_click',
    'test_click_count',
  ),
]

/** Returns cells of columns with the same value in all rows. */
export function identityCells<Subject>(columns: FixedColumn<Subject>[], subject: Subject): Cells[] {
  return columns.map((column) => same(column.value(subject)))
}
