import { csvRows } from '../engine/csv.ts'
import type { DashboardServer } from './dashboard-server.ts'

/** The same, without the rows of tests that have no valid gaze: in charts they are missing. */
export async function viewedRowsOf(service: DashboardServer, studyId: string, path: string): Promise<Row[]> {
  const keyOf = (row: Row) => [row.participant_id, row.item_id, row.test_item_display_order].join()
  const quality = await rowsOf(service, studyId, 'eye-tracking/quality-stats')
  const gazeless = new Set(quality.filter((row) => row.valid_sample_count === '0').map(keyOf))
  return (await rowsOf(service, studyId, path)).filter((row) => !gazeless.has(keyOf(row)))
}

type Row = Record<string, string>

/** The rows of an export of a study, by column. @param path below collected-data */
export async function rowsOf(service: DashboardServer, studyId: string, path: string): Promise<Row[]> {
  const answer = await service.get(`/api2/studies/${studyId}/collected-data/${path}`)
  const text = await answer.text()
  if (!answer.headers.get('content-type')?.startsWith('text/csv')) throw new Error(`${path}: ${answer.status} ${text}`)
  return csvRows(text)
}
