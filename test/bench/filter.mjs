// The filter alone, in memory, on one thread: samples per second.
import { detectFixations } from '../../dist/engine/compute/detectors/detect-fixations.js'
import { createFixations } from '../../dist/engine/compute/fixation-list.js'
import { createGaze, denoise } from '../../dist/engine/compute/gaze.js'
import { createPointColumns, movingMedian, movingMedians } from '../../dist/engine/compute/median.js'
import { defaultParameters } from '../../dist/engine/model/parameters.js'
import { SEED } from './data.mjs'
import { inTurn, median, millions, row, spread } from './measure.mjs'

export const DISPLAY = { leftPx: 10, topPx: 20, widthPx: 1600, heightPx: 900 }
export const SETTINGS = defaultParameters()
const SAMPLES_A_RUN = 500_000

/** A test of evenly spaced samples: fixations of 150 to 550 ms with noise, and jumps between. */
export function testOf(hz, n) {
  let state = SEED
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const noise = () => (random() + random() + random() - 1.5) * 8
  const samples = {
    n,
    tUs: Float64Array.from({ length: n }, (_, i) => Math.round((i * 1e6) / hz)),
    gazeXPx: new Float64Array(n),
    gazeYPx: new Float64Array(n),
    scrollYPx: new Float64Array(n),
    mouseXPx: new Float64Array(n),
    mouseYPx: new Float64Array(n),
    isClick: new Uint8Array(n),
  }
  let [x, y, left] = [0, 0, 0]
  for (let i = 0; i < n; i++) {
    if (left-- <= 0) {
      x = random() * 1600
      y = random() * 900
      left = Math.floor((0.15 + random() * 0.4) * hz)
    }
    samples.gazeXPx[i] = x + noise()
    samples.gazeYPx[i] = y + noise()
  }
  return samples
}

/** From samples to fixations by a detector. */
function detectorOf(detector) {
  const samples = testOf(60, 3600)
  const gaze = createGaze()
  const found = createFixations()
  const times = Math.ceil(SAMPLES_A_RUN / samples.n)
  const settings = { ...SETTINGS, detector }
  return {
    samples: times * samples.n,
    run: () => {
      for (let k = 0; k < times; k++) {
        denoise(samples, DISPLAY, settings.movingMedianRangeMs, gaze)
        detectFixations(gaze, DISPLAY, settings, found)
      }
    },
  }
}

async function detectorRows(runs) {
  const goals = { velocity: '', dispersion: '≥ 15 M/s', adaptive: '≥ 10 M/s' }
  const works = Object.fromEntries(Object.keys(goals).map((name) => [name, detectorOf(name)]))
  const runsOf = Object.fromEntries(Object.entries(works).map(([name, { run }]) => [name, run]))
  const seconds = await inTurn(runsOf, 3 * runs, { warmUps: 2 })
  return Object.entries(goals).map(([name, goal]) => {
    const { samples } = works[name]
    const detail = `${millions(samples, median(seconds[name].cpu))} M samples per second of one processor (best by the clock ${millions(samples, Math.min(...seconds[name]))})`
    return row(`detector ${name}, from samples to fixations, 60 Hz`, '', goal, { ours: seconds[name], detail })
  })
}

function filterOf(hz, rangeMs) {
  const samples = testOf(hz, hz < 100 ? 3600 : 20_000)
  const gaze = createGaze()
  const found = createFixations()
  const times = Math.ceil(SAMPLES_A_RUN / samples.n)
  return {
    samples: times * samples.n,
    run: () => {
      for (let k = 0; k < times; k++) {
        denoise(samples, DISPLAY, rangeMs, gaze)
        detectFixations(gaze, DISPLAY, SETTINGS, found)
      }
    },
  }
}

/** The median of one series by the kernel and by the plain window in JavaScript, which judges it. */
function medianOf(hz, rangeMs) {
  const n = 20_000
  const { gazeXPx, gazeYPx, tUs } = testOf(hz, n)
  const columns = createPointColumns(n)
  columns.tUs.set(tUs)
  for (let i = 0; i < n; i++) {
    columns.rawPercent[2 * i] = gazeXPx[i]
    columns.rawPercent[2 * i + 1] = gazeYPx[i]
  }
  const repeat = (work) => () => {
    for (let k = 0; k < 10; k++) work()
  }
  return {
    ours: repeat(() => movingMedians(columns, 0, n, rangeMs * 1000)),
    theirs: repeat(() => {
      const { rawPercent, xPercent, yPercent } = columns
      movingMedian(columns.tUs, rawPercent, 0, 0, n, rangeMs * 1000, xPercent)
      movingMedian(columns.tUs, rawPercent, 1, 0, n, rangeMs * 1000, yPercent)
    }),
  }
}

export async function benchFilter({ quick, runs, wanted }) {
  const rows = wanted('detectors') ? await detectorRows(runs) : []
  if (!wanted('filter')) return rows
  const cases = [
    [60, 200],
    [30, 200],
    [60, 1000],
    [1000, 20],
    [1000, 50],
    [1000, 100],
    [1000, 200],
    [1000, 500],
    [1000, 1000],
  ]
  const works = cases.map(([hz, rangeMs]) => filterOf(hz, rangeMs))
  const seconds = Object.values(
    await inTurn(Object.fromEntries(works.map(({ run }, i) => [i, run])), quick ? runs : 3 * runs, { warmUps: 2 }),
  )
  // Of processor time: the filter is one thread's, and others on the machine disturb that less.
  const perSecond = seconds.map((taken, i) => works[i].samples / median(taken.cpu))
  for (const [i, [hz, rangeMs]] of cases.entries()) {
    if (hz > 100) continue
    const best = works[i].samples / Math.min(...seconds[i])
    rows.push(
      row(
        `fixations, compute, ${hz} Hz, ${rangeMs} ms`,
        'plain C window: 21 to 25 M/s (quoted)',
        rangeMs === 200 ? '≥ 20 M/s' : '',
        {
          ours: seconds[i],
          detail: `${millions(perSecond[i], 1)} M samples per second of one processor (best by the clock ${millions(best, 1)})`,
        },
      ),
    )
  }
  const wide = cases.map(([hz], i) => ({ hz, i })).filter(({ hz }) => hz > 100)
  const most = Math.max(...wide.map(({ i }) => perSecond[i]))
  const least = Math.min(...wide.map(({ i }) => perSecond[i]))
  rows.push({
    ...row('the same at 1000 Hz, R from 20 to 1000 ms', '', 'falls by < 2 ×', {
      detail: `${wide.map(({ i }) => `${cases[i][1]} ms: ${millions(perSecond[i], 1)}`).join(', ')} M/s; falls by ${(most / least).toFixed(2)} ×`,
    }),
    spreadPercent: Math.max(...wide.map(({ i }) => spread(seconds[i]))),
  })
  for (const [hz, rangeMs] of [
    [60, 200],
    [1000, 1000],
  ]) {
    rows.push(
      row(
        `the median alone, ${hz} Hz, ${rangeMs} ms`,
        'the plain window in JavaScript',
        '',
        await inTurn(medianOf(hz, rangeMs), runs),
      ),
    )
  }
  return rows
}
