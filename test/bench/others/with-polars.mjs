// The tasks of the benchmark as a script with Polars does them: task, folder of the files, output, folder of Polars.
import { createRequire } from 'node:module'

const [task, folder, output, packages] = process.argv.slice(2)
const pl = createRequire(`${packages}/`)('nodejs-polars')
const brought = `${folder}/polars.parquet`
const col = pl.col

function rows() {
  const percent = (px, origin, size) => px.minus(col(origin)).div(col(size)).mul(100).round(6)
  return pl
    .scanParquet(brought)
    .join(pl.readCSV(`${folder}/tests.csv`).lazy(), { on: 'test_id' })
    .join(pl.readCSV(`${folder}/participants.csv`).lazy(), { on: 'participant_id' })
    .sort(['participant_id', 'display_order', 't_ms'])
    .select(
      ...['participant_id', 'external_id', 'age', 'gender', 'item_id', 'test_id', 'created_at', 'duration_ms'],
      ...['browser_width_px', 'browser_height_px', 'display_order', 't_ms', 'gaze_x_px', 'gaze_y_px', 'scroll_y_px'],
      ...['mouse_x_px', 'mouse_y_px', 'is_click'],
      percent(col('gaze_x_px'), 'item_display_left_px', 'item_display_width_px').alias('gaze_x_percents'),
      percent(
        col('gaze_y_px').plus(col('scroll_y_px').fillNull(0)),
        'item_display_top_px',
        'item_display_height_px',
      ).alias('gaze_y_percents'),
    )
    .collectSync()
}

const TASKS = {
  bring: () => pl.readCSV(`${folder}/samples.csv`).sort(['test_id', 't_ms']).writeParquet(brought),
  rows: () => rows().writeCSV(output),
  parquet: () => rows().writeParquet(output),
  question: () =>
    pl
      .scanParquet(brought)
      .join(pl.readCSV(`${folder}/tests.csv`).lazy(), { on: 'test_id' })
      .groupBy(['participant_id', 'item_id'], true)
      .agg(
        pl.len().alias('samples'),
        col('gaze_x_px').count().alias('valid'),
        col('gaze_x_px').mean().alias('mean_x_px'),
      )
      .sort(['participant_id', 'item_id'])
      .collectSync()
      .writeCSV(output),
}

TASKS[task]()
