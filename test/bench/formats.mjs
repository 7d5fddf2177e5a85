// The same rows in every format: Parquet against DuckDB's own from Parquet to Parquet, the others against our CSV.
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createPool } from '../../dist/engine/run/pool/pool.js'
import { OUT, snapshotOf } from './data.mjs'
import { inTurn, median, row } from './measure.mjs'
import { openReference } from './reference.mjs'
import { toFile } from './run.mjs'

const FORMATS = ['csv', 'ndjson', 'arrow', 'parquet']

export async function benchFormats({ quick, threads, runs, wanted }) {
  if (!wanted('formats')) return []
  const size = quick ? '1m' : '12m'
  const { snapshot } = await snapshotOf(size)
  const pool = createPool({ threads })
  const reference = await openReference(size, snapshot, pool, threads)
  const theirs = join(OUT, 'theirs.parquet')
  const works = Object.fromEntries(
    FORMATS.map((format) => [format, () => toFile('gazes-split', snapshot, pool, { format })]),
  )
  works.duckdb = async () => {
    await reference.db.run(`COPY (${reference.split}) TO '${theirs}' (FORMAT parquet)`)
    const file = await open(theirs, 'r+')
    await file.sync()
    await file.close()
  }
  try {
    const seconds = await inTurn(works, runs)
    const bytes = {}
    for (const format of FORMATS) bytes[format] = (await stat(join(OUT, `ours.${format}`))).size
    bytes.duckdb = (await stat(theirs)).size
    return [
      row(`gazes-split as Parquet, ${threads} threads`, 'DuckDB COPY, Parquet to Parquet', '≥ 1 ×, ≤ 1.2 × its size', {
        ours: seconds.parquet,
        theirs: seconds.duckdb,
        detail: `${sizeText(bytes.parquet)}, ${(bytes.parquet / bytes.duckdb).toFixed(2)} × DuckDB's`,
      }),
      againstCsv('Arrow', 'arrow', '≤ 1.5 × its time, ≤ 0.5 × its size', seconds, bytes),
      againstCsv('NDJSON', 'ndjson', '≤ 4 × its time', seconds, bytes),
    ]
  } finally {
    reference.close()
    await pool.close()
    for (const path of [theirs, ...FORMATS.map((format) => join(OUT, `ours.${format}`))])
      await rm(path, { force: true })
  }
}

function againstCsv(title, format, goal, seconds, bytes) {
  const times = (median(seconds[format]) / median(seconds.csv)).toFixed(2)
  const detail = `${times} × its time; ${sizeText(bytes[format])}, ${(bytes[format] / bytes.csv).toFixed(2)} × its size`
  return row(`the same as ${title}`, 'our own CSV', goal, { ours: seconds[format], theirs: seconds.csv, detail })
}

function sizeText(bytes) {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
