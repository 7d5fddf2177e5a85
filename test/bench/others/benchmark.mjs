// `npm run benchmark`: what a lab does with its samples, by Gazette and by what it would use instead, each as a whole
// process from files to a file. Writes docs/benchmark.md and its pictures. `--quick` takes small data and one run, and
// writes nothing.
import { spawn, spawnSync } from 'node:child_process'
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { csvBundleOf, OUT, SIZES, snapshotOf } from '../data.mjs'
import { median } from '../measure.mjs'
import { finished, gazette, watchPeak } from '../process.mjs'
import { writePage } from './page.mjs'
import { TASKS, TOOLS } from './tasks.mjs'

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, runs: { type: 'string' } } })
const size = values.quick ? 'small' : '1m-plain'
const runs = Number(values.runs ?? (values.quick ? 1 : 5))

const { dataDir, studyId, snapshot } = await snapshotOf(size)
const bundle = await csvBundleOf(size)
const folder = join(OUT, 'others')
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const instance = await DuckDBInstance.create(':memory:')
const db = await instance.connect()
await writeInput()

const versions = Object.fromEntries(Object.entries(TOOLS).map(([key, tool]) => [key, versionOf(key, tool)]))
const results = []
for (const task of TASKS) {
  const tools = ['gazette', ...task.others.filter((key) => versions[key] !== null)]
  results.push({ task, measured: await compare(task, tools) })
}
db.closeSync()
instance.closeSync()
await rm(folder, { recursive: true, force: true })
const about = { samples: snapshot.manifest.counts.samples, ...SIZES[size], runs, versions }
const text = await writePage(results, about, { isKept: !values.quick })
console.log(text)

/** Samples, participants, and tests with the place where the item of each stood, as an import derives it. */
async function writeInput() {
  await cp(join(bundle, 'samples.csv'), join(folder, 'samples.csv'))
  await cp(join(bundle, 'participants.csv'), join(folder, 'participants.csv'))
  const box = ['left', 'top', 'width', 'height'].map((side) => `item_display_${side}_px`)
  const stored = `read_parquet('${join(snapshot.directory, 'tests.parquet')}')`
  await db.run(`COPY (SELECT t.* EXCLUDE (${box}, notes), ${box.map((each) => `s.${each}`)}
    FROM read_csv('${join(bundle, 'tests.csv')}') t JOIN ${stored} s USING (test_id))
    TO '${join(folder, 'tests.csv')}' (HEADER)`)
}

function versionOf(key, { version }) {
  if (key === 'gazette') return ''
  const { status, stdout } = spawnSync(version[0], version[1], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

/** Runs a task by each tool in turn, once for nothing and then `runs` times, and compares what they made. */
async function compare(task, tools) {
  const measured = Object.fromEntries(tools.map((key) => [key, { seconds: [], peakBytes: 0, rows: null }]))
  for (let run = values.quick ? 0 : -1; run < runs; run++) {
    for (const key of tools) {
      const { seconds, peakBytes } = await runOnce(task, key)
      if (run >= 0) measured[key].seconds.push(seconds)
      measured[key].peakBytes = Math.max(measured[key].peakBytes, peakBytes)
    }
  }
  const made = {}
  for (const key of tools) made[key] = task.name === 'bring' ? null : await lookAt(outputOf(task, key), task.equal)
  const [ours] = tools
  for (const key of tools) {
    measured[key].rows = made[key]?.rows ?? null
    if (task.equal !== null) checkEqual(task, key, made[key], made[ours])
    measured[key].seconds = median(measured[key].seconds)
  }
  return measured
}

async function runOnce(task, key) {
  const output = outputOf(task, key)
  const importedTo = join(folder, 'imported')
  if (key === 'gazette' && task.name === 'bring') await rm(importedTo, { recursive: true, force: true })
  const start = performance.now()
  const child = key === 'gazette' ? ours(task, output, importedTo) : theirs(task, key, output)
  const peak = watchPeak(child)
  await finished(child)
  return { seconds: (performance.now() - start) / 1000, peakBytes: peak() }
}

function ours(task, output, importedTo) {
  return gazette(task.gazette({ bundle, studyId, output }), { dataDir: task.name === 'bring' ? importedTo : dataDir })
}

function theirs(task, key, output) {
  const [program, ...args] = TOOLS[key].command(task.name, folder, output)
  return spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
}

function outputOf(task, key) {
  return join(folder, `${task.name}-${key}.${task.name === 'parquet' ? 'parquet' : 'csv'}`)
}

/** The number of rows of a table, and the sum of a column. */
async function lookAt(path, column) {
  const from = path.endsWith('.parquet') ? `read_parquet('${path}')` : `read_csv('${path}')`
  const sum = column === null ? '0.0' : `sum("${column}")::DOUBLE`
  const [[rows, total]] = await (await db.runAndReadAll(`SELECT count(*)::INTEGER, ${sum} FROM ${from}`)).getRows()
  return { rows, total }
}

function checkEqual({ title }, key, theirs, ours) {
  const isNear = Math.abs(theirs.total - ours.total) <= 1e-6 * Math.abs(ours.total)
  if (theirs.rows === ours.rows && isNear) return
  throw new Error(`${title}: ${key} made ${JSON.stringify(theirs)}, Gazette ${JSON.stringify(ours)}`)
}
