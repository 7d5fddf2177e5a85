import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Job } from '../../engine/jobs/record/job.ts'
import { filePath } from '../../engine/jobs/record/job-paths.ts'
import { requestJob } from '../../engine/jobs/request-job.ts'
import { readConfig } from '../../engine/model/settings.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { directoryHome } from '../../engine/study/home.ts'
import { openQueue } from '../../worker/queue/queue.ts'
import { startWorker } from '../../worker/worker.ts'
import { keptDirectory, keptPool } from '../engine/kept.ts'
import { BACK_ENDS, until } from './back-ends.ts'
import { asked, importStudy, planOf } from './study.ts'

const silent = () => undefined
const log = { debug: silent, info: silent, warn: silent, error: silent }
const dataDir = await keptDirectory()
const pool = keptPool()
await importStudy(dataDir, 3, 200)

describe.each(BACK_ENDS)('the queue on $name', ({ missing, start }) => {
  it.skipIf(missing)('carries a job to a worker, whose file has the bytes of the engine by itself', async () => {
    const backEnd = await start()
    const queue = await openQueue({ queueUrl: backEnd.url, dataDir, onError: silent })
    const home = directoryHome(dataDir)
    const { studies, jobs } = home
    await until(() => queue.ping())
    const config = { ...readConfig({}), dataDir }
    const worker = await startWorker({ ...home, config, queue, pool, log })
    try {
      const plan = await planOf(dataDir, 'fixations')
      const { id, attempt } = await requestJob(jobs, plan, asked())
      await queue.add(id, attempt)
      await until(async () => (await jobs.read(id))?.end != null)
      const job = (await jobs.read(id)) as Job
      expect(job.end).toMatchObject({ state: 'succeeded', error: null })
      const snapshot = await studies.load(plan.studyId, plan.snapshotId)
      const blocks: Uint8Array[] = []
      const signal = new AbortController().signal
      for await (const { bytes } of runExport({ plan, snapshot, pool, signal, gzip: false })) blocks.push(bytes.slice())
      expect((await readFile(join(dataDir, filePath(job, 'plain')))).equals(Buffer.concat(blocks))).toBe(true)
    } finally {
      await worker.close(5000)
      await queue.close()
      await backEnd.stop()
      // The next back end makes the file anew.
      await rm(join(dataDir, 'exports'), { recursive: true, force: true })
    }
  })
})
