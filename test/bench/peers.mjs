// Fixations by dispersion against scripts in Python and R that do the same by themselves: Debian and npm have no tool for it.
import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { csvBundleOf, OUT, snapshotOf } from './data.mjs'
import { median, row } from './measure.mjs'
import { finished, gazette } from './process.mjs'

const THRESHOLD_PERCENT = 3
const LEAST_MS = 80
const HERE = fileURLToPath(new URL('.', import.meta.url))
const PYTHON = process.env.PYTHON ?? '/usr/bin/python3'

/** Programs that have what their script needs, and why one is left out is told. */
const PEERS = [
  { what: 'a script in Python, pandas and numpy', program: PYTHON, script: 'idt.py', probe: ['-c', 'import pandas'] },
  { what: 'a script in R', program: 'Rscript', script: 'idt.R', probe: ['--version'] },
]

export async function benchPeers({ runs, wanted }) {
  if (!wanted('peers')) return []
  const [bundle, { dataDir, studyId, snapshot }] = [await csvBundleOf('small'), await snapshotOf('small')]
  const { samples } = snapshot.manifest.counts
  const [output, tests] = [join(OUT, 'peer.csv'), join(OUT, 'peer-tests.csv')]
  await writeTests(snapshot, tests)
  const rows = []
  for (const { what, program, script, probe } of PEERS) {
    if (spawnSync(program, probe).status !== 0) {
      rows.push(
        row('fixations, detector dispersion', what, '', { detail: `${program} is not here or lacks what it needs` }),
      )
      continue
    }
    const seconds = { ours: [], theirs: [] }
    const parts = { found: 0, valid: 0, detecting: [] }
    for (let run = 0; run < runs; run++) {
      seconds.ours.push(await timed(() => finished(gazette(ours(studyId), { dataDir, stdout: 'ignore' }))))
      seconds.theirs.push(
        await timed(() => {
          const args = [join(HERE, script), join(bundle, 'samples.csv'), tests, output, THRESHOLD_PERCENT, LEAST_MS]
          const { status, stdout, stderr } = spawnSync(program, args.map(String), { encoding: 'utf8' })
          if (status !== 0) throw new Error(`${script} has failed:\n${stderr}`)
          const [found, valid, detecting] = stdout.trim().split(/\s+/).map(Number)
          Object.assign(parts, { found, valid })
          parts.detecting.push(detecting)
        }),
      )
    }
    const pace = parts.valid / median(parts.detecting) / 1000
    const detail = `whole processes, ${samples} samples; theirs finds ${parts.found} fixations in ${median(parts.detecting).toFixed(2)} s without reading CSV, ${pace.toFixed(0)},000 samples/s; it neither denoises nor interpolates`
    rows.push(row('fixations, detector dispersion, by command', what, '', { ...seconds, detail }))
  }
  for (const path of [output, tests]) await rm(path, { force: true })
  return rows
}

/** Writes where the item of each test stood, as an import derives it where the bundle does not say. */
async function writeTests({ directory }, path) {
  const instance = await DuckDBInstance.create(':memory:')
  const db = await instance.connect()
  const columns = ['left', 'top', 'width', 'height'].map((side) => `item_display_${side}_px`)
  await db.run(
    `COPY (SELECT test_id, ${columns} FROM read_parquet('${join(directory, 'tests.parquet')}')) TO '${path}' (HEADER)`,
  )
  db.closeSync()
  instance.closeSync()
}

function ours(studyId) {
  return [
    'export',
    'fixations',
    '--study',
    studyId,
    '--detector',
    'dispersion',
    '--dispersion-threshold-percent',
    String(THRESHOLD_PERCENT),
  ]
}

async function timed(work) {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}
