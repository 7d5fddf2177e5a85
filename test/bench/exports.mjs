// Bulk exports against DuckDB doing the same work on the same rows with as many threads.
import { existsSync } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { createBlockFile } from '../../dist/engine/files/block-file.js'
import { defaultParameters } from '../../dist/engine/model/parameters.js'
import { makePlan } from '../../dist/engine/model/plan.js'
import { createPool } from '../../dist/engine/run/pool.js'
import { runExport } from '../../dist/engine/run/run-export.js'
import { OUT, snapshotOf } from './data.mjs'
import { inTurn, machineScaling, median, millions, row } from './measure.mjs'

/** Runs an export to a file on disk, and its gzip twin to another when asked, as the program does. */
async function toFile(name, snapshot, pool, { gzip = false } = {}) {
  const plan = makePlan({ snapshot, exportName: name, parameters: defaultParameters(), formulaGuard: true })
  const signal = new AbortController().signal
  const plain = await createBlockFile(join(OUT, 'ours.csv'), 'w')
  const twin = gzip ? await createBlockFile(join(OUT, 'ours.csv.gz'), 'w') : null
  const run = runExport({ plan, snapshot, pool, signal, gzip })
  let next = await run.next()
  for (; !next.done; next = await run.next()) {
    await plain.write(next.value.csv)
    await twin?.write(next.value.gzip)
  }
  await plain.finish()
  await twin?.finish()
  return next.value
}

/** Computes an export and drops it. */
async function toNowhere(name, snapshot, pool) {
  const plan = makePlan({ snapshot, exportName: name, parameters: defaultParameters(), formulaGuard: true })
  for await (const _block of runExport({ plan, snapshot, pool, signal: new AbortController().signal, gzip: false }));
}

const G = `participant_id, participant_external_id, participant_age, participant_gender, participant_display_gender,
  participant_quality_grade, participant_quality_grade_item, item_id, test_id, test_created_at, test_duration_ms,
  test_browser_width_px, test_browser_height_px, test_item_display_order`

/** DuckDB with the rows of `gazes-split` in Parquet, their tests in a table of their own, and the raw samples as they lie. */
async function openReference(name, snapshot, pool, threads) {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(threads), memory_limit: '4GiB' })
  const db = await instance.connect()
  const points = join(OUT, `points-${name}.parquet`)
  const tests = join(OUT, `tests-${name}.parquet`)
  if (!existsSync(points) || !existsSync(tests)) {
    await toFile('gazes-split', snapshot, pool)
    const csv = `read_csv('${join(OUT, 'ours.csv')}', header = true, all_varchar = true)`
    await db.run(
      `CREATE TABLE tests AS SELECT row_number() OVER () - 1 AS n, * FROM (SELECT DISTINCT ${G} FROM ${csv})`,
    )
    await db.run(`COPY (SELECT n::INTEGER AS n, gaze_x_percents::DOUBLE AS x, gaze_y_percents::DOUBLE AS y,
      gaze_timestamp_ms::BIGINT AS t, (gaze_is_interpolated = 'true') AS i FROM ${csv} JOIN tests USING (test_id))
      TO '${points}' (FORMAT parquet, COMPRESSION zstd)`)
    await db.run(`COPY tests TO '${tests}' (FORMAT parquet)`)
    await db.run('DROP TABLE tests')
  }
  await db.run(`CREATE TABLE tests AS SELECT * FROM read_parquet('${tests}')`)
  await describeTests(db, snapshot)
  const samples = `read_parquet('${join(snapshot.directory, 'samples-*.parquet')}')`
  return {
    db,
    samples,
    split: `SELECT ${G}, x AS gaze_x_percents, y AS gaze_y_percents, t AS gaze_timestamp_ms, i AS gaze_is_interpolated,
      NULL AS notes FROM read_parquet('${points}') JOIN tests USING (n)`,
    close: () => {
      db.closeSync()
      instance.closeSync()
    },
  }
}

/** The tests by the ordinal that their samples carry. */
async function describeTests(db, { tests, study, participants }) {
  await db.run(`CREATE TABLE stored (ordinal INTEGER, test_id VARCHAR, item_id VARCHAR, participant_id VARCHAR,
    left_px DOUBLE, top_px DOUBLE, width_px DOUBLE, height_px DOUBLE)`)
  const appender = await db.createAppender('stored')
  for (const test of tests) {
    if (test.sampleCount === 0) continue
    appender.appendInteger(test.ordinal)
    appender.appendVarchar(test.id)
    appender.appendVarchar(study.items[test.itemIndex].id)
    appender.appendVarchar(participants[test.participantIndex].id)
    for (const side of ['leftPx', 'topPx', 'widthPx', 'heightPx']) appender.appendDouble(test.display[side])
    appender.endRow()
  }
  appender.closeSync()
}

/** The cells of `gazes-raw`: a JSON array of arrays per test. */
function rawCells(samples) {
  const cell = (column) => `CASE WHEN isnan(${column}) THEN 'null' ELSE ${column}::VARCHAR END`
  return `SELECT tests.* EXCLUDE (n), cells.data, NULL AS notes FROM (
    SELECT test_ordinal, '[' || string_agg('[' || ${cell('gaze_x_px')} || ',' || ${cell('gaze_y_px')} || ',' || (t_us / 1000)::VARCHAR ||
      ',' || ${cell('scroll_y_px')} || ',' || ${cell('mouse_x_px')} || ',' || ${cell('mouse_y_px')} ||
      CASE WHEN is_click THEN ',true]' ELSE ']' END, ',' ORDER BY t_us) || ']' AS data
    FROM ${samples} GROUP BY test_ordinal) cells
    JOIN stored ON ordinal = test_ordinal JOIN tests ON tests.test_id = stored.test_id ORDER BY test_ordinal`
}

/**
 * The filter of SPEC section 5 as far as windows can say it: all but the cutting of long fixations, and saccades. Interpolated
 * points are made by a join with one or two numbers.
 */
function filterSql(samples) {
  return `WITH valid AS (
    SELECT test_ordinal AS n, t_us AS t, (gaze_x_px - left_px) / width_px * 100 AS x,
      (gaze_y_px + scroll_y_px - top_px) / height_px * 100 AS y
    FROM ${samples} JOIN stored ON ordinal = test_ordinal WHERE NOT isnan(gaze_x_px) AND t_us >= 0),
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

export async function benchExports({ quick, threads, runs, wanted }) {
  const rows = []
  if (!['split', 'gzip', 'raw', 'sql', 'whole', 'aoi', 'threads'].some(wanted)) return rows
  const size = quick ? '1m' : '12m'
  const { snapshot } = await snapshotOf(size)
  const { samples: sampleCount } = snapshot.manifest.counts
  const pool = createPool({ threads })
  const single = createPool({ threads: 1 })
  const reference = await openReference(size, snapshot, pool, threads)
  const theirs = join(OUT, 'theirs.csv')
  // Ours is on the disk when it is done. DuckDB's is made so: else what it leaves to be written would be written during ours.
  const copy = async (sql, options, { db } = reference) => {
    await db.run(`COPY (${sql}) TO '${theirs}' (FORMAT csv, HEADER ${options})`)
    const file = await open(theirs, 'r+')
    await file.sync()
    await file.close()
  }
  const about = `${millions(sampleCount, 1)} M samples, ${threads} threads`
  try {
    let last
    if (wanted('split')) {
      const seconds = await inTurn(
        {
          ours: async () => (last = await toFile('gazes-split', snapshot, pool)),
          theirs: () => copy(reference.split, ''),
        },
        runs,
      )
      const ours = median(seconds.ours)
      const detail = `${millions(last.rows, ours)} M rows/s, ${millions(last.bytes, ours)} MB/s; DuckDB ${millions(last.rows, median(seconds.theirs))} M rows/s`
      rows.push(row(`gazes-split, ${about}, to a file`, 'DuckDB COPY', '≥ 3 ×', { ...seconds, detail }))
    }
    if (wanted('gzip')) {
      const seconds = await inTurn(
        {
          ours: async () => (last = await toFile('gazes-split', snapshot, pool, { gzip: true })),
          theirs: () => copy(reference.split, ', COMPRESSION gzip'),
        },
        quick ? runs : Math.max(3, runs - 2),
        { warmUps: 0 },
      )
      const [mine, other] = await Promise.all([stat(join(OUT, 'ours.csv.gz')), stat(theirs)])
      const detail = `${millions(last.rows, median(seconds.ours))} M rows/s; twin ${(mine.size / 1e6).toFixed(0)} MB besides the plain file, DuckDB's ${(other.size / 1e6).toFixed(0)} MB alone`
      rows.push(row('the same with the gzip twin', 'DuckDB COPY with gzip', '≥ 8 ×', { ...seconds, detail }))
    }
    if (wanted('raw')) {
      const seconds = await inTurn(
        {
          ours: async () => (last = await toFile('gazes-raw', snapshot, pool)),
          theirs: () => copy(rawCells(reference.samples), ''),
        },
        runs,
      )
      const detail = `${millions(last.samplesTotal, median(seconds.ours))} M samples/s, ${millions(last.bytes, median(seconds.ours))} MB/s`
      rows.push(row('gazes-raw', 'DuckDB building the cells', '≥ 3 ×', { ...seconds, detail }))
    }
    if (wanted('sql')) {
      const { snapshot: few } = size === '1m' ? { snapshot } : await snapshotOf('1m')
      const sql = await openReference('1m', few, pool, threads)
      const seconds = await inTurn(
        {
          ours: async () => (last = await toFile('fixations', few, pool)),
          theirs: () => copy(filterSql(sql.samples), '', sql),
        },
        runs,
      )
      sql.close()
      const detail = `${millions(few.manifest.counts.samples, 1)} M samples; SQL does not cut long fixations, nor saccades and names`
      rows.push(row('fixations, from Parquet to CSV', 'the filter as SQL windows', '≥ 20 ×', { ...seconds, detail }))
    }
    if (wanted('whole')) {
      const seconds = await inTurn({ ours: async () => (last = await toFile('fixations', snapshot, single)) }, runs)
      const detail = `${millions(sampleCount, median(seconds.ours))} M samples/s from Parquet to a file on one thread (best ${millions(sampleCount, Math.min(...seconds.ours))}; per second of processor ${millions(sampleCount, median(seconds.ours.cpu))})`
      rows.push(row('fixations, whole path, 60 Hz, 200 ms', '', '≥ 8 M/s', { ours: seconds.ours, detail }))
    }
    if (wanted('aoi')) {
      const seconds = await inTurn(
        { ours: () => toFile('aoi-overall-stats', snapshot, pool), theirs: () => toFile('fixations', snapshot, pool) },
        runs,
      )
      const part = median(seconds.ours) / median(seconds.theirs)
      const cpu = median(seconds.ours.cpu) / median(seconds.theirs.cpu)
      const detail = `${part.toFixed(2)} × the time of fixations, ${cpu.toFixed(2)} × its processor time`
      rows.push(
        row('aoi-overall-stats, 20 AOIs of 50 corners an item', 'fixations', '≤ 1.3 × its time', {
          ...seconds,
          detail,
        }),
      )
    }
    if (wanted('threads')) {
      const detail = `work that shares nothing, not even memory, gains ${(await machineScaling(threads)).toFixed(2)} × here`
      for (const name of ['gazes-split', 'fixations']) {
        const seconds = await inTurn(
          { ours: () => toFile(name, snapshot, pool), theirs: () => toFile(name, snapshot, single) },
          runs,
        )
        rows.push(row(`${name}, ${threads} threads, to a file`, 'one thread', '≥ 1.8 ×', { ...seconds, detail }))
        const dropped = await inTurn(
          { ours: () => toNowhere(name, snapshot, pool), theirs: () => toNowhere(name, snapshot, single) },
          runs,
        )
        rows.push(row(`${name}, ${threads} threads, computed and dropped`, 'one thread', '≥ 1.8 ×', dropped))
      }
    }
  } finally {
    reference.close()
    await pool.close()
    await single.close()
    for (const name of ['ours.csv', 'ours.csv.gz', 'theirs.csv']) await rm(join(OUT, name), { force: true })
  }
  return rows
}
