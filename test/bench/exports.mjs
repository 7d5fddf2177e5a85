// Bulk exports against DuckDB doing the same work on the same rows with as many threads.
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createPool } from '../../dist/engine/run/pool/pool.js'
import { OUT, snapshotOf } from './data.mjs'
import { inTurn, machineScaling, median, millions, row } from './measure.mjs'
import { filterSql, openReference, rawCells, sampleRows } from './reference.mjs'
import { toFile, toNowhere } from './run.mjs'

/** The measures, and how many times as long as fixations each may take. */
const MEASURES = {
  'quality-stats': 4,
  'fixations-aois': 2,
  'gazes-aois': 2,
  'gazes-aois-binned': 2,
  saccades: 2,
  'aoi-transitions': 2,
  'aoi-visits': 2,
}

export async function benchExports({ quick, threads, runs, wanted }) {
  const rows = []
  if (!['split', 'gzip', 'samples', 'raw', 'sql', 'whole', 'aoi', 'measures', 'threads'].some(wanted)) return rows
  const size = quick ? '1m' : '12m'
  const { snapshot } = await snapshotOf(size)
  const { samples: sampleCount } = snapshot.manifest.counts
  const pool = createPool({ threads })
  const single = createPool({ threads: 1 })
  const reference = await openReference(size, snapshot, pool, threads)
  const theirs = join(OUT, 'theirs.csv')
  // Ours is on the disk when it is done. DuckDB's is made so: else what it leaves to be written would be written during
  // ours.
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
      const detail = `${millions(last.rows, median(seconds.ours))} M rows/s; gzip ${(mine.size / 1e6).toFixed(0)} MB besides the plain file, DuckDB's ${(other.size / 1e6).toFixed(0)} MB alone`
      rows.push(row('the same with the gzip version', 'DuckDB COPY with gzip', '≥ 5 ×', { ...seconds, detail }))
    }
    if (wanted('samples')) {
      const seconds = await inTurn(
        {
          ours: async () => (last = await toFile('samples', snapshot, pool)),
          theirs: () => copy(sampleRows(reference.samples), ''),
        },
        runs,
      )
      const detail = `${millions(last.rows, median(seconds.ours))} M rows/s, ${millions(last.bytes, median(seconds.ours))} MB/s; DuckDB ${millions(last.rows, median(seconds.theirs))} M rows/s`
      rows.push(row('samples, to a file', 'DuckDB COPY', '≥ 3 ×', { ...seconds, detail }))
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
    if (wanted('measures')) {
      const names = Object.keys(MEASURES)
      const works = Object.fromEntries(
        ['fixations', ...names].map((name) => [name, async () => (last = await toFile(name, snapshot, pool))]),
      )
      // Deleting 4 GB, and telling the disk of it, takes a second, which would count against whoever comes next.
      const before = async () => {
        await rm(join(OUT, 'ours.csv'), { force: true })
        const directory = await open(OUT)
        await directory.sync()
        await directory.close()
      }
      const { fixations, ...seconds } = await inTurn(works, runs, { before })
      const nowhere = await inTurn(
        Object.fromEntries(['fixations', ...names].map((name) => [name, () => toNowhere(name, snapshot, pool)])),
        runs,
      )
      for (const name of names) {
        const part = Math.min(...seconds[name]) / Math.min(...fixations)
        const dropped = median(nowhere[name]) / median(nowhere.fixations)
        const times = (median(seconds[name]) / median(fixations)).toFixed(2)
        const detail = `${times} × the time of fixations to a file (${part.toFixed(2)} best of each), ${dropped.toFixed(2)} × computed and dropped`
        const pair = { ours: seconds[name], theirs: fixations, detail }
        rows.push(row(name, 'fixations', `≤ ${MEASURES[name]} × its time`, pair))
      }
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
