import { readParquet } from '../../duckdb/duckdb.ts'
import { queryRows } from '../../duckdb/query.ts'
import type { Item, Snapshot } from '../../model/study.ts'
import { TESTS_FILE } from '../../snapshot/table-columns.ts'
import { tablePath } from '../../snapshot/tables.ts'
import { studiesDirectoryOf } from '../../storage/files/layout.ts'

/** A size in which an item was shown, in px, and the number of tests with it. */
type ShownSize = { widthPx: number; heightPx: number; tests: number }

/** Returns the duration of an item's longest test in ms; null without tests. */
export async function longestTestMs(snapshot: Snapshot, { id }: Pick<Item, 'id'>): Promise<number | null> {
  const sql = `SELECT max(duration_us) FROM ${readParquet()} WHERE item_id = $itemId`
  const values = { path: (await tablePath(snapshot, TESTS_FILE))!, itemId: id }
  const [[us]] = await queryRows(studiesDirectoryOf(snapshot.directory), sql, values)
  return us === null ? null : Number(us) / 1000
}

/** Returns the sizes in which the tests of an item showed it, most frequent first; empty without tests. */
export async function displaySizes(snapshot: Snapshot, { id }: Pick<Item, 'id'>): Promise<ShownSize[]> {
  const size = 'item_display_width_px, item_display_height_px'
  const sql = `SELECT ${size}, count(*)::INTEGER FROM ${readParquet()}
    WHERE item_id = $itemId AND item_display_width_px IS NOT NULL GROUP BY ${size} ORDER BY 3 DESC, 1, 2`
  const values = { path: (await tablePath(snapshot, TESTS_FILE))!, itemId: id }
  const rows = await queryRows(studiesDirectoryOf(snapshot.directory), sql, values)
  return rows.map(([widthPx, heightPx, tests]) => ({
    widthPx: Number(widthPx),
    heightPx: Number(heightPx),
    tests: Number(tests),
  }))
}
