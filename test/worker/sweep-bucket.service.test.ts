import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { openHome } from '../../engine/study/bucket/open-home.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { startSweep } from '../../worker/sweep.ts'
import { until } from './back-ends.ts'

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
  const home = await openHome({ dataDir, storeUrl: pathToFileURL(bucket).href, storeCacheGib: 1 })
  const config = { dataDir, exportsMaxGib: 1, uploadTtlHours: 1 }
  const sweep = startSweep({ ...home, queue, config, log })
  try {
    await until(async () => !(await readdir(incoming)).includes('old.tmp'))
    expect(await readdir(incoming)).toContain('new.tmp')
  } finally {
    await sweep.close()
    await home.close()
    await rm(directory, { recursive: true, force: true })
  }
})
