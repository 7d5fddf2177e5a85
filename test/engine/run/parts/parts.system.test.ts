import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePlan } from '../../../../engine/exports/make-plan.ts'
import { EXPORT_NAMES, type ExportName } from '../../../../engine/model/export-names.ts'
import { FORMAT_NAMES, type FormatName } from '../../../../engine/model/format-names.ts'
import { defaultParameters, type Parameters } from '../../../../engine/model/parameters.ts'
import type { Plan } from '../../../../engine/model/plan.ts'
import type { Snapshot } from '../../../../engine/model/study.ts'
import { VERSION } from '../../../../engine/model/version.ts'
import { selectPlanned } from '../../../../engine/run/estimate.ts'
import { checkParts, openPart, type Part, type PartFile } from '../../../../engine/run/parts/part-file.ts'
import { fromParts, runPart } from '../../../../engine/run/parts/run-part.ts'
import { createPool, type EnginePool } from '../../../../engine/run/pool/pool.ts'
import { runExport } from '../../../../engine/run/run-export.ts'
import { cutShards } from '../../../../engine/run/shards/shards.ts'
import { importDemo, newDataDir, ran } from '../../studies.ts'

let dataDir: string
let snapshot: Snapshot
let pool: EnginePool
const signal = new AbortController().signal
/** A stream takes longer blocks one by one, and only shorter ones together. */
const HELD_BYTES_MAX = 2 ** 16

beforeAll(async () => {
  dataDir = await newDataDir()
  snapshot = await importDemo(dataDir, { participants: 20, items: 6, seconds: 40, hz: 120, seed: 3 })
  pool = createPool({ threads: 2 })
})
afterAll(async () => {
  await pool.close()
  await rm(dataDir, { recursive: true, force: true })
})

function planOf(exportName: ExportName, format: FormatName = 'csv', parameters: Partial<Parameters> = {}): Plan {
  const all = { ...defaultParameters(), ...parameters }
  return makePlan({ snapshot, exportName, parameters: all, formulaGuard: true, format })
}

async function writePart(plan: Plan, part: Part, gzip = false): Promise<string> {
  const path = join(dataDir, `${plan.export}-${part.number}-of-${part.of}.part`)
  const bytes: Uint8Array[] = []
  for await (const block of runPart({ plan, snapshot, pool, signal, gzip }, part)) bytes.push(block.bytes.slice())
  await writeFile(path, Buffer.concat(bytes))
  return path
}

async function composed(plan: Plan, of: number, gzip = false): Promise<{ csv: Buffer; gzip: Buffer }> {
  const parts: PartFile[] = []
  // In any order.
  for (let number = of; number >= 1; number--) parts.push(await openPart(await writePart(plan, { number, of }, gzip)))
  checkParts(parts, VERSION)
  return ran({ plan, signal, gzip, ...fromParts(parts, { pool, snapshot }) })
}

async function shardsOf(plan: Plan): Promise<number[]> {
  return [...cutShards(await selectPlanned(plan, snapshot))].map(({ first }) => first)
}

test('the study of these tests has several shards', async () => {
  expect((await shardsOf(planOf('fixations'))).length).toBeGreaterThan(2)
})

const others = FORMAT_NAMES.filter((format) => format !== 'csv')

test.each([
  ...EXPORT_NAMES.map((name) => [name, 'csv', 7] as const),
  ...others.map((format) => ['fixations', format, 2] as const),
  ...others.map((format) => ['aoi-overall-stats', format, 7] as const),
])('%s as %s and its gzip version are the same of %i parts as of none', async (name, format, of) => {
  const plan = planOf(name, format)
  const whole = await ran({ plan, snapshot, pool, signal, gzip: true })
  const made = await composed(plan, of, true)
  expect([made.csv.equals(whole.csv), made.gzip.equals(whole.gzip)]).toEqual([true, true])
})

test.each([false, true])('memory of shards that were read is used again, after a stop too (gzip: %s)', async (gzip) => {
  const plan = planOf('gazes-split')
  const whole = await ran({ plan, snapshot, pool, signal, gzip })
  const paths = [await writePart(plan, { number: 1, of: 2 }, gzip), await writePart(plan, { number: 2, of: 2 }, gzip)]
  const open = () => Promise.all(paths.map((path) => openPart(path)))
  for (const blocks of [1, 40]) {
    const stopped = runExport({ plan, signal, gzip, ...fromParts(await open(), { pool, snapshot }) })
    for (let b = 0; b < blocks; b++) await stopped.next()
    await stopped.return({ samplesDone: 0, samplesTotal: 0, rows: 0, bytes: 0 })
  }
  const made = await ran({ plan, signal, gzip, ...fromParts(await open(), { pool, snapshot }) })
  expect([made.csv.equals(whole.csv), made.gzip.equals(whole.gzip)]).toEqual([true, true])
})

test('short blocks keep their bytes while others are written, as a stream that holds them needs', async () => {
  const blocksOf = async function* (name: ExportName, of: number) {
    const plan = planOf(name)
    const parts: PartFile[] = []
    for (let number = 1; number <= of; number++) parts.push(await openPart(await writePart(plan, { number, of })))
    for await (const { bytes } of runExport({ plan, signal, gzip: false, ...fromParts(parts, { pool, snapshot }) }))
      yield bytes
  }
  const held: Uint8Array[] = []
  for await (const bytes of blocksOf('saccades', 7))
    held.push(bytes.length > HELD_BYTES_MAX ? Uint8Array.from(bytes) : bytes)
  // The header, and a block in the middle.
  expect(held.filter(({ length }) => length > 0 && length <= HELD_BYTES_MAX).length).toBeGreaterThan(1)
  for await (const bytes of blocksOf('gazes-split', 2)) expect(bytes.length).toBeGreaterThan(0)
  const whole = (await ran({ plan: planOf('saccades'), snapshot, pool, signal, gzip: false })).csv
  expect(Buffer.concat(held).equals(whole)).toBe(true)
})

test('a part states its range of the file', async () => {
  const plan = planOf('fixations')
  const { csv, progress } = await ran({ plan, snapshot, pool, signal, gzip: false })
  const parts = await Promise.all(
    [1, 2].map(async (number) => openPart(await writePart(plan, { number, of: 2 }, true))),
  )
  const sum = (name: 'samples' | 'rows' | 'bytes') => parts.reduce((total, part) => total + part[name], 0)
  const header = csv.indexOf('\n') + 1
  expect([sum('samples'), sum('rows'), sum('bytes')]).toEqual([
    progress.samplesDone,
    progress.rows,
    csv.length - header,
  ])
})

test('notes stand in the first row also where the first shard has no row', async () => {
  const before = snapshot
  const { aois, items } = snapshot.study
  snapshot = { ...before, study: { ...before.study, aois: aois.filter(({ itemId }) => itemId === items.at(-1)!.id) } }
  const plan = planOf('aoi-fixations-stats')
  const whole = (await ran({ plan, snapshot, pool, signal, gzip: false })).csv
  const first = await openPart(await writePart(plan, { number: 1, of: 7 }))
  expect((await first.read(0)).rows).toBe(0)
  expect(whole.toString().split('\n')[1]).toContain('Gazette v')
  expect((await composed(plan, 7)).csv.equals(whole)).toBe(true)
  snapshot = before
})

test('parts that are missing, there twice, or of other exports are refused by name', async () => {
  const plan = planOf('fixations')
  const open = async (of: Plan, part: Part) => openPart(await writePart(of, part))
  const [one, two] = [await open(plan, { number: 1, of: 3 }), await open(plan, { number: 2, of: 3 })]
  const other = await open(planOf('mouse'), { number: 3, of: 3 })
  const ofFour = await open(plan, { number: 3, of: 4 })
  expect(() => checkParts([one, two], VERSION)).toThrow('of 3 parts, 3 is missing')
  expect(() => checkParts([one, two, two], VERSION)).toThrow('-2-of-3.part is given twice')
  expect(() => checkParts([one, two, other], VERSION)).toThrow(
    'of different exports: export is "mouse" and "fixations"',
  )
  expect(() => checkParts([one, two, ofFour], VERSION)).toThrow('one of 4 parts')
  expect(() => checkParts([one], '0.0.1')).toThrow('composed only by the version that made them')
})

test('a part that was cut short, or of which any byte has turned, is refused', async () => {
  const plan = planOf('aoi-overall-stats')
  const path = await writePart(plan, { number: 1, of: 1 })
  const bytes = await readFile(path)
  await writeFile(path, bytes.subarray(0, bytes.length - 5))
  await expect(openPart(path)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('not a whole part'),
  })
  await writeFile(path, '')
  await expect(openPart(path)).rejects.toMatchObject({ code: 'usage' })
  const whole = planOf('fixations')
  const other = await readFile(await writePart(whole, { number: 1, of: 1 }))
  for (const at of [
    0,
    Math.floor(other.length / 2),
    other.length - 60,
    other.length - 30,
    other.length - 10,
    other.length - 1,
  ]) {
    const damaged = Buffer.from(other)
    damaged[at] ^= 1
    await writeFile(path, damaged)
    const read = async () => {
      const part = await openPart(path)
      checkParts([part], VERSION)
      await ran({ plan: whole, signal, gzip: false, ...fromParts([part], { pool, snapshot }) })
    }
    await expect(read(), `byte ${at}`).rejects.toMatchObject({
      message: expect.stringMatching(/damaged|not a whole part/),
    })
  }
})
