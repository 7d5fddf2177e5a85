// What exports are measured against: DuckDB doing the same work on the same rows with as many threads.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { OUT } from './data.mjs'
import { toFile } from './run.mjs'

const G = `participant_id, participant_external_id, participant_age, participant_gender, participant_display_gender,
  participant_quality_grade, participant_quality_grade_item, item_id, test_id, test_created_at, test_duration_ms,
  test_browser_width_px, test_browser_height_px, test_item_display_order`

/** Further facts about participants in the bundles of the demo. */
const MORE = 'participant_tags, external_data_condition'

/**
 * DuckDB with the rows of `gazes-split` in Parquet, their tests in a table of their own, and the raw samples as they
 * lie.
 */
export async function openReference(name, snapshot, pool, threads) {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(threads), memory_limit: '4GiB' })
  const db = await instance.connect()
  const points = join(OUT, `points-${name}.parquet`)
  const tests = join(OUT, `tests-${name}.parquet`)
  if (!existsSync(points) || !existsSync(tests)) {
    await toFile('gazes-split', snapshot, pool)
    const csv = `read_csv('${join(OUT, 'ours.csv')}', header = true, all_varchar = true)`
    await db.run(
      `CREATE TABLE tests AS SELECT row_number() OVER () - 1 AS n, * FROM (SELECT DISTINCT ${G}, ${MORE} FROM ${csv})`,
    )
    await db.run(`COPY (SELECT n::INTEGER AS n, gaze_x_percents::DOUBLE AS x, gaze_y_percents::DOUBLE AS y,
      gaze_timestamp_ms::BIGINT AS t, (gaze_is_interpolated = 'true') AS i FROM ${csv} JOIN tests USING (test_id))
      TO '${points}' (FORMAT parquet, COMPRESSION zstd)`)
    await db.run(`COPY tests TO '${tests}' (FORMAT parquet)`)
    await db.run('DROP TABLE tests')
  }
  await db.run(`CREATE TABLE tests AS SELECT * FROM read_parquet('${tests}')`)
  // A study that was imported at once has each ordinal once.
  await db.run(`CREATE TABLE stored AS SELECT test_ordinal, test_id, item_display_left_px AS left_px,
    item_display_top_px AS top_px, item_display_width_px AS width_px, item_display_height_px AS height_px
    FROM read_parquet('${join(snapshot.directory, 'tests.parquet')}') WHERE sample_count > 0`)
  const samples = `read_parquet('${join(snapshot.directory, 'samples-*.parquet')}')`
  return {
    db,
    samples,
    split: `SELECT ${G}, x AS gaze_x_percents, y AS gaze_y_percents, t AS gaze_timestamp_ms, i AS gaze_is_interpolated,
      ${MORE}, NULL AS notes FROM read_parquet('${points}') JOIN tests USING (n)`,
    close: () => {
      db.closeSync()
      instance.closeSync()
    },
  }
}

/** The rows of `samples`: as they lie, and positions in percent of the displayed item. */
export function sampleRows(samples) {
  const percents = (name) => `round((${name}_x_px - left_px) / width_px * 100, 6) AS ${name}_x_percents,
    round((${name}_y_px + scroll_y_px - top_px) / height_px * 100, 6) AS ${name}_y_percents`
  return `SELECT ${G}, t_us / 1000 AS t_ms, gaze_x_px, gaze_y_px, scroll_y_px, mouse_x_px, mouse_y_px, is_click,
    ${percents('gaze')}, ${percents('mouse')}, ${MORE}, NULL AS notes
    FROM ${samples} JOIN stored USING (test_ordinal) JOIN tests USING (test_id)`
}

/** The cells of `gazes-raw`: a JSON array of arrays per test. */
export function rawCells(samples) {
  const cell = (column) => `coalesce(${column}::VARCHAR, 'null')`
  return `SELECT tests.* EXCLUDE (n), cells.data, NULL AS notes FROM (
    SELECT test_ordinal, '[' || string_agg('[' || ${cell('gaze_x_px')} || ',' || ${cell('gaze_y_px')} || ',' || (t_us / 1000)::VARCHAR ||
      ',' || ${cell('scroll_y_px')} || ',' || ${cell('mouse_x_px')} || ',' || ${cell('mouse_y_px')} ||
      CASE WHEN is_click THEN ',true]' ELSE ']' END, ',' ORDER BY t_us) || ']' AS data
    FROM ${samples} GROUP BY test_ordinal) cells
    JOIN stored USING (test_ordinal) JOIN tests ON tests.test_id = stored.test_id ORDER BY test_ordinal`
}

/**
 * The filter (docs/signal.md) as far as windows can say it: all but the cutting of long fixations, and saccades.
 * Interpolated points are made by a join with one or two numbers.
 */
export function filterSql(samples) {
  return `WITH valid AS (
    SELECT test_ordinal AS n, t_us AS t, (gaze_x_px - left_px) / width_px * 100 AS x,
      (gaze_y_px + scroll_y_px - top_px) / height_px * 100 AS y
    FROM ${samples} JOIN stored USING (test_ordinal) WHERE gaze_x_px IS NOT NULL AND t_us >= 0),
  gaps AS (SELECT *, t - lag(t) OVER w AS g, lag(x) OVER w AS x0, lag(y) OVER w AS y0 FROM valid WINDOW w AS (PARTITION BY n ORDER BY t)),
  segments AS (SELECT *, sum((g IS NULL OR g > 50000)::INTEGER) OVER (PARTITION BY n ORDER BY t) AS s FROM gaps),
  points AS (
    SELECT n, s, t, x, y FROM segments
    UNION ALL SELECT n, s, t - g + d, x0 + (x - x0) * (d / g), y0 + (y - y0) * (d / g) FROM (
      SELECT *, floor(k * g / (CASE WHEN g <= 34000 THEN 2 ELSE 3 END) / 1000)::BIGINT * 1000 AS d
      FROM segments, (VALUES (1), (2)) AS parts(k) WHERE g >= 17000 AND g <= 50000 AND (k = 1 OR g > 34000))),
  denoised AS (SELECT n, s, t, median(x) OVER w AS x, median(y) OVER w AS y FROM points
    WINDOW w AS (PARTITION BY n, s ORDER BY t RANGE BETWEEN 100000 PRECEDING AND 100000 FOLLOWING)),
  speeds AS (SELECT *, sqrt((x - lag(x) OVER w) ** 2 + (y - lag(y) OVER w) ** 2) / ((t - lag(t) OVER w) / 1e6) AS v FROM denoised
    WINDOW w AS (PARTITION BY n, s ORDER BY t)),
  slow AS (SELECT *, coalesce(v, lead(v) OVER (PARTITION BY n, s ORDER BY t)) < 150 AS is_slow FROM speeds),
  runs AS (SELECT *, sum((NOT is_slow)::INTEGER) OVER (PARTITION BY n, s ORDER BY t) AS r FROM slow)
  SELECT n, avg(x) AS x, avg(y) AS y, min(t) // 1000 AS starts, max(t) // 1000 AS ends FROM runs WHERE is_slow
  GROUP BY n, s, r HAVING count(*) >= 2 AND max(t) - min(t) >= 80000 ORDER BY n, starts`
}
