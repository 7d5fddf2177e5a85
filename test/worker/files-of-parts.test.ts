import { createHash } from 'node:crypto'
import { readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { tableFromIPC } from 'apache-arrow'
import { parquetReadObjects } from 'hyparquet'
import { afterEach, expect, it } from 'vitest'
import { checkJobs } from '../../engine/jobs/check-jobs.ts'
import { expireJob } from '../../engine/jobs/expire-job.ts'
import { type Jobs, openJobs } from '../../engine/jobs/open-jobs.ts'
import { openPublished } from '../../engine/jobs/published-file.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { filesOfPart } from '../../engine/jobs/record/job-files.ts'
import type { FinishedPart } from '../../engine/jobs/record/state.ts'
import { requestJob } from '../../engine/jobs/request-job.ts'
import { tidyJobs } from '../../engine/jobs/tidy-jobs.ts'
import type { ExportName } from '../../engine/model/export-names.ts'
import type { FormatName } from '../../engine/model/format-names.ts'
import { sliceTests } from '../../engine/snapshot/selection.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { runJob } from '../../worker/exports/run-job.ts'
import { blocksOf } from '../../worker/tries/blocks-of.ts'
import type { JobContext } from '../../worker/tries/job-context.ts'
import { keptDirectory, keptPool } from '../engine/kept.ts'
import { ran } from '../engine/studies.ts'
import { asked, importStudy, planOf } from './study.ts'

/** Tests, each with a file of samples of its own: as many parts. */
const PARTS = 3
const SAMPLES = 70_000
const silent = () => undefined
const queue: JobContext['queue'] = { addParts: async () => {}, noteParts: async () => {}, wake: async () => {} }
const { signal } = new AbortController()
const dataDir = await keptDirectory()
const pool = keptPool()
await importStudy(dataDir, PARTS, SAMPLES)
afterEach(() => rm(join(dataDir, 'exports'), { recursive: true, force: true }))

const names = async (id: string) => (await readdir(join(dataDir, 'exports', id))).sort()

/** Requests an export in parts. Returns its job, and a function that runs a try at a part, or at the whole for null. */
async function begin(exportName: ExportName, format: FormatName = 'csv', more: Partial<JobContext> = {}) {
  const jobs = openJobs(dataDir)
  const plan = { ...(await planOf(dataDir, exportName)), ...(format === 'csv' ? {} : { format }) }
  const job = await requestJob(jobs, { ...plan, parts: PARTS }, { ...asked(), fileName: `a.${format}` })
  const context = {
    ...{ jobs, pool, queue, studies: openStudies(dataDir), splitSamples: 1e6, deathsMax: 20, ttlMs: 60_000 },
    log: { debug: silent, info: silent, warn: silent, error: silent },
    ...more,
  }
  const attempt = (number: number | null, changed: Partial<JobContext> = {}) => {
    const part = number === null ? undefined : { number, of: PARTS }
    const tried = { jobId: job.id, attempt: job.attempt, part, startedAt: undefined, stalls: 0 }
    return runJob(tried, { ...context, ...changed }, signal, silent)
  }
  return { jobs, job, plan, attempt }
}

/** Makes all parts, in any order, and publishes them. */
async function finish({ jobs, job, attempt }: Awaited<ReturnType<typeof begin>>): Promise<FinishedPart[]> {
  for (const number of [3, 1, 2]) expect(await attempt(number)).toBe('part made')
  expect(await attempt(null)).toBe('succeeded')
  return (await jobs.read(job.id))!.end!.parts!
}

async function bytesOf(jobs: Jobs, id: string, part: FinishedPart): Promise<Buffer[]> {
  const job = (await jobs.read(id)) as Job
  return Promise.all(filesOfPart(job, part).map(({ path }) => readFile(join(dataDir, path))))
}

/** The file of the same plan in one piece. */
async function whole(plan: Awaited<ReturnType<typeof planOf>>): Promise<Buffer> {
  const snapshot = await openStudies(dataDir).load(plan.studyId, plan.snapshotId)
  return Buffer.from((await ran({ plan, snapshot, pool, signal, gzip: false })).csv)
}

it('parts in CSV have a header each, and their rows, one after the other, are those of the one file', async () => {
  for (const exportName of ['fixations', 'quality-stats'] as const) {
    const begun = await begin(exportName)
    const parts = await finish(begun)
    const texts: string[] = []
    for (const part of parts) {
      const [plain, gzip] = await bytesOf(begun.jobs, begun.job.id, part)
      expect(createHash('sha256').update(plain).digest('hex')).toBe(part.plain.sha256)
      expect(createHash('sha256').update(gzip).digest('hex')).toBe(part.gzip?.sha256)
      expect(gunzipSync(gzip).equals(plain)).toBe(true)
      texts.push(plain.toString())
    }
    const [header] = texts[0].split('\n')
    const rows = texts.map((text) => {
      expect(text.startsWith(`${header}\n`)).toBe(true)
      return text.slice(header.length + 1)
    })
    expect([`${header}\n`, ...rows].join('') === (await whole(begun.plan)).toString()).toBe(true)
    expect(parts.map((part) => part.rows)).toEqual(rows.map((text) => text.split('\n').length - 1))
  }
})

it('parts name their tests, from the first to the last, and their samples', async () => {
  const parts = await finish(await begin('fixations'))
  const test = (i: number) => ({
    itemId: '1c000000-0000-4000-8000-000000000001',
    participantId: `2c000000-0000-4000-8000-00000000000${i}`,
  })
  expect(parts.map(({ tests, samples }) => ({ ...tests, samples }))).toEqual([
    { count: 1, first: test(0), last: test(0), samples: SAMPLES },
    { count: 1, first: test(1), last: test(1), samples: SAMPLES },
    { count: 1, first: test(2), last: test(2), samples: SAMPLES },
  ])
})

it('once all are published, the folder of the job has them and nothing that marked them', async () => {
  const begun = await begin('fixations')
  const parts = await finish(begun)
  const files = parts.flatMap(({ name }) => [`${name}.csv`, `${name}.csv.gz`])
  expect(await names(begun.job.id)).toEqual([...files, '1.end.json', '1.tries', 'by', 'plan.json'].sort())
})

const printed = (rows: unknown) => JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))

it('parts in Parquet, Arrow and NDJSON have the rows of the one file', async () => {
  const rowsOf = {
    parquet: async (bytes: Buffer) => parquetReadObjects({ file: new Uint8Array(bytes).buffer }),
    arrow: async (bytes: Buffer) =>
      tableFromIPC(bytes)
        .toArray()
        .map((row) => ({ ...row })),
    ndjson: async (bytes: Buffer) =>
      bytes
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  }
  for (const format of ['parquet', 'arrow', 'ndjson'] as const) {
    const begun = await begin('fixations', format)
    const parts = await finish(begun)
    const rows: unknown[] = []
    for (const part of parts) {
      const [plain] = await bytesOf(begun.jobs, begun.job.id, part)
      rows.push(...(await rowsOf[format](plain)))
    }
    expect(printed(rows)).toBe(printed(await rowsOf[format](await whole(begun.plan))))
    expect(parts.map(({ gzip }) => gzip === null)).toEqual(Array(PARTS).fill(format === 'parquet'))
  }
})

it('the first part with rows gets the notes, if all before it have none', async () => {
  const begun = await begin('fixations')
  const parts = await finish({
    ...begun,
    attempt: (number) =>
      begun.attempt(number, {
        // The tests of the first part have no rows.
        blocksOf: (plan, options) => {
          const { selection, hasNotes } = options.only!
          const isFirst = selection.testRows[0] === 0
          const only = { selection: isFirst ? sliceTests(selection, 0, 0) : selection, hasNotes }
          return blocksOf(plan, { ...options, only })
        },
      }),
  })
  const texts = await Promise.all(
    parts.map(async (part) => (await bytesOf(begun.jobs, begun.job.id, part))[0].toString()),
  )
  expect(texts.map((text) => text.split('\n').length - 2)).toEqual([0, expect.any(Number), expect.any(Number)])
  expect(texts.map((text) => text.includes('movingMedianRangeMs'))).toEqual([false, true, false])
  expect((await names(begun.job.id)).filter((name) => name.endsWith('.csv'))).toHaveLength(PARTS)
})

it('a part that is shorter than what was written is found before the job ends, and made again', async () => {
  const begun = await begin('fixations')
  const { job, attempt } = begun
  for (const number of [1, 2, 3]) await attempt(number)
  const [file] = (await names(job.id)).filter((name) => name.endsWith('.csv.gz'))
  await truncate(join(dataDir, 'exports', job.id, file), 100)
  expect(await attempt(null)).toBe('part damaged')
  expect(await attempt(null)).toBe('waits for parts')
  const parts = await finish(begun)
  expect(parts).toHaveLength(PARTS)
})

it('a damaged part is not handed out: the job expires, and the next request computes it anew', async () => {
  const begun = await begin('fixations')
  const { jobs } = begun
  const parts = await finish(begun)
  const job = (await jobs.read(begun.job.id)) as Job
  const [file] = filesOfPart(job, parts[1])
  const found: string[] = []
  const path = join(dataDir, file.path)
  const bytes = await readFile(path)
  bytes[10] ^= 1
  await writeFile(path, bytes)
  await checkJobs(jobs, async ({ sentence }) => void found.push(sentence))
  expect(found).toEqual([`Job ${job.id}: ${parts[1].name}.csv is not what was written.`])
  expect(await openPublished(jobs, job, file)).toBeNull()
  const expired = (await jobs.read(job.id)) as Job
  expect(expired.end).toMatchObject({ state: 'expired', error: { code: 'corrupt' } })
  expect(expired.end?.parts?.map(({ tests }) => tests)).toEqual(
    Array(PARTS).fill({ count: 1, first: null, last: null }),
  )
  expect((await names(job.id)).filter((name) => /\.csv/.test(name))).toEqual([])
  expect(await requestJob(jobs, job.plan, asked())).toMatchObject({ attempt: 2, end: null })
})

it('a part that is made twice, or left by a dead worker, leaves only one, and what has expired nothing', async () => {
  const begun = await begin('fixations')
  const { jobs, job, attempt } = begun
  let fail = () => {}
  const failing = new Promise<never>((_, reject) => {
    fail = () => reject(new Error('this worker was dead'))
  })
  const dies: JobContext['blocksOf'] = async function* (...given) {
    yield* blocksOf(...given)
    return failing
  }
  // It stops in mid-work, as a killed worker does, whose files stay.
  const dead = attempt(2, { blocksOf: dies })
  await expect.poll(async () => (await names(job.id)).filter((name) => name.endsWith('.part')).length).toBe(2)
  await Promise.all([attempt(1), attempt(1)])
  expect((await names(job.id)).filter((name) => /\.csv$/.test(name))).toHaveLength(1)
  await finish(begun)
  // A part once more, when all is over.
  expect(await attempt(2)).toBe('superseded')
  const tidied = async () => {
    // What the dead worker had written last may reach the disk only now.
    for (const name of await names(job.id)) await utimes(join(dataDir, 'exports', job.id, name), 0, 0)
    await tidyJobs(jobs, new Date(), async () => false)
    return names(job.id)
  }
  const isPart = (name: string) => /^1\.[0-9a-f]{12}\.csv(\.gz)?$/.test(name)
  await expect
    .poll(async () => (await tidied()).filter((name) => !isPart(name)))
    .toEqual(['1.end.json', 'by', 'plan.json'])
  expect(await names(job.id)).toHaveLength(2 * PARTS + 3)
  await expireJob(jobs, (await jobs.read(job.id)) as Job, new Date())
  expect(await names(job.id)).toEqual(['1.end.json', 'by', 'plan.json'])
  fail()
  expect(await dead).toBe('superseded')
})
