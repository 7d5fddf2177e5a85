// Runs exports as the program does: to a file on disk, or computed and dropped.
import { join } from 'node:path'
import { makePlan } from '../../dist/engine/exports/make-plan.js'
import { defaultParameters } from '../../dist/engine/model/parameters.js'
import { runExport } from '../../dist/engine/run/run-export.js'
import { createBlockFile } from '../../dist/engine/storage/files/block-file.js'
import { OUT } from './data.mjs'

function start(name, snapshot, pool, { format, gzip = false }) {
  const plan = makePlan({ snapshot, exportName: name, parameters: defaultParameters(), formulaGuard: true, format })
  return runExport({ plan, snapshot, pool, signal: new AbortController().signal, gzip })
}

/** Runs an export to a file on disk, and its gzip version to another when asked. Returns what there is to say of it. */
export async function toFile(name, snapshot, pool, { format = 'csv', gzip = false } = {}) {
  const plain = await createBlockFile(join(OUT, `ours.${format}`), 'w')
  const compressed = gzip ? await createBlockFile(join(OUT, 'ours.csv.gz'), 'w') : null
  const run = start(name, snapshot, pool, { format, gzip })
  let next = await run.next()
  for (; !next.done; next = await run.next()) {
    await plain.write(next.value.bytes)
    await compressed?.write(next.value.gzip)
  }
  await plain.finish()
  await compressed?.finish()
  return next.value
}

/** Computes an export and drops it. */
export async function toNowhere(name, snapshot, pool) {
  for await (const _block of start(name, snapshot, pool, { format: 'csv' }));
}
