// Pupils on one thread: their steps in memory, and the whole path from Parquet to CSV.
import { createPupil, measurePupil } from '../../dist/engine/compute/pupils/pupil.js'
import { createPool } from '../../dist/engine/run/pool/pool.js'
import { snapshotOf } from './data.mjs'
import { SETTINGS } from './filter.mjs'
import { inTurn, median, millions, row } from './measure.mjs'
import { toNowhere } from './run.mjs'

const SAMPLES_A_RUN = 2_000_000
const RATES = [60, 500]

export async function benchPupils({ runs, wanted }) {
  if (!wanted('pupils')) return []
  const rows = []
  for (const hz of RATES) {
    const recorded = pupilsOf(hz, 20 * hz)
    const pupil = createPupil()
    const times = Math.ceil(SAMPLES_A_RUN / recorded.n)
    const work = () => {
      for (let k = 0; k < times; k++) measurePupil(recorded, true, 'either', SETTINGS, pupil)
    }
    const { ours } = await inTurn({ ours: work }, runs)
    const detail = `both eyes, ${hz} Hz, ${millions(times * recorded.n, median(ours))} M samples/s (per second of processor ${millions(times * recorded.n, median(ours.cpu))})`
    rows.push(row('steps of pupils, in memory, one thread', '', '≥ 5 M/s', { ours, detail }))
  }
  const { snapshot } = await snapshotOf('1m-pupils')
  const single = createPool({ threads: 1 })
  const { samples } = snapshot.manifest.counts
  const rate = (seconds) => millions(samples, seconds)
  try {
    const { ours } = await inTurn({ ours: () => toNowhere('pupils', snapshot, single) }, runs)
    const whole = `${rate(median(ours))} M samples/s (per second of processor ${rate(median(ours.cpu))})`
    rows.push(row('pupils, from Parquet, one thread, dropped', '', '≥ 5 M/s', { ours, detail: whole }))
  } finally {
    await single.close()
  }
  return rows
}

/** Sizes of both pupils in mm that wander and shake, with a blink every four seconds. */
function pupilsOf(hz, n) {
  const shake = (i, phase) => 3 + Math.sin(i / (2 * hz)) / 2 + ((i * 7919 + phase) % 13) / 400
  const sizes = (phase) =>
    Float64Array.from({ length: n }, (_, i) => (i % (4 * hz) < hz / 6 ? Number.NaN : shake(i, phase)))
  return {
    n,
    tUs: Float64Array.from({ length: n }, (_, i) => Math.round((i * 1e6) / hz)),
    left: sizes(0),
    right: sizes(5),
  }
}
