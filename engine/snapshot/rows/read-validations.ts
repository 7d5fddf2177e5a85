import { readParquet } from '../../duckdb/duckdb.ts'
import { queryRows } from '../../duckdb/query.ts'
import type { Validations } from '../../model/study.ts'
import { studiesDirectoryOf } from '../../storage/files/layout.ts'
import { VALIDATIONS_FILE } from '../table-columns.ts'
import { type TableFiles, tablePath } from '../tables.ts'

const SELECT = `SELECT participant_row, participant_id, target_x_px, target_y_px, gaze_x_px, gaze_y_px FROM ${readParquet()}
  WHERE participant_row BETWEEN $from AND $to ORDER BY validation_row`

/**
 * Loads the validations of some participants of a snapshot.
 *
 * @param participantRows may name one more than once
 * @returns by participant id, each in the order of the bundle's file; without those who have none
 * @throws ServiceError corrupt, overloaded
 */
export async function loadValidations(
  files: TableFiles,
  participantRows: Int32Array,
): Promise<Map<string, Validations>> {
  const path = participantRows.length === 0 ? null : await tablePath(files, VALIDATIONS_FILE)
  if (path === null) return new Map()
  const wanted = new Set(participantRows)
  let [from, to] = [participantRows[0], participantRows[0]]
  for (const row of wanted) {
    if (row < from) from = row
    if (row > to) to = row
  }
  const found = new Map<string, number[][]>()
  for (const [row, id, ...px] of await queryRows(studiesDirectoryOf(files.directory), SELECT, { path, from, to })) {
    if (!wanted.has(Number(row))) continue
    const own = found.get(String(id)) ?? []
    own.push(px.map((value) => (value === null ? Number.NaN : Number(value))))
    found.set(String(id), own)
  }
  return new Map([...found].map(([id, rows]) => [id, columnsOfRows(rows)]))
}

function columnsOfRows(rows: number[][]): Validations {
  const column = (c: number) => Float64Array.from(rows, (row) => row[c])
  return { targetX: column(0), targetY: column(1), gazeX: column(2), gazeY: column(3) }
}
