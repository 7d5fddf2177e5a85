// What code that is there for speed alone gains over the plain code that it stands in for, on the same input, on one
// thread.
import { deflateRawSync } from 'node:zlib'
import { runnerImport } from 'vite'
import { aoiPartShape } from '../../dist/engine/compute/aoi.js'
import { createAoiGrid, fixationsByAoi, gazesByAoi } from '../../dist/engine/compute/aoi-grid.js'
import { detectFixations } from '../../dist/engine/compute/detectors/detect-fixations.js'
import { createFixations } from '../../dist/engine/compute/fixation-list.js'
import { createGaze, denoise } from '../../dist/engine/compute/gaze.js'
import { encode } from '../../dist/engine/text/cells.js'
import { deflateRows } from '../../dist/engine/text/deflate-rows.js'
import { writeRows } from '../../dist/engine/text/rows.js'
import { rowsKernel } from '../../dist/engine/text/rows-kernel.js'
import { createSink, flush } from '../../dist/engine/text/sink.js'
import { DISPLAY, SETTINGS, testOf } from './filter.mjs'
import { inTurn, row } from './measure.mjs'

const ROWS = 200_000
const REPEATS = 5

export async function benchKernels({ runs, wanted }) {
  if (!wanted('kernels')) return []
  const works = { rows: rowsOfText(), deflate: deflated(), grid: await aoisOfTests() }
  const about = {
    rows: ['rows of numbers as text (rows.wat)', 'the same steps in JavaScript'],
    deflate: ['rows deflated (deflate-rows.wat)', 'zlib, level 1'],
    grid: ['20 AOIs of 50 corners under a grid (aoi-grid.ts)', 'AOI by AOI'],
  }
  const measured = []
  for (const [name, pair] of Object.entries(works))
    measured.push(row(about[name][0], about[name][1], '', await inTurn(pair, runs)))
  return measured
}

/** Steps like those of `gazes-split`: who and what, then a time and two fractions. */
function writeAll(memory) {
  const blocks = []
  const sink = createSink((finished) => void blocks.push(finished.slice()), memory)
  const values = (scale) => Float64Array.from({ length: ROWS }, (_, i) => ((i * 7919) % 1_000_003) / scale)
  const missing = encode('')
  const steps = [
    { kind: 'bytes', bytes: encode(`${'a participant and an item,'.repeat(7)}`) },
    { kind: 'microseconds', values: Float64Array.from({ length: ROWS }, (_, i) => i * 16_667), missing },
    { kind: 'bytes', bytes: encode(',') },
    { kind: 'fractions', values: values(10_000), missing },
    { kind: 'bytes', bytes: encode(',') },
    { kind: 'fractions', values: values(9_999), missing },
    { kind: 'bytes', bytes: encode(',\n') },
  ]
  return {
    blocks,
    run: () => {
      blocks.length = 0
      writeRows(sink, steps, 0, ROWS)
      flush(sink)
    },
  }
}

function rowsOfText() {
  return { ours: writeAll(rowsKernel().block).run, theirs: writeAll(undefined).run }
}

function deflated() {
  const { blocks, run } = writeAll(rowsKernel().block)
  run()
  const whole = blocks.slice(0, 16)
  return {
    ours: () => whole.forEach(deflateRows),
    theirs: () => {
      for (const bytes of whole) deflateRawSync(bytes, { level: 1 })
    },
  }
}

async function aoisOfTests() {
  // Tests have the plain code, in TypeScript.
  const { aoiFixations, aoiGazes } = (await runnerImport('test/engine/compute/aoi-by-aoi.ts')).module
  const samples = testOf(60, 3600)
  const gaze = createGaze()
  const fixations = createFixations()
  denoise(samples, DISPLAY, 200, gaze)
  detectFixations(gaze, DISPLAY, SETTINGS, fixations)
  const corners = Array.from({ length: 50 }, (_, k) => (2 * Math.PI * k) / 50)
  const aois = Array.from({ length: 20 }, (_, a) => {
    const [x, y] = [10 + 20 * (a % 5), 12 + 24 * Math.floor(a / 5)]
    return {
      parts: [
        aoiPartShape(
          true,
          corners.map((angle) => x + 8 * Math.cos(angle)),
          corners.map((angle) => y + 10 * Math.sin(angle)),
          null,
        ),
      ],
    }
  })
  const grid = createAoiGrid(aois)
  const repeat = (work) => () => {
    for (let k = 0; k < 10 * REPEATS; k++) work()
  }
  return {
    ours: repeat(() => {
      gazesByAoi(grid, gaze)
      fixationsByAoi(grid, fixations)
    }),
    theirs: repeat(() => {
      for (const aoi of aois) {
        aoiGazes(aoi, gaze)
        aoiFixations(aoi, fixations)
      }
    }),
  }
}
