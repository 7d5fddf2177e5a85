import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { openHome } from '../../engine/study/bucket/open-home.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { startSweep } from '../../worker/sweep.ts'
import { until } from './back-ends.ts'

const STUDY = '0a000000-0000-4000-8000-000000000001'
const silent = () => undefined
const log = { debug: silent, info: silent, warn: silent, error: silent }
const queue = { lookUp: async () => () => null } as unknown as JobQueue

test('a sweep removes what killed processes left in a bucket that is a directory, and nothing younger', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gazette-sweep-'))
  const [dataDir, bucket] = ['data', 'bucket'].map((name) => join(directory, name))
  const incoming = join(bucket, '.incoming')
  await mkdir(incoming, { recursive: true })
  for (const name of ['old.tmp', 'new.tmp']) await writeFile(join(incoming, name), 'half of an object')
  await utimes(join(incoming, 'old.tmp'), 0, 0)
  // Of a process that took a lease over while it was released: no holder leads to it.
  const leases = join(bucket, 'leases/studies')
  await mkdir(leases, { recursive: true })
  const lease = join(leases, `${STUDY}.5d3c0a14-0000-4000-8000-000000000001`)
  await writeFile(lease, 'holder 3 mark')
  await utimes(lease, 0, 0)
  const home = await openHome({ dataDir, storeUrl: pathToFileURL(bucket).href, storeCacheGib: 1 })
  const config = { dataDir, exportsMaxGib: 1, uploadTtlHours: 1 }
  const sweep = startSweep({ ...home, queue, config, log })
  try {
    await until(async () => !(await readdir(incoming)).includes('old.tmp'))
    expect(await readdir(incoming)).toContain('new.tmp')
    await until(async () => (await readdir(leases)).length === 0)
  } finally {
    await sweep.close()
    await home.close()
    await rm(directory, { recursive: true, force: true })
  }
})
