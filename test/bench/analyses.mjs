// Analyses while a client waits: looks over time on one thread, clusters of 40 participants, pairs of 100 scanpaths.
import { looksAnswer } from '../../dist/engine/analysis/charts/looks-answer.js'
import { testClusters } from '../../dist/engine/analysis/statistics/clusters.js'
import { compareScanpaths } from '../../dist/engine/analysis/statistics/compare-scanpaths.js'
import { defaultParameters } from '../../dist/engine/model/parameters.js'
import { createPool } from '../../dist/engine/run/pool/pool.js'
import { snapshotOf } from './data.mjs'
import { inTurn, median, millions, row } from './measure.mjs'
import { toNowhere } from './run.mjs'

export async function benchAnalyses({ runs, wanted }) {
  if (!wanted('analyses')) return []
  return [...(await looks(runs)), await clusters(runs), await scanpaths(runs)]
}

async function looks(runs) {
  const { snapshot } = await snapshotOf('1m-plain')
  const pool = createPool({ threads: 1 })
  const { samples } = snapshot.manifest.counts
  const parameters = { ...defaultParameters(), toMs: 10_000 }
  const asked = { snapshot, parameters, groups: [], formulaGuard: false, samplesMax: Number.POSITIVE_INFINITY }
  const averaged = () => looksAnswer(asked, { pool, signal: new AbortController().signal })
  const rate = ({ ours }) =>
    `${millions(samples, median(ours))} M samples/s (per second of processor ${millions(samples, median(ours.cpu))})`
  try {
    const answer = await inTurn({ ours: averaged }, runs)
    const table = await inTurn({ ours: () => toNowhere('looks-binned', snapshot, pool) }, runs)
    return [
      row('looks over time, averaged, one thread', '', '≥ 2 M/s', { ...answer, detail: rate(answer) }),
      row('looks-binned, from Parquet, one thread, dropped', '', '≥ 2 M/s', { ...table, detail: rate(table) }),
    ]
  } finally {
    await pool.close()
  }
}

const PARTICIPANTS = 40
const BINS = 200

/** Means that wander, and differ by half of their spread in a third of the bins. */
async function clusters(runs) {
  const shake = (i) => Math.sin(i * 12.9898) * 43758.5453 - Math.floor(Math.sin(i * 12.9898) * 43758.5453) - 0.5
  const values = (seed, shift) =>
    Array.from({ length: PARTICIPANTS }, (_, p) => {
      let x = 0
      return Float64Array.from({ length: BINS }, (_, b) => {
        x = 0.8 * x + shake(seed + p * BINS + b)
        return x + (b > 60 && b < 120 ? shift : 0)
      })
    })
  const data = { design: 'within', first: values(1, 0.3), second: values(100_001, 0) }
  const settings = { alpha: 0.05, permutations: 1000, seed: 1 }
  const { ours } = await inTurn({ ours: () => testClusters(data, settings) }, runs)
  const detail = `${PARTICIPANTS} participants, ${BINS} bins, ${settings.permutations} arrangements, one thread`
  return row('cluster permutation', '', '≤ 2 s', { ours, detail })
}

const PATHS = 100
const FIXATIONS = 40

async function scanpaths(runs) {
  const paths = Array.from({ length: PATHS }, (_, p) => {
    const of = (value) => Float64Array.from({ length: FIXATIONS }, (_, f) => value(p * FIXATIONS + f))
    return {
      n: FIXATIONS,
      place: Int32Array.from({ length: FIXATIONS }, (_, f) => ((p * 7 + f * 13) % 9) - 1),
      x: of((i) => ((i * 7919) % 1000) / 1000),
      y: of((i) => ((i * 104_729) % 600) / 1000),
      durationMs: of((i) => 80 + ((i * 31) % 300)),
    }
  })
  const all = () => {
    for (let a = 0; a < PATHS; a++) for (let b = a + 1; b < PATHS; b++) compareScanpaths(paths[a], paths[b], 1.2)
  }
  const { ours } = await inTurn({ ours: all }, runs)
  const detail = `${(PATHS * (PATHS - 1)) / 2} pairs of ${FIXATIONS} fixations, one thread`
  return row('all pairs of 100 scanpaths', '', '≤ 5 s', { ours, detail })
}
