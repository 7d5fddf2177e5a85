// Import against DuckDB's own way from CSV to sorted Parquet.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { importBundle } from '../../dist/engine/import/import-bundle.js'
import { bundleOf, csvBundleOf, OUT } from './data.mjs'
import { inTurn, median, row } from './measure.mjs'

export async function benchImports({ quick, threads, runs, wanted }) {
  if (!wanted('import')) return []
  const rows = []
  const size = quick ? '1m' : '12m'
  const dataDir = join(OUT, 'imported')
  const limits = { threads, memoryMib: 1024, append: false, dryRun: false, now: new Date() }
  const before = () => rm(dataDir, { recursive: true, force: true })
  const importFrom = (directory) => () => importBundle({ dataDir, directory, ...limits })
  const plain = await bundleOf(size)
  const csv = await csvBundleOf(size)
  const target = join(OUT, 'sorted.parquet')
  const duckdb = async () => {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(threads),
      memory_limit: '1GiB',
      temp_directory: join(OUT, 'spill'),
    })
    const db = await instance.connect()
    await db.run(`COPY (SELECT * FROM read_csv('${join(csv, 'samples.csv')}', header = true, columns = {test_id: 'UUID', t_ms: 'DOUBLE',
      gaze_x_px: 'DOUBLE', gaze_y_px: 'DOUBLE', scroll_y_px: 'DOUBLE', mouse_x_px: 'DOUBLE', mouse_y_px: 'DOUBLE', is_click: 'BOOLEAN'})
      ORDER BY test_id, t_ms) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`)
    db.closeSync()
    instance.closeSync()
  }
  const seconds = await inTurn({ fromCsv: importFrom(csv), fromParquet: importFrom(plain), theirs: duckdb }, runs, {
    before,
  })
  for (const [name, from] of [
    ['fromCsv', 'CSV'],
    ['fromParquet', 'Parquet'],
  ]) {
    const detail = `${(median(seconds[name]) / median(seconds.theirs)).toFixed(2)} × its time`
    const pair = { ours: seconds[name], theirs: seconds.theirs, detail }
    rows.push(row(`import, ${size} samples from ${from}`, "DuckDB's CSV into sorted Parquet", '≤ 1.5 × its time', pair))
  }
  await rm(target, { force: true })
  await rm(dataDir, { recursive: true, force: true })
  return rows
}
