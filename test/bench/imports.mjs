// Import against DuckDB's own way from CSV to sorted Parquet, and whole processes from a bundle to a CSV of fixations.
import { existsSync } from 'node:fs'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { importBundle } from '../../dist/engine/store/import.js'
import { bundleOf, OUT } from './data.mjs'
import { inTurn, median, row } from './measure.mjs'
import { finished, gazette } from './process.mjs'

/** The same bundle with its samples in CSV. */
async function csvBundleOf(name) {
  const source = await bundleOf(name)
  const directory = join(OUT, `bundle-${name}-csv`)
  if (existsSync(join(directory, 'study.json'))) return directory
  await mkdir(directory, { recursive: true })
  const instance = await DuckDBInstance.create(':memory:')
  const db = await instance.connect()
  await db.run(
    `COPY (SELECT * FROM read_parquet('${join(source, 'samples.parquet')}')) TO '${join(directory, 'samples.csv')}' (HEADER)`,
  )
  db.closeSync()
  instance.closeSync()
  for (const file of ['participants.csv', 'tests.csv', 'study.json'])
    await copyFile(join(source, file), join(directory, file))
  return directory
}

export async function benchImports({ quick, threads, runs, wanted }) {
  const rows = []
  const size = quick ? '1m' : '12m'
  const dataDir = join(OUT, 'imported')
  const limits = { threads, memoryMib: 1024, append: false, dryRun: false, now: new Date() }
  const before = () => rm(dataDir, { recursive: true, force: true })
  const importFrom = (directory) => () => importBundle({ dataDir, directory, ...limits })
  if (wanted('import')) {
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
    const seconds = await inTurn(
      { fromCsv: importFrom(csv), fromParquet: importFrom(plain), theirs: duckdb },
      quick ? runs : Math.max(3, runs - 2),
      { warmUps: quick ? 1 : 0, before },
    )
    for (const [name, from] of [
      ['fromCsv', 'CSV'],
      ['fromParquet', 'Parquet'],
    ]) {
      const detail = `${(median(seconds[name]) / median(seconds.theirs)).toFixed(2)} × its time`
      const pair = { ours: seconds[name], theirs: seconds.theirs, detail }
      rows.push(
        row(`import, ${size} samples from ${from}`, "DuckDB's CSV into sorted Parquet", '≤ 1.5 × its time', pair),
      )
    }
    await rm(target, { force: true })
  }
  if (wanted('process')) {
    const directory = await csvBundleOf('1m')
    const output = join(OUT, 'fixations.csv')
    let imported = 0
    const seconds = await inTurn(
      {
        ours: async () => {
          const start = performance.now()
          const study = await finished(gazette(['import', directory], { dataDir }))
          imported = (performance.now() - start) / 1000
          await finished(gazette(['export', 'fixations', '--study', study, '-o', output], { dataDir }))
        },
      },
      runs,
      { before },
    )
    const detail = `of it ${imported.toFixed(2)} s import; others read one file and check nothing`
    rows.push(
      row(
        'a bundle of 1 M gaze rows in CSV to fixations, two processes',
        'quoted: PyGazeAnalyser 1.1 s, saccades 7.3 s, REMoDNaV 28 s',
        '≤ 0.9 s',
        { ours: seconds.ours, detail },
      ),
    )
    await rm(output, { force: true })
  }
  await rm(dataDir, { recursive: true, force: true })
  return rows
}
