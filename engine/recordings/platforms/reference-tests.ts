import { UUID } from '../../model/parameters.ts'
import type { DisplayRectangle } from '../../model/study.ts'
import { addTest, type Draft, type DraftParticipant, itemOf, noteAssumed, participantOf } from '../draft/draft.ts'
import { columnIn } from '../text/foreign-table.ts'
import { instantText } from '../text/instant-text.ts'
import { numberIn } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { cellText, type TableRows } from '../text/table-rows.ts'
import { httpOr, unguarded, uuidOr } from './given-text.ts'
import type { ReferenceCompanions } from './reference-companions.ts'

/** Columns of the raw gazes, by index; -1 for missing ones. */
export type ReferenceColumns = ReturnType<typeof findTestColumns>

export function findTestColumns(header: string[]) {
  const find = (...names: string[]) => columnIn(header, ...names)
  const person = (name: string) => find(`participant_${name}`, `tester_${name}`)
  return {
    study: find('study_id'),
    participant: person('id'),
    externalId: person('external_id'),
    displayName: person('display_name'),
    age: person('age'),
    gender: person('gender'),
    displayGender: person('display_gender'),
    grade: person('quality_grade'),
    gradeItem: person('quality_grade_item'),
    item: find('item_id'),
    filename: find('item_filename'),
    cdnUrl: find('item_cdn_url'),
    test: find('test_id'),
    /** Number of the participant's views of an item; each is one test. */
    exposure: find('exposure_number'),
    createdAt: find('test_created_at'),
    durationMs: find('test_duration_ms', 'test_duration'),
    windowWidth: find('test_browser_width_px', 'test_browser_width'),
    windowHeight: find('test_browser_height_px', 'test_browser_height'),
    displayOrder: find('test_item_display_order'),
    data: find('test_raw_data'),
    left: find('item_display_left_px'),
    top: find('item_display_top_px'),
    width: find('item_display_width_px'),
    height: find('item_display_height_px'),
  }
}

/** Adds the test of a row, and its participant and item if they are new. */
export function testOf(
  rows: TableRows,
  columns: ReferenceColumns,
  file: SourceFile,
  companions: ReferenceCompanions,
  draft: Draft,
): number {
  const text = (column: number) => unguarded(cellText(rows, column))
  const number = (column: number) => finite(numberIn(text(column)))
  const studyId = text(columns.study)
  if (UUID.test(studyId)) draft.studyId ??= studyId.toLowerCase()
  const key = text(columns.participant)
  const participant = participantOf(draft, file, key, {
    ...personFacts(key, text, number, columns),
    ...companions.participants.get(key),
  })
  const itemKey = text(columns.item)
  const found = companions.items.get(itemKey)
  const item = itemOf(draft, itemKey, {
    id: uuidOr(itemKey),
    filename: text(columns.filename) || found?.filename || itemKey,
    cdnUrl: httpOr(text(columns.cdnUrl) || found?.cdnUrl || ''),
    stimuliDurationMs: found?.stimuliDurationMs ?? null,
  })
  const { instant, isUtcAssumed } = instantText(text(columns.createdAt))
  if (isUtcAssumed) noteAssumed(draft, 'test_created_at without an offset is UTC')
  const place = [columns.left, columns.top, columns.width, columns.height].map(number)
  const [leftPx, topPx, widthPx, heightPx] = place
  const exposure = number(columns.exposure) ?? 1
  return addTest(draft, participant, item, {
    id: exposure > 1 ? null : uuidOr(text(columns.test)),
    notes: exposure > 1 ? `exposure ${exposure}` : '',
    createdAt: instant,
    displayOrder: number(columns.displayOrder),
    durationMs: number(columns.durationMs),
    qualityGradeItem: gradeOr(number(columns.gradeItem)),
    windowWidthPx: number(columns.windowWidth) || null,
    windowHeightPx: number(columns.windowHeight) || null,
    display: place.every((value) => value !== null) ? ({ leftPx, topPx, widthPx, heightPx } as DisplayRectangle) : null,
    ...companions.tests.get(JSON.stringify([key, itemKey])),
  })
}

function personFacts(
  key: string,
  text: (column: number) => string,
  number: (column: number) => number | null,
  columns: ReferenceColumns,
): Partial<DraftParticipant> {
  const gender = number(columns.gender)
  const displayGender = text(columns.displayGender)
  const displayName = text(columns.displayName)
  return {
    id: uuidOr(key),
    // A UUID means nothing to the lab; any other id is the lab's own name.
    externalId: text(columns.externalId) || (UUID.test(key) ? '' : key),
    displayName: displayName === 'Anonymous' ? '' : displayName,
    age: number(columns.age) || null,
    gender: gender === 0 || gender === 1 || gender === 2 ? gender : null,
    displayGender: displayGender === 'unknown' ? '' : displayGender,
    qualityGrade: gradeOr(number(columns.grade)),
  }
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

function gradeOr(value: number | null): number | null {
  return value !== null && Number.isInteger(value) && value >= 1 && value <= 6 ? value : null
}
