import { copyFile, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { EXPORTS, findExport } from '../../../engine/exports/registry.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import type { Snapshot } from '../../../engine/model/study.ts'
import { estimatePlan, selectPlanned } from '../../../engine/run/estimate.ts'
import { runExport } from '../../../engine/run/run-export.ts'
import { cutShards } from '../../../engine/run/shards/shards.ts'
import { keptDirectory, keptPool } from '../kept.ts'
import { exported, importDemo, importGolden, newDataDir } from '../studies.ts'

const dataDir = await keptDirectory()
// About 350,000 samples: several shards.
const snapshot = await importDemo(dataDir, { participants: 25, items: 6, seconds: 40, hz: 60, seed: 7 })
const small = await importDemo(dataDir, { participants: 5, items: 3, seconds: 6, hz: 60, seed: 9 })
const one = keptPool()
const three = keptPool(3)

test('the study of these tests has several shards', async () => {
  const plan = makePlan({ snapshot, exportName: 'fixations', parameters: defaultParameters(), formulaGuard: true })
  expect([...cutShards(await selectPlanned(plan, snapshot))].length).toBeGreaterThan(2)
})

describe.each(EXPORTS.map(({ name }) => name))('%s', (name) => {
  let plain: Awaited<ReturnType<typeof exported>>
  beforeAll(async () => {
    plain = await exported(one, snapshot, name)
  })
  test('is the same with one thread, three, and any look-ahead, and its gzip version unzips to it', async () => {
    for (const lookAhead of name.startsWith('gazes') ? [1, 7] : [7]) {
      const gzip = lookAhead > 1
      const other = await exported(three, snapshot, name, {}, { lookAhead, gzip })
      expect(other.csv.equals(plain.csv)).toBe(true)
      expect(other.progress).toEqual(plain.progress)
      if (gzip) expect(gunzipSync(other.gzip).equals(plain.csv)).toBe(true)
    }
  })
  test('counts its rows and bytes, and no estimate is below them, no lower bound above', async () => {
    const plan = makePlan({ snapshot, exportName: name, parameters: defaultParameters(), formulaGuard: true })
    const { csv, progress } = plain
    expect(progress.bytes).toBe(csv.length)
    expect(progress.samplesDone).toBe(progress.samplesTotal)
    expect(findExport(name)!.leastRows?.({ samples: progress.samplesTotal }) ?? 0).toBeLessThanOrEqual(progress.rows)
    expect((await estimatePlan(plan, snapshot)).bytes).toBeGreaterThanOrEqual(csv.length)
  })
  // The wide table has one row for a participant, whichever the items, and K is standardised over all tests of a file.
  if (name === 'participants-wide' || name === 'scanpaths') return
  test('of each item by itself, one after the other, is the export of all', async () => {
    const all = (await exported(three, small, name)).csv.toString()
    const rows: string[] = []
    for (const { id } of small.study.items) {
      const csv = (await exported(three, small, name, { itemId: id })).csv.toString()
      rows.push(csv.slice(csv.indexOf('\n') + 1))
    }
    const withoutNotes = (text: string) =>
      text.replaceAll(/Gazette v[^\n,"]*?participantQualityGradeItemMin = 1(; denominator = screen)?( \| )?/g, '')
    expect(withoutNotes(rows.join(''))).toBe(withoutNotes(all.slice(all.indexOf('\n') + 1)))
  })
})

test('blocks hold what they did until the next is asked for, also when runs beside them stop early, or wait', async () => {
  const plain = new Map<ExportName, Buffer>()
  for (const name of ['gazes-split', 'mouse'] as const) plain.set(name, (await exported(one, snapshot, name)).csv)
  const consume = async (name: ExportName, waitEvery: number, blocksMax = Number.POSITIVE_INFINITY) => {
    const plan = makePlan({ snapshot, exportName: name, parameters: defaultParameters(), formulaGuard: true })
    const run = runExport({ plan, snapshot, pool: three, signal: new AbortController().signal, gzip: false })
    const read: Buffer[] = []
    for await (const { bytes } of run) {
      if (read.length % waitEvery === 0) await setTimeout(5)
      read.push(Buffer.from(bytes))
      if (read.length === blocksMax) break
    }
    const all = Buffer.concat(read)
    expect(all.equals(plain.get(name)!.subarray(0, all.length)), name).toBe(true)
    return all.length === plain.get(name)!.length
  }
  const stopped = [1, 2, 30, 70].map((blocksMax) => consume('gazes-split', 7, blocksMax))
  const whole = [consume('gazes-split', 3), consume('mouse', 5), consume('gazes-split', 1000)]
  expect(await Promise.all([...stopped, ...whole])).toEqual([false, false, false, false, true, true, true])
  expect(await consume('gazes-split', 1000)).toBe(true)
})

test('progress only grows, and ends at all samples', async () => {
  const seen: number[] = []
  const { progress } = await exported(
    three,
    snapshot,
    'gazes-split',
    {},
    { onProgress: ({ samplesDone }) => seen.push(samplesDone) },
  )
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
  expect(seen.at(-1)).toBe(progress.samplesTotal)
})

test('an abort ends the run as canceled, and the pool goes on', async () => {
  const plan = makePlan({ snapshot, exportName: 'gazes-split', parameters: defaultParameters(), formulaGuard: true })
  const stop = new AbortController()
  const run = async () => {
    for await (const _block of runExport({ plan, snapshot, pool: three, signal: stop.signal, gzip: false }))
      stop.abort()
  }
  await expect(run()).rejects.toMatchObject({ code: 'canceled' })
  expect(three.load()).toEqual({ running: 0, waiting: 0 })
  expect((await exported(three, snapshot, 'keyboard-mouse-overall')).progress.rows).toBe(snapshot.manifest.counts.tests)
})

test('a reader that stops cancels the work', async () => {
  const plan = makePlan({ snapshot, exportName: 'gazes-raw', parameters: defaultParameters(), formulaGuard: true })
  for await (const _block of runExport({
    plan,
    snapshot,
    pool: three,
    signal: new AbortController().signal,
    gzip: true,
  }))
    break
  expect(three.load()).toEqual({ running: 0, waiting: 0 })
})

describe('a damaged snapshot', () => {
  let damagedDir: string
  let damaged: Snapshot
  let file: string
  let whole: Buffer
  beforeAll(async () => {
    damagedDir = await newDataDir()
    damaged = await importDemo(damagedDir, { participants: 12, items: 2, seconds: 5, hz: 30, seed: 3 })
    file = join(damaged.directory, damaged.manifest.sampleFiles[0].name)
    whole = await readFile(file)
  })
  afterAll(() => rm(damagedDir, { recursive: true, force: true }))

  const attempt = async (changed: Snapshot = damaged) => (await exported(one, changed, 'fixations')).progress

  test.each([
    ['cut short', (at: string) => truncate(at, Math.floor(whole.length / 2))],
    ['empty', (at: string) => truncate(at, 0)],
    [
      'broken where it begins',
      (at: string) => writeFile(at, Buffer.concat([whole.subarray(0, 4), Buffer.alloc(60, 255), whole.subarray(64)])),
    ],
    ['gone', (at: string) => rm(at)],
  ])('whose sample file is %s fails as corrupt, and gives no file', async (_how, damage) => {
    await damage(file)
    try {
      await expect(attempt()).rejects.toMatchObject({ code: 'corrupt' })
    } finally {
      await writeFile(file, whole)
    }
  })
  test('whose manifest promises another number of rows fails as corrupt', async () => {
    for (const wrong of [1, -1]) {
      const [first, ...rest] = damaged.manifest.sampleFiles
      const manifest = { ...damaged.manifest, sampleFiles: [{ ...first, rowCount: first.rowCount + wrong }, ...rest] }
      await expect(attempt({ ...damaged, manifest })).rejects.toMatchObject({ code: 'corrupt' })
    }
  })
  test('whose manifest knows no file of a test fails as corrupt', async () => {
    const manifest = { ...damaged.manifest, sampleFiles: [] }
    await expect(attempt({ ...damaged, manifest })).rejects.toMatchObject({ code: 'corrupt' })
  })
  test('tells nobody paths or SQL', async () => {
    await copyFile(file, `${file}.kept`)
    await writeFile(file, 'not Parquet at all')
    try {
      await attempt().then(
        () => expect.unreachable(),
        (error: Error) => expect(error.message).not.toMatch(/\/|SELECT|parquet\(/i),
      )
    } finally {
      await copyFile(`${file}.kept`, file)
      await rm(`${file}.kept`)
    }
    expect((await attempt()).rows).toBeGreaterThan(0)
  })
})

test('the first row has the notes, wherever it comes from, and no other row has', async () => {
  const goldenDir = await newDataDir()
  try {
    const golden = await importGolden(goldenDir)
    for (const { name } of EXPORTS) {
      const text = (await exported(one, golden, name)).csv.toString()
      // The golden study has neither eyes nor events.
      const hasRows = text.trimEnd().includes('\n')
      expect(text.split('Gazette v').length, name).toBe(hasRows ? 2 : 1)
    }
  } finally {
    await rm(goldenDir, { recursive: true, force: true })
  }
})
