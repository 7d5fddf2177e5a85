// How many workers on machines of their own would share one export: the costs of its parts and of composing them are
// measured here, how long many workers would take is reckoned from them.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makePlan } from '../../dist/engine/exports/make-plan.js'
import { defaultParameters } from '../../dist/engine/model/parameters.js'
import { openPart } from '../../dist/engine/run/parts/part-file.js'
import { fromParts, runPart } from '../../dist/engine/run/parts/run-part.js'
import { createPool } from '../../dist/engine/run/pool/pool.js'
import { runExport } from '../../dist/engine/run/run-export.js'
import { createBlockFile } from '../../dist/engine/storage/files/block-file.js'
import { OUT, snapshotOf } from './data.mjs'
import { median, row } from './measure.mjs'

const PARTS = 5
/** Size of the estimate: as many samples and parts as the largest jobs in parts. */
const SAMPLES = 1e9
const PARTS_MAX = 200
const WORKERS = [2, 4, 8, 10, 100, 1000]

/** Writes blocks to a file as a worker does, synced; returns the seconds that it took. */
async function written(path, blocks) {
  const start = performance.now()
  const file = await createBlockFile(path, 'w')
  for await (const { bytes } of blocks) await file.write(bytes)
  await file.finish()
  return (performance.now() - start) / 1000
}

/** Makes the parts of an export and composes them; returns the seconds of each. */
async function measure(exportName, { snapshot, pool, folder }) {
  const plan = makePlan({ snapshot, exportName, parameters: defaultParameters(), formulaGuard: true })
  const options = { plan, snapshot, pool, signal: new AbortController().signal, gzip: false }
  const paths = Array.from({ length: PARTS }, (_, p) => join(folder, `${p}.part`))
  const parts = []
  for (const [p, path] of paths.entries()) {
    parts.push(await written(path, runPart(options, { number: p + 1, of: PARTS })))
  }
  const opened = await Promise.all(paths.map((path) => openPart(path)))
  const composing = { ...options, ...fromParts(opened, options), lookAhead: 2 }
  return { parts, composing: await written(join(folder, 'whole.csv'), runExport(composing)) }
}

/** Seconds until the last of the parts is made, each by the worker that is free first. */
function secondsOf(partSeconds, workers) {
  const freeAt = new Array(Math.min(workers, partSeconds.length)).fill(0)
  for (const seconds of partSeconds) freeAt[freeAt.indexOf(Math.min(...freeAt))] += seconds
  return Math.max(...freeAt)
}

export async function benchScaling({ wanted, quick, runs }) {
  if (!wanted('scaling')) return []
  const { snapshot } = await snapshotOf(quick ? '1m' : '12m')
  const scale = SAMPLES / snapshot.manifest.counts.samples
  const folder = join(OUT, 'scaling')
  await mkdir(folder, { recursive: true })
  const pool = createPool({ threads: 1 })
  try {
    const rows = []
    for (const name of ['fixations', 'quality-stats', 'gazes-raw', 'gazes-split']) {
      const all = []
      for (let run = 0; run <= Math.min(3, runs); run++) all.push(await measure(name, { snapshot, pool, folder }))
      // The first loads and compiles.
      const measured = all.slice(1)
      const ofPart = (i) => median(measured.map(({ parts }) => parts[i % PARTS])) * scale * (PARTS / PARTS_MAX)
      const partSeconds = Array.from({ length: PARTS_MAX }, (_, i) => ofPart(i))
      const composing = median(measured.map(({ composing }) => composing)) * scale
      const one = secondsOf(partSeconds, 1) + composing
      for (const workers of WORKERS) {
        const own = secondsOf(partSeconds, workers)
        const detail = `reckoned: ${own.toFixed(0)} s for parts, ${composing.toFixed(0)} s to compose`
        const what = `\`${name}\` of 1,000 M samples in ${PARTS_MAX} parts, ${workers} workers of one thread`
        rows.push(row(what, 'one worker', '', { ours: [own + composing], theirs: [one], detail }))
      }
    }
    return rows
  } finally {
    await pool.close()
    await rm(folder, { recursive: true, force: true })
  }
}
