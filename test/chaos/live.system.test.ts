import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { openTokens } from '../../engine/access/tokens.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { openRemoteJobs } from '../../engine/jobs/bucket/remote-jobs.ts'
import type { ExportName } from '../../engine/model/export-names.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import { createPool } from '../../engine/run/pool/pool.ts'
import { runExport } from '../../engine/run/run-export.ts'
import type { Catalog } from '../../engine/snapshot/catalog.ts'
import { checkSnapshots } from '../../engine/snapshot/check-snapshots.ts'
import { openStudies, type StudyReader } from '../../engine/snapshot/snapshots.ts'
import { bucketStorage } from '../../engine/storage/bucket-storage.ts'
import { openScratch } from '../../engine/storage/files/scratch.ts'
import { type ObjectStore, readObject } from '../../engine/storage/objects/object-store.ts'
import { bucketPlace } from '../../engine/study/bucket/bucket-place.ts'
import { type Address, openHome } from '../../engine/study/bucket/open-home.ts'
import { filesThere } from '../../engine/study/bucket/snapshot-files.ts'
import { fileKey, namedBy, newestState, snapshotKey } from '../../engine/study/bucket/versions.ts'
import { changeStudy } from '../../engine/study/change-study.ts'
import { creation } from '../../engine/study/changes/creation.ts'
import { FORMER, formerIn } from '../../engine/study/former-snapshot.ts'
import { writeBundle } from '../engine/import/bundles.ts'
import { placeInCeph } from '../engine/storage/ceph.ts'
import { freePort } from '../free-port.ts'
import { bundleTables, idOf, participantOf } from '../server/participants.ts'

/** `npm run test:chaos` takes the long form: 200 participants, 20 clients, 50 kills (CHAOS_LIVE_KILLS). */
const isLong = process.env.npm_lifecycle_event === 'test:chaos' || process.env.CHAOS_LIVE_KILLS !== undefined
const KILLS = Number(process.env.CHAOS_LIVE_KILLS ?? (isLong ? 50 : 2))
const [PARTICIPANTS, CLIENTS] = isLong ? [200, 20] : [24, 6]

const PROGRAM = fileURLToPath(new URL('../../dist/bin/gazette.cjs', import.meta.url))
const ITEMS = [0, 1, 2].map((i) => ({
  id: idOf(`item of ${i}`),
  filename: `${i}.png`,
  cdnUrl: '',
  type: 'images',
  stimuliDurationMs: 2000,
  widthPx: 1000,
  heightPx: 800,
}))
const STUDY = {
  id: idOf('mortal'),
  name: 'Mortal',
  isServiceBasicSurveyEnabled: false,
  steps: [],
  items: ITEMS,
  aois: [],
}
const MAKING = { threads: 1, memoryMib: 256 }

let running: ChildProcess | null = null
afterEach(async () => {
  if (running === null || running.exitCode !== null || running.signalCode !== null) return
  const ended = once(running, 'exit')
  running.kill('SIGKILL')
  await ended
})

function start({ dataDir, storeUrl }: Address, port: number): void {
  const env = { ...process.env, PORT: String(port), LOG_LEVEL: 'silent', ENGINE_THREADS: '1', STORE_URL: storeUrl }
  running = spawn(process.execPath, [PROGRAM, 'start', '--data', dataDir], { env, stdio: 'ignore' })
}

test.each([
  ['a data directory', (_: string) => ''],
  ['a bucket', (root: string) => placeInCeph() ?? `file://${root}/bucket`],
])(
  'participants who are sent while the server is killed are all there once, those removed are gone, and the study in %s equals an import of the rest',
  async (_, storeUrlIn) => {
    const root = await mkdtemp(join(tmpdir(), 'gazette-mortal-'))
    const dataDir = join(root, 'data')
    const address = { dataDir, storeUrl: storeUrlIn(root), storeCacheGib: 1 }
    try {
      const home = await openHome(address)
      await changeStudy({ dataDir, place: home.place, studyId: STUDY.id, ...MAKING }, null, creation(STUDY))
      await home.close()
      const { token } = await openTokens(dataDir).create({
        role: 'write',
        studies: 'all',
        expiresAt: null,
        now: new Date(),
      })
      const port = await freePort()
      const url = `http://127.0.0.1:${port}/api2/studies/${STUDY.id}`
      const sent = Array.from({ length: PARTICIPANTS }, (_, n) =>
        participantOf(
          n,
          ITEMS.map(({ id }) => id),
        ),
      )
      const wrong: string[] = []
      let [next, answered, exports, kills] = [0, 0, 0, 0]
      const isOver = () => wrong.length > 0 || (answered === PARTICIPANTS && kills === KILLS)
      const removed: string[] = []

      const ask = (path: string, init: RequestInit = {}) =>
        fetch(url + path, {
          ...init,
          headers: { 'x-auth-token': token, ...init.headers },
          signal: AbortSignal.timeout(20_000),
        })
          .then(async (response) => ({
            status: response.status,
            text: await response.text(),
            etag: response.headers.get('etag') ?? '',
          }))
          .catch(() => null)

      /** Sends participants one by one, each until it is answered. */
      async function client(): Promise<void> {
        while (next < PARTICIPANTS && wrong.length === 0) {
          const own = sent[next++]
          const id = String(own.participant.participant_id)
          const headers = { 'content-type': 'application/json', 'idempotency-key': id }
          while (wrong.length === 0) {
            const answer = await ask('/participants', { method: 'POST', body: JSON.stringify(own), headers })
            if (answer?.status === 201) break
            if (answer !== null && answer.status < 500) wrong.push(`${answer.status} ${answer.text}`)
            await sleep(50)
          }
          answered++
          const seen = await ask('/collected-data/eye-tracking/quality-stats')
          if (seen?.status === 200 && !seen.text.includes(id)) wrong.push(`${id} was answered, and is not in an export`)
          // So that there is something to kill all the time.
          await sleep((KILLS - kills) * 10)
        }
      }
      /** Asks until the answer is one that a change may have, also one that was made before its server died. */
      async function insist(
        method: string,
        path: string,
        may: number[],
        body?: object,
        isOfStudy = true,
      ): Promise<number> {
        while (wrong.length === 0) {
          const tag: Record<string, string> = isOfStudy ? { 'if-match': (await ask(''))?.etag ?? '' } : {}
          const headers = { 'content-type': 'application/json', ...tag }
          const answer = await ask(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
          if (answer !== null && may.includes(answer.status)) return answer.status
          // Somebody else has changed the study meanwhile.
          if (answer !== null && answer.status < 500 && ![409, 412, 423].includes(answer.status))
            wrong.push(`${method} ${path}: ${answer.status} ${answer.text}`)
          await sleep(50)
        }
        return 0
      }
      /** Changes the study in all other ways, over and over; in the end it is as it was, without those removed. */
      async function changer(): Promise<void> {
        for (let turn = 0; !isOver(); turn++) {
          await insist('PATCH', '', [200], { name: `Turn ${turn}` })
          await insist('PUT', `/items/${ITEMS[0].id}/aois`, [200], [aoiOf(turn)])
          await ask('/undo', { method: 'POST', headers: { 'if-match': (await ask(''))?.etag ?? '' } })
          // Of another name each time, since an answer that got lost may have made it.
          await insist('PUT', `/analyses/turn-${turn}`, [200, 201, 412, 428], { title: `Turn ${turn}` }, false)
          const gone = participantOf(PARTICIPANTS + turn, [ITEMS[0].id])
          const id = String(gone.participant.participant_id)
          await insist('POST', '/participants', [201, 409], gone)
          await insist('DELETE', `/participants/${id}`, [204, 404])
          removed.push(id)
        }
        await insist('PATCH', '', [200], { name: STUDY.name })
        await insist('PUT', `/items/${ITEMS[0].id}/aois`, [200], [])
      }
      async function reader(): Promise<void> {
        while (!isOver()) {
          const answer = await ask('/collected-data/eye-tracking/fixations')
          if (answer?.status === 200) exports++
          else if (answer !== null && answer.status !== 503) wrong.push(`export: ${answer.status} ${answer.text}`)
          await sleep(100)
        }
      }
      async function killer(): Promise<void> {
        for (; kills < KILLS && wrong.length === 0; kills++) {
          while ((await ask('')) === null) await sleep(50)
          await sleep(Math.random() * 600)
          const ended = once(running!, 'exit')
          running!.kill('SIGKILL')
          await ended
          start(address, port)
        }
      }
      start(address, port)
      await Promise.all([...Array.from({ length: CLIENTS }, client), reader(), changer(), killer()])
      expect(wrong).toEqual([])
      expect(exports).toBeGreaterThan(0)
      const ended = once(running!, 'exit')
      running!.kill('SIGTERM')
      await ended

      expect(removed.length).toBeGreaterThan(0)
      const after = await openHome(address)
      const here = await hashes(after.studies)
      if (after.objects !== null) await checkBucketAfter(after.objects, dataDir, removed)
      await after.close()
      const damage: string[] = []
      await checkSnapshots(dataDir, (sentence) => damage.push(sentence))
      expect(damage).toEqual([])
      const imported = join(root, 'imported')
      const directory = await writeBundle(join(root, 'bundle'), { study: STUDY, ...bundleTables(sent) })
      await importBundle({ dataDir: imported, directory, append: false, dryRun: false, now: new Date(), ...MAKING })
      expect(here).toEqual(await hashes(openStudies(imported)))
      const left = await readdir(join(dataDir, 'studies', STUDY.id)).catch(() => [])
      expect(left.filter((name) => name.startsWith('.arrived'))).toEqual([])
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  },
  isLong ? 3_600_000 : 240_000,
)

const EXPORTS: ExportName[] = ['gazes-raw', 'mouse', 'fixations', 'quality-stats', 'keyboard-mouse-overall']

const aoiOf = (turn: number) => ({
  id: idOf(`aoi of ${turn}`),
  name: `AOI ${turn}`,
  parts: [{ areaPoints: { points: [1, 200, 20].map((x, i) => ({ x, y: 5 + 70 * i })) } }],
})

/** After a sweep, a bucket has what the study needs, and nothing of those removed. */
async function checkBucketAfter(store: ObjectStore, dataDir: string, removed: string[]): Promise<void> {
  const jobs = openRemoteJobs(store)
  const means = { jobs: () => jobs, webhooks: bucketStorage(store) }
  const place = bucketPlace(store, () => openScratch(dataDir), means, {
    replacedMs: -1,
    orphanedMs: -1,
    scanEveryMs: 0,
  })
  const { snapshotId, ...rest } = (await newestState(store, STUDY.id))!
  const faults: string[] = []
  const sweeping = {
    studies: { currents: async () => new Map([[STUDY.id, snapshotId!]]) } as unknown as Catalog,
    inUse: async () => new Set<string>(),
    onRemoved: () => {},
    onFault: (_: string, error: unknown) => void faults.push(String(error)),
  }
  await place.sweep(sweeping)
  await place.close()
  expect(faults).toEqual([])
  const before = rest.undo
    ? formerIn((await readObject(store, fileKey(STUDY.id, rest.undo[FORMER])))!.toString(), new Date())
    : null
  const needed = new Set(namedBy(rest).map((sha256) => fileKey(STUDY.id, sha256)))
  for (const id of [snapshotId!, ...(before === null ? [] : [before])]) {
    const files = await filesThere(store, STUDY.id, id)
    for (const key of [...files.map(({ sha256 }) => fileKey(STUDY.id, sha256)), snapshotKey(STUDY.id, id)])
      needed.add(key)
    for (const { sha256, path } of files) {
      const bytes = await readObject(store, fileKey(STUDY.id, sha256))
      expect([path, bytes && createHash('sha256').update(bytes).digest('hex')]).toEqual([path, sha256])
    }
  }
  const left: string[] = []
  for await (const { key } of store.list('')) {
    if (/^(files|snapshots|leases\/studies)\//.test(key) && !needed.has(key)) left.push(key)
    const bytes = (await readObject(store, key)) ?? ''
    for (const id of removed) if (bytes.includes(id)) left.push(`${id} in ${key}`)
  }
  expect(left).toEqual([])
}

async function hashes(studies: StudyReader): Promise<string[]> {
  const snapshot = (await studies.current(STUDY.id))!
  const pool = createPool({ threads: 1 })
  const signal = new AbortController().signal
  try {
    const found: string[] = []
    for (const exportName of EXPORTS) {
      const hash = createHash('sha256')
      const plan = makePlan({
        snapshot,
        exportName,
        parameters: defaultParameters(),
        formulaGuard: true,
        format: 'csv',
      })
      for await (const { bytes } of runExport({ plan, snapshot, pool, signal, gzip: false })) hash.update(bytes)
      found.push(`${exportName} ${hash.digest('hex')}`)
    }
    return found
  } finally {
    await pool.close()
  }
}
