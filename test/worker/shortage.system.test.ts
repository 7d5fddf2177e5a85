import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openJobs } from '../../engine/jobs/open-jobs.ts'
import { requestJob } from '../../engine/jobs/request-job.ts'
import { canLimit, limitFiles, limitLeaving } from '../file-limit.ts'
import { BACK_ENDS, type BackEnd, end, says, until } from './back-ends.ts'
import { asked, importStudy, planOf } from './study.ts'

const SCRIPT = fileURLToPath(new URL('process.mjs', import.meta.url))

let dataDir: string
let backEnd: BackEnd | null = null
let child: ChildProcess | null = null
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gazette-shortage-'))
  await importStudy(dataDir, 3, 200)
})
afterEach(async () => {
  if (child) await end(child, 'SIGKILL')
  await backEnd?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

// The embedded queue has files of its own to open: who gets the last ones is chance there.
for (const { name, missing, start } of BACK_ENDS.filter((each) => each.name !== 'embedded')) {
  it.skipIf(missing || !canLimit)(
    `a job that finds too many files open is put off, and done once there are fewer (${name})`,
    async () => {
      backEnd = await start()
      child = spawn(process.execPath, [SCRIPT, dataDir, backEnd.url], { stdio: ['ignore', 'pipe', 'pipe'] })
      const pid = child.pid as number
      await says(child, 'ready')
      const putOff = says(child, 'export put off')
      const jobs = openJobs(dataDir)
      // Its thread and all its code are loaded after that.
      const first = await requestJob(jobs, await planOf(dataDir, 'mouse'), asked())
      await until(async () => (await jobs.read(first.id))?.end != null)
      const lift = await limitFiles(pid, await limitLeaving(pid, 2))
      const { id } = await requestJob(jobs, await planOf(dataDir, 'fixations'), asked())
      await putOff
      expect((await jobs.read(id))?.end).toBeNull()
      await lift()
      await until(async () => (await jobs.read(id))?.end != null)
      const job = await jobs.read(id)
      expect(job?.end).toMatchObject({ state: 'succeeded', error: null })
      expect((await readdir(join(dataDir, 'exports', id))).filter((file) => file.endsWith('.part'))).toEqual([])
    },
  )
}
