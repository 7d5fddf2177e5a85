import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { readStoreUrl, STORE_URL_RULE } from '../../engine/model/store-url.ts'
import { endLeases } from '../../engine/snapshot/leases.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { closing } from '../../engine/storage/concurrency/closing.ts'
import { holderText, takeLock } from '../../engine/storage/files/lock.ts'
import type { ObjectStore } from '../../engine/storage/objects/object-store.ts'
import { openObjects } from '../../engine/storage/objects/open-objects.ts'
import { probeObjects } from '../../engine/storage/objects/probe.ts'
import { receiveJobs, sendJobs } from '../../engine/study/bucket/copy-jobs.ts'
import { RECEIVING } from '../../engine/study/bucket/receive-files.ts'
import { receiveStudy } from '../../engine/study/bucket/receive-study.ts'
import type { Copied } from '../../engine/study/bucket/send-files.ts'
import { sendStudy } from '../../engine/study/bucket/send-study.ts'
import { studiesIn } from '../../engine/study/bucket/versions.ts'
import { shownAddress } from '../output/object-addresses.ts'
import { audit } from '../runtime/audit.ts'
import { countText } from '../terminal/count.ts'
import { bytesText, progressLine } from '../terminal/progress.ts'
import { stoppable } from '../terminal/stoppable.ts'

/** Files of an installation that are not copied, since they hold secrets or change all the time. */
const NOT_COPIED = 'Not copied: tokens, webhooks, sessions, uploads, imports in progress, the audit log.'

/**
 * Runs `gazette copy`: copies studies and jobs to an object store, or from one. A stopped copy resumes at the next
 * call.
 */
export async function copy(given: { to?: string; from?: string; replace?: boolean; config: Config }): Promise<void> {
  const { to, from, replace = false, config } = given
  const url = to ?? from
  if (url === undefined || (to !== undefined && from !== undefined))
    throw new ServiceError('usage', 'gazette copy needs either --to URL or --from URL')
  if (readStoreUrl(url) === null)
    throw new ServiceError('usage', `${to ? '--to' : '--from'} must be ${STORE_URL_RULE}, got ${shownAddress(url)}`)
  const { dataDir } = config
  await stoppable(async (signal) => {
    await closing(await openObjects(url, signal), async (store) => {
      const copying = { dataDir, store, replace, signal }
      await (to === undefined ? copyFrom(copying) : copyTo(copying))
    })
  })
}

type Copying = { dataDir: string; store: ObjectStore; replace: boolean; signal: AbortSignal }

const tell = (sentence: string) => console.error(`gazette: ${sentence}`)

/** Runs `work` under a lock that allows one copy of a data directory at a time. @throws ServiceError busy */
async function alone<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const path = join(dataDir, 'copy.lock')
  const lock = await takeLock(path)
  if (lock === null)
    throw new ServiceError('busy', `another gazette copy${await holderText(path)} is running on ${dataDir}`)
  try {
    return await work()
  } finally {
    await endLeases()
    await lock.release()
  }
}

async function copyTo({ dataDir, store, replace, signal }: Copying): Promise<void> {
  const studies = await openStudies(dataDir).studyIds()
  if (studies.length === 0) throw new ServiceError('not_found', `there is no study in ${dataDir}`)
  await probeObjects(store, new Date())
  const copying = { dataDir, store, replace, now: new Date() }
  const [copied, jobs] = await alone(dataDir, async () => {
    const sum = await copyStudies(studies, signal, (id, copied) => sendStudy(copying, id, copied))
    return [sum, await sendJobs(dataDir, store, sum, tell, replace)] as const
  })
  report(`${dataDir} to ${store.name}`, studies.length, copied, jobs, 'each read back and compared')
  const others = (await studiesIn(store)).filter((id) => !studies.includes(id))
  if (others.length > 0)
    console.error(`Left unchanged, since they are only in ${store.name}: ${studiesText(others.length)}.`)
  await audit(dataDir, { event: 'export', export: `copy to ${store.name}`, bytes: copied.bytes })
}

async function copyFrom({ dataDir, store, replace, signal }: Copying): Promise<void> {
  const studies = await studiesIn(store)
  if (studies.length === 0) throw new ServiceError('not_found', `${store.name} has no study`)
  const copying = { dataDir, store, replace }
  const [copied, jobs] = await alone(dataDir, async () => {
    const sum = await copyStudies(studies, signal, (id, copied) => receiveStudy(copying, id, copied))
    const received = await receiveJobs(dataDir, store, sum, tell)
    await rm(join(dataDir, RECEIVING), { recursive: true, force: true })
    return [sum, received] as const
  })
  report(`${store.name} to ${dataDir}`, studies.length, copied, jobs, 'each compared with its SHA-256')
  await audit(dataDir, { event: 'import', did: `copied from ${store.name}`, bytes: copied.bytes })
}

const SHOW_EVERY_MS = 200

/** Copies studies one after the other. @returns the totals */
async function copyStudies(
  studies: string[],
  signal: AbortSignal,
  copyOne: (studyId: string, copied: Copied) => Promise<boolean | null>,
): Promise<Copied & { studies: number }> {
  const copied = { files: 0, bytes: 0, known: 0, studies: 0 }
  const line = progressLine('copy')
  let done = 0
  const show = () => line.show(done / studies.length, `${countText(copied.files, 'file')}, ${bytesText(copied.bytes)}`)
  const showing = setInterval(show, SHOW_EVERY_MS)
  try {
    for (const id of studies) {
      if (signal.aborted) throw new ServiceError('canceled', 'it was stopped')
      if (await copyOne(id, copied)) copied.studies++
      done++
    }
  } finally {
    clearInterval(showing)
    line.done()
  }
  return copied
}

function report(what: string, studies: number, copied: Copied & { studies: number }, jobs: number, how: string): void {
  const files = `${countText(copied.files, 'file')}, ${bytesText(copied.bytes)}, ${how}`
  console.log(`${what}: copied ${copied.studies} of ${studiesText(studies)} and ${countText(jobs, 'job')} (${files}).`)
  console.error(NOT_COPIED)
}

function studiesText(studies: number): string {
  return studies === 1 ? '1 study' : `${studies} studies`
}
