import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { publishFile } from '../../../engine/jobs/end-job.ts'
import { interestedIn } from '../../../engine/jobs/interest.ts'
import { type Jobs, openJobs } from '../../../engine/jobs/open-jobs.ts'
import { newPartFiles } from '../../../engine/jobs/record/job-paths.ts'
import type { JobEnd, StoredFile } from '../../../engine/jobs/record/state.ts'
import type { JobRequest } from '../../../engine/jobs/request-job.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import type { Plan } from '../../../engine/model/plan.ts'
import { sumBlocks } from '../../../engine/storage/files/block-sums.ts'

export const STUDY = '0b6f1c4e-2f5f-4f8e-9a51-1d1c5a0d7f10'
export const T0 = new Date('2026-01-01T00:00:00.000Z')
export const later = (ms: number) => new Date(T0.getTime() + ms)

export const planOf = (snapshotId = 'a'.repeat(64), studyId = STUDY): Plan => ({
  export: 'fixations',
  studyId,
  snapshotId,
  parameters: { itemId: null },
  version: '0.1.0',
  formulaGuard: true,
})
export const asked = (tokenId = 'anna', now = T0): JobRequest => ({
  tokenId,
  parameters: defaultParameters(),
  samplesTotal: 12,
  fileName: 'study-fixations.csv',
  now,
})

function stored(text: string): StoredFile {
  const bytes = Buffer.from(text)
  const sums = sumBlocks()
  sums.add(bytes)
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), sums: sums.end() }
}

const PLAIN = 'a,b\n'
const GZIPPED = 'gzip!'
export const succeeded: JobEnd = {
  state: 'succeeded',
  startedAt: T0.toISOString(),
  finishedAt: later(1000).toISOString(),
  expiresAt: later(3_600_000).toISOString(),
  file: { rows: 1, samples: 12, plain: stored(PLAIN), gzip: stored(GZIPPED) },
  error: null,
}
export const failed: JobEnd = {
  state: 'failed',
  startedAt: T0.toISOString(),
  finishedAt: later(1000).toISOString(),
  expiresAt: null,
  file: null,
  error: { code: 'corrupt', message: 'A shard has other rows than its manifest says' },
}

/** A data directory of its own, and what tests often do with its jobs. */
export type JobFixture = {
  dataDir: string
  jobs: Jobs
  /** Publishes an attempt's file. */
  finish: (id: string, attempt?: number) => Promise<boolean>
  /** Returns the tokens with an interest in the current attempt, sorted. */
  interested: (id: string) => Promise<string[]>
  /** Lists a job's directory, sorted. */
  names: (id: string) => Promise<string[]>
  path: (id: string, ...names: string[]) => string
  remove: () => Promise<void>
}

/** Opens a fixture for each test of a file, in the same objects, and removes it after the test. */
export function jobFixtureForEach(): JobFixture {
  const fixture = { jobs: {} } as JobFixture
  beforeEach(async () => {
    Object.assign(fixture, await openJobFixture(fixture.jobs))
  })
  afterEach(() => fixture.remove())
  return fixture
}

export async function openJobFixture(into = {} as Jobs): Promise<JobFixture> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gazette-jobs-'))
  const jobs = Object.assign(into, openJobs(dataDir))
  return {
    dataDir,
    jobs,
    finish: async (id, attempt = 1) => {
      const parts = newPartFiles(id, attempt)
      await writeFile(join(dataDir, parts.plain), PLAIN)
      await writeFile(join(dataDir, parts.gzip), GZIPPED)
      return publishFile(jobs, { id, attempt }, parts, succeeded)
    },
    interested: async (id) => (await interestedIn(jobs, (await jobs.read(id))!)).sort(),
    names: async (id) => (await readdir(join(dataDir, 'exports', id))).sort(),
    path: (id, ...names) => join(dataDir, 'exports', id, ...names),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  }
}

/** Turns one bit of a file. */
export async function flip(path: string, at: number): Promise<void> {
  const bytes = await readFile(path)
  bytes[at] ^= 1 << (at % 8)
  await writeFile(path, bytes)
}
