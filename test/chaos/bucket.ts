import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import { openRemoteJobs } from '../../engine/remote/remote-jobs.ts'
import { sendStudy } from '../../engine/remote/send-study.ts'
import { openStore } from '../../engine/snapshot/snapshots.ts'
import type { ObjectStore } from '../../engine/store/object-store.ts'
import { openObjects } from '../../engine/store/open-objects.ts'
import { credentialsOf, giveCredentials, urlOf } from '../engine/store/credentials.ts'
import { startS3 } from '../engine/store/s3-server.mjs'
import { freePort, until } from '../worker/back-ends.ts'
import { answers, type Resident, resident } from './town.ts'

const SERVER = fileURLToPath(new URL('../engine/store/s3-server.mjs', import.meta.url))

/** A server of S3 whose objects outlive it, and what its neighbours need to find it. */
export type BucketOfTown = {
  s3: Resident
  env: Record<string, string>
  objects: ObjectStore
  jobs: Jobs
  /** Brings the studies of a data directory there, while nobody else is at work. */
  fill: (dataDir: string) => Promise<void>
}

export async function openBucket(
  root: string,
  output: string,
  onDeath: (words: string) => unknown,
): Promise<BucketOfTown> {
  const directory = join(root, 's3')
  await mkdir(directory)
  const port = await freePort()
  // Its credentials are made at its first start.
  const first = await startS3({ directory, port })
  const { bucket, credentials } = first
  giveCredentials({ credentials })
  await first.stop()
  const url = `http://127.0.0.1:${port}`
  const address = urlOf({ url, bucket })
  const args = [SERVER, '--directory', directory, '--port', String(port)]
  const s3 = resident('s3', 's3', output, process.execPath, args, { PATH: process.env.PATH }, onDeath, async () => {
    await until(() => answers(url, () => true), 30_000)
  })
  const objects = await openObjects(address)
  return {
    s3,
    env: { ...credentialsOf(credentials), STORE_URL: address },
    objects,
    jobs: openRemoteJobs(objects),
    fill: async (dataDir) => {
      await s3.start()
      const place = { dataDir, store: objects, replace: false, now: new Date() }
      for (const id of await openStore(dataDir).studyIds()) await sendStudy(place, id, { files: 0, bytes: 0, known: 0 })
      await s3.stop()
    },
  }
}
