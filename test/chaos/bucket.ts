import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openRemoteJobs, storeInstance } from '../../engine/jobs/bucket/remote-jobs.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { ObjectStore } from '../../engine/storage/objects/object-store.ts'
import { openObjects } from '../../engine/storage/objects/open-objects.ts'
import { gazette } from '../bin/gazette.ts'
import { placeInCeph } from '../engine/storage/ceph.ts'
import { credentialsOf, giveCredentials, urlOf } from '../engine/storage/credentials.ts'
import type { S3Server } from '../engine/storage/s3-server.mjs'
import { freePort } from '../free-port.ts'
import { until } from '../worker/back-ends.ts'
import { type Resident, resident } from './resident.ts'

const S3_SERVER = fileURLToPath(new URL('../engine/storage/s3-server.mjs', import.meta.url))

/** A store of objects that may be killed, with the studies of a cluster. */
export type Bucket = {
  server: Resident
  store: ObjectStore
  jobs: Jobs
  /** Settings of processes that work on it. */
  settings: Record<string, string>
  /** Secrets that no log may contain. */
  secret: string
  instance: () => Promise<string>
  close: () => void
}

/** Starts a store with the studies of a data directory. Of Ceph, the process of its disk is what dies. */
export async function openBucket(
  root: string,
  filesDir: string,
  outputDir: string,
  onDeath: (words: string) => void,
): Promise<Bucket> {
  const inCeph = placeInCeph()
  const { server, url, credentials } = await (inCeph === null
    ? startSmall(root, outputDir, onDeath)
    : diskOfCeph(inCeph, outputDir, onDeath))
  const copied = await gazette(['copy', '--to', url, '--data', filesDir], credentials)
  if (copied.code !== 0) throw new Error(copied.stderr)
  const store = await openObjects(url)
  return {
    server,
    store,
    jobs: openRemoteJobs(store),
    settings: { ...credentials, STORE_URL: url },
    secret: credentials.AWS_SECRET_ACCESS_KEY,
    instance: () => storeInstance(store),
    close: store.close,
  }
}

type Started = { server: Resident; url: string; credentials: Record<string, string> }

/** The small server of these tests, with its objects in files. */
async function startSmall(root: string, outputDir: string, onDeath: (words: string) => void): Promise<Started> {
  const directory = join(root, 's3')
  const port = await freePort()
  const args = [S3_SERVER, '--directory', directory, '--port', String(port)]
  const options = { env: { PATH: process.env.PATH } }
  const server = resident({ name: 's3', kind: 's3', outputDir, program: process.execPath, args, options, onDeath })
  await server.start()
  await until(async () => (await readFile(join(outputDir, 's3.log'), 'utf8')).includes('\n'))
  const s3: Pick<S3Server, 'url' | 'bucket' | 'credentials'> = JSON.parse(
    await readFile(join(outputDir, 's3.log'), 'utf8'),
  )
  giveCredentials(s3)
  return { server, url: urlOf(s3), credentials: credentialsOf(s3.credentials) }
}

/** Takes the process of Ceph's disk over from whoever keeps it. */
async function diskOfCeph(url: string, outputDir: string, onDeath: (words: string) => void): Promise<Started> {
  const { CEPH_DISK_PID, CEPH_CONF, PATH } = process.env
  const credentials = credentialsOf({
    accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? '',
  })
  const kept = Number(await readFile(CEPH_DISK_PID as string, 'utf8'))
  const options = { env: { PATH, CEPH_CONF } }
  const args = ['-i', '0', '-f']
  const server = resident({ name: 's3', kind: 's3', outputDir, program: 'ceph-osd', args, options, onDeath })
  if (isRunning(kept)) process.kill(kept, 'SIGKILL')
  await until(async () => !isRunning(kept))
  await server.start()
  return { server, url, credentials }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
