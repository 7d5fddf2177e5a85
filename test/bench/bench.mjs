// `npm run bench`: makes its data, measures pairs in turn, prints a table of ratios, writes JSON. It asserts nothing: times
// are for people to read. `--quick` takes about a minute, `--large` adds 120 M samples, `--only a,b` takes some parts.
import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { OUT } from './data.mjs'
import { benchExports } from './exports.mjs'
import { benchFilter } from './filter.mjs'
import { benchImports } from './imports.mjs'
import { table } from './measure.mjs'
import { benchMemory } from './memory.mjs'
import { benchService } from './service.mjs'

function readOptions() {
  const options = {
    quick: { type: 'boolean' },
    large: { type: 'boolean' },
    only: { type: 'string' },
    runs: { type: 'string' },
  }
  try {
    return parseArgs({ options }).values
  } catch (error) {
    console.error(
      `bench: ${error.message.split('.')[0]}. It knows --quick, --large, --only and --runs (docs/performance.md).`,
    )
    process.exit(2)
  }
}

const values = readOptions()
const quick = values.quick ?? false
const only = values.only?.split(',')
const options = {
  quick,
  large: values.large ?? false,
  threads: Math.min(2, availableParallelism()),
  runs: Number(values.runs ?? (quick ? 3 : 5)),
  wanted: (part) => only === undefined || only.includes(part),
}

await mkdir(OUT, { recursive: true })
const rows = []
for (const bench of [benchFilter, benchExports, benchImports, benchMemory, benchService]) {
  const added = await bench(options)
  rows.push(...added)
  // As it comes, so that a run that is stopped has shown what it had.
  if (added.length > 0) console.error(table(added))
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
