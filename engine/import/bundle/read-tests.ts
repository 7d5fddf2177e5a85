import { addProblem, type Problems } from '../../model/bundle-problems.ts'
import { toUs } from '../../model/microseconds.ts'
import type { GivenTest } from '../../snapshot/table-columns.ts'
import { TESTS_MAX } from './bundle-limits.ts'
import {
  DAY_MS,
  flagCell,
  instant,
  MAX_PX,
  MAX_SIZE_PX,
  name,
  numberCell,
  prose,
  uuid,
  wholeNumber,
} from './parse-cell.ts'
import { readTable, type Table, type TableRow } from './read-table.ts'

/** Rules for the cells of a test. */
export const TEST_CELLS = {
  test_id: uuid,
  participant_id: uuid,
  item_id: uuid,
  created_at: instant,
  display_order: wholeNumber(0, 1e9),
  duration_ms: numberCell(0, DAY_MS),
  finished_on_key: name,
  has_finished_on_click: flagCell,
  click_count: wholeNumber(0, 1e9),
  quality_grade_item: wholeNumber(1, 6),
  browser_width_px: numberCell(1, MAX_SIZE_PX),
  browser_height_px: numberCell(1, MAX_SIZE_PX),
  item_display_left_px: numberCell(-MAX_PX, MAX_PX),
  item_display_top_px: numberCell(-MAX_PX, MAX_PX),
  item_display_width_px: numberCell(1, MAX_SIZE_PX),
  item_display_height_px: numberCell(1, MAX_SIZE_PX),
  notes: prose,
}
const DISPLAY = [
  'item_display_left_px',
  'item_display_top_px',
  'item_display_width_px',
  'item_display_height_px',
] as const

/** Ids that a test may name; null if unknown, since their file could not be read. */
type Known = { participants: Set<string> | null; items: Set<string> | null }

/** `ids`: every test id with its line, including those of invalid rows; null if the file could not be read. */
export type TestsRead = { tests: GivenTest[]; ids: Map<string, number> | null }

/** Reads tests.csv and returns the valid rows. @param stored ids that an appended bundle may not contain again */
export async function readTests(
  table: Table,
  known: Known,
  stored: Set<string>,
  problems: Problems,
): Promise<TestsRead> {
  const tests: GivenTest[] = []
  const same = sameText()
  const ids = new Map<string, number>()
  const { file } = table
  const bounded = { ...table, maxRows: TESTS_MAX - stored.size }
  const isRead = await readTable(bounded, TEST_CELLS, problems, (row, line, isWhole) => {
    const report = (column: string, value: string, rule: string) => {
      isWhole = false
      addProblem(problems, { file, line, column, value, rule })
    }
    const { test_id: id, participant_id: participantId, item_id: itemId } = row
    if (id !== undefined) {
      const first = ids.get(id)
      if (first !== undefined) report('test_id', id, `must be unique, but line ${first} has it`)
      else if (stored.has(id)) report('test_id', id, 'must be new, but the study has it')
      else ids.set(id, line)
    }
    if (participantId !== undefined && known.participants?.has(participantId) === false)
      report('participant_id', participantId, 'must be the id of a participant')
    if (itemId !== undefined && known.items?.has(itemId) === false)
      report('item_id', itemId, 'must be the id of an item in study.json')
    const missing = missingDisplay(row)
    if (missing !== null) report(missing, '', DISPLAY_RULE)
    if (isWhole) tests.push(testOfRow(row, same))
  })
  return { tests, ids: isRead ? ids : null }
}

export const DISPLAY_RULE = 'must be given, as the other item_display cells are: all four or none'

/** Returns the first item_display cell that is missing although another is given; null for all four or none. */
export function missingDisplay(row: TableRow<typeof TEST_CELLS>): string | null {
  const missing = DISPLAY.filter((name) => row[name] === null)
  return missing.length > 0 && missing.length < DISPLAY.length ? missing[0] : null
}

/** Returns a function that deduplicates equal texts (string interning), so each is in memory once. */
function sameText(): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    if (!known.has(text)) known.set(text, text)
    return known.get(text)!
  }
}

/** Converts a valid row to a test. @param same interns texts */
export function testOfRow(row: TableRow<typeof TEST_CELLS>, same: (text: string) => string): GivenTest {
  const hasDisplay = row.item_display_left_px !== null
  return {
    id: row.test_id!,
    itemId: same(row.item_id!),
    participantId: same(row.participant_id!),
    createdAt: row.created_at!,
    displayOrder: row.display_order!,
    durationUs: row.duration_ms === null ? null : toUs(row.duration_ms!),
    finishedOnKey: row.finished_on_key!,
    hasFinishedOnClick: row.has_finished_on_click ?? false,
    clickCount: row.click_count!,
    qualityGradeItem: row.quality_grade_item!,
    browserWidthPx: row.browser_width_px!,
    browserHeightPx: row.browser_height_px!,
    display: hasDisplay
      ? {
          leftPx: row.item_display_left_px!,
          topPx: row.item_display_top_px!,
          widthPx: row.item_display_width_px!,
          heightPx: row.item_display_height_px!,
        }
      : null,
    notes: row.notes!,
  }
}
