// The tasks of the benchmark as a script with DuckDB does them: task, folder of the files, output.
import { DuckDBInstance } from '@duckdb/node-api'

const [task, folder, output] = process.argv.slice(2)
const brought = `${folder}/duckdb.parquet`
const ROWS = `
  SELECT p.participant_id, p.external_id, p.age, p.gender, t.item_id, t.test_id, t.created_at, t.duration_ms,
    t.browser_width_px, t.browser_height_px, t.display_order, s.t_ms, s.gaze_x_px, s.gaze_y_px, s.scroll_y_px,
    s.mouse_x_px, s.mouse_y_px, s.is_click,
    round((s.gaze_x_px - t.item_display_left_px) / t.item_display_width_px * 100, 6) AS gaze_x_percents,
    round((s.gaze_y_px + coalesce(s.scroll_y_px, 0) - t.item_display_top_px) / t.item_display_height_px * 100, 6)
      AS gaze_y_percents
  FROM read_parquet('${brought}') s
  JOIN read_csv('${folder}/tests.csv', all_varchar = false) t USING (test_id)
  JOIN read_csv('${folder}/participants.csv', all_varchar = false) p USING (participant_id)
  ORDER BY p.participant_id, t.display_order, s.t_ms`
const TASKS = {
  bring: `COPY (SELECT * FROM read_csv('${folder}/samples.csv') ORDER BY test_id, t_ms) TO '${brought}' (FORMAT parquet)`,
  rows: `COPY (${ROWS}) TO '${output}' (HEADER)`,
  parquet: `COPY (${ROWS}) TO '${output}' (FORMAT parquet)`,
  question: `COPY (
    SELECT t.participant_id, t.item_id, count(*) AS samples, count(s.gaze_x_px) AS valid, avg(s.gaze_x_px) AS mean_x_px
    FROM read_parquet('${brought}') s JOIN read_csv('${folder}/tests.csv') t USING (test_id)
    GROUP BY ALL ORDER BY ALL) TO '${output}' (HEADER)`,
}

const instance = await DuckDBInstance.create(':memory:')
const db = await instance.connect()
await db.run(TASKS[task])
db.closeSync()
instance.closeSync()
