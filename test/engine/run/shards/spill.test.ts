import { createHash } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { makePlan } from '../../../../engine/exports/make-plan.ts'
import { defaultParameters } from '../../../../engine/model/parameters.ts'
import type { Snapshot } from '../../../../engine/model/study.ts'
import { inlinePool } from '../../../../engine/run/inline-pool.ts'
import { createPool } from '../../../../engine/run/pool/pool.ts'
import { type RunOptions, runExport } from '../../../../engine/run/run-export.ts'
import { createBlocks } from '../../../../engine/run/shards/blocks.ts'
import { closeSpill, heldBytes, openSpill, type Spilled } from '../../../../engine/run/shards/spill.ts'
import { openStudies } from '../../../../engine/snapshot/snapshots.ts'
import { samplesOf, smallBundle, uuid, writeBundle } from '../../import/bundles.ts'
import { kept, keptFixture } from '../../kept.ts'

/** Rows of 10 KB, 60 MB of them in one shard. */
const SAMPLES = 6000
const FACT = 'f'.repeat(10_000)
const fixture = await keptFixture()
const bundle = smallBundle()
bundle.samples = samplesOf(uuid('c', 1), SAMPLES)
const directory = await writeBundle(fixture.bundleDir(), bundle)
const people = bundle.participants.map(({ participant_id }) => `${participant_id},${FACT}\n`)
await writeFile(join(directory, 'participants.csv'), `participant_id,external_data_fact\n${people.join('')}`)
await fixture.importDir(directory)
const snapshot = (await openStudies(fixture.dataDir).current(bundle.study.id)) as Snapshot
/** Without a block for anything, so that all that is finished is kept by its thread. */
const pool = kept(createPool({ threads: 1, blocks: createBlocks(0) }))

async function run(options: Pick<RunOptions, 'pool' | 'gzip'> & { maxBytes?: number }) {
  const plan = makePlan({ snapshot, exportName: 'gazes-split', parameters: defaultParameters(), formulaGuard: true })
  const [plain, zipped] = [createHash('sha256'), [] as Uint8Array[]]
  let bytes = 0
  for await (const block of runExport({ plan, snapshot, signal: new AbortController().signal, ...options })) {
    plain.update(block.bytes)
    bytes += block.bytes.length
    zipped.push(block.gzip.slice())
  }
  const unzipped = options.gzip
    ? createHash('sha256')
        .update(gunzipSync(Buffer.concat(zipped)))
        .digest('hex')
    : null
  return { bytes, plain: plain.digest('hex'), unzipped }
}

test('a shard of long rows is the same from memory, from disk, here and in a thread, and leaves no file', async () => {
  const [here, inThread] = [await run({ pool: inlinePool(), gzip: true }), await run({ pool, gzip: true })]
  expect(here.bytes).toBeGreaterThan(SAMPLES * FACT.length)
  expect(inThread).toEqual(here)
  expect(here.unzipped).toBe(here.plain)
  expect(await run({ pool, gzip: false })).toEqual({ ...here, unzipped: null })
  const files = await readdir(fixture.dataDir, { recursive: true })
  expect(files.filter((name) => name.includes('shard'))).toEqual([])
})

test('a shard that outgrows what a client waits for fails before it is whole', async () => {
  await expect(run({ pool, gzip: false, maxBytes: 5 << 20 })).rejects.toMatchObject({ code: 'too_large' })
})

test('bytes beyond some MiB go to a file that no directory names', async () => {
  const spill = openSpill(join(fixture.dataDir, 'studies'))
  const block = (n: number) => new Uint8Array(1 << 20).fill(n)
  const kept = Array.from({ length: 50 }, (_, n) => spill.keep(block(n)))
  const inMemory = kept.filter((held) => held instanceof Uint8Array)
  expect(inMemory).toHaveLength(40)
  for (const [n, held] of kept.entries()) expect(heldBytes(held)[7]).toBe(n)
  expect((kept[49] as Spilled).start).toBe(9 << 20)
  expect(await readdir(join(fixture.dataDir, 'studies'))).not.toContainEqual(expect.stringContaining('shard'))
  closeSpill(spill.file())
})
