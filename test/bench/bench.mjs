// `npm run bench`: makes its data, measures pairs in turn, prints a table of ratios, writes JSON. It asserts nothing:
// times are for people to read. `--quick` takes about a minute, `--large` adds 120 M samples, `--only a,b` takes some
// parts.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { OUT } from './data.mjs'
import { table } from './measure.mjs'

const PART = fileURLToPath(new URL('./part.mjs', import.meta.url))
const BUSY_MAX = 0.05
const SETTLE_MAX_S = 60

function readOptions() {
  const options = {
    quick: { type: 'boolean' },
    large: { type: 'boolean' },
    only: { type: 'string' },
    runs: { type: 'string' },
    attack: { type: 'string' },
  }
  try {
    return parseArgs({ options }).values
  } catch (error) {
    console.error(
      `bench: ${error.message.split('.')[0]}. It knows --quick, --large, --only, --runs and --attack (docs/performance.md).`,
    )
    process.exit(2)
  }
}

/** The rows of a part. @throws Error when it fails; it has said why */
async function rowsOf(part, options) {
  const child = fork(PART, [part, JSON.stringify(options)])
  let rows = null
  child.on('message', (message) => {
    rows = message
  })
  await once(child, 'exit')
  if (rows === null) throw new Error(`the part ${part} has failed`)
  return rows
}

/** Waits until the machine has little else to do, such as to free what the part before has written. */
async function settle() {
  for (let second = 0, before = times(); second < SETTLE_MAX_S; second++) {
    await sleep(1000)
    const now = times()
    const busy = 1 - (now.idle - before.idle) / (now.all - before.all)
    if (busy < BUSY_MAX) return
    before = now
  }
}

function times() {
  const all = cpus().map((cpu) => cpu.times)
  const sum = (values) => values.reduce((total, value) => total + value, 0)
  // What runs at a low priority gives way.
  return { idle: sum(all.map(({ idle, nice }) => idle + nice)), all: sum(all.flatMap((each) => Object.values(each))) }
}

const values = readOptions()
const quick = values.quick ?? false
const only = values.only?.split(',')
const options = {
  quick,
  large: values.large ?? false,
  threads: Math.min(2, availableParallelism()),
  runs: Number(values.runs ?? (quick ? 3 : 5)),
  only,
  attack: values.attack,
}

await mkdir(OUT, { recursive: true })
const rows = []
await settle()
for (const part of [
  'filter',
  'conditions',
  'kernels',
  'exports',
  'pupils',
  'analyses',
  'formats',
  'imports',
  'recordings',
  'commands',
  'memory',
  'store',
  'service',
  'sharing',
  'bucket',
  'scaling',
  'live',
  'writers',
  'dashboard',
  'webhooks',
  'catalog',
  'crowd',
  'attacks',
]) {
  const added = await rowsOf(part, options)
  if (added.length === 0) continue
  rows.push(...added)
  // As it comes, so that a run that is stopped has shown what it had.
  console.error(table(added))
  await settle()
}
const machine = {
  cpu: cpus()[0].model,
  cores: availableParallelism(),
  memoryGib: Math.round(totalmem() / 2 ** 30),
  node: process.version,
}
console.log(`${JSON.stringify(machine)}\n\n${table(rows)}`)
await writeFile(
  join(OUT, `bench-${quick ? 'quick' : 'full'}.json`),
  `${JSON.stringify({ machine, options: { quick, ...values }, rows }, null, 2)}\n`,
)
