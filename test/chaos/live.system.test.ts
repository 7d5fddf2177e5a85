import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { openTokens } from '../../engine/access/tokens.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import type { ExportName } from '../../engine/model/export-names.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import { createPool } from '../../engine/run/pool/pool.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { checkSnapshots } from '../../engine/snapshot/check-snapshots.ts'
import { openStore } from '../../engine/snapshot/snapshots.ts'
import { changeStudy } from '../../engine/study/change-study.ts'
import { creation } from '../../engine/study/changes/creation.ts'
import { writeBundle } from '../engine/import/bundles.ts'
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
afterAll(async () => {
  if (running === null || running.exitCode !== null || running.signalCode !== null) return
  const ended = once(running, 'exit')
  running.kill('SIGKILL')
  await ended
})

function start(dataDir: string, port: number): void {
  const env = { ...process.env, PORT: String(port), LOG_LEVEL: 'silent', ENGINE_THREADS: '1' }
  running = spawn(process.execPath, [PROGRAM, 'start', '--data', dataDir], { env, stdio: 'ignore' })
}

test(
  'participants who are sent while the server is killed are all there once, and the study equals an import of them',
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'gazette-mortal-'))
    const dataDir = join(root, 'data')
    try {
      await changeStudy({ dataDir, studyId: STUDY.id, ...MAKING }, null, creation(STUDY))
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
      const isOver = () => answered === PARTICIPANTS && kills === KILLS

      const ask = (path: string, init: RequestInit = {}) =>
        fetch(url + path, {
          ...init,
          headers: { 'x-auth-token': token, ...init.headers },
          signal: AbortSignal.timeout(20_000),
        })
          .then(async (response) => ({ status: response.status, text: await response.text() }))
          .catch(() => null)

      /** Sends participants one by one, each until it is answered. */
      async function client(): Promise<void> {
        while (next < PARTICIPANTS) {
          const own = sent[next++]
          const id = String(own.participant.participant_id)
          const headers = { 'content-type': 'application/json', 'idempotency-key': id }
          for (;;) {
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
      async function reader(): Promise<void> {
        while (!isOver()) {
          const answer = await ask('/collected-data/eye-tracking/fixations')
          if (answer?.status === 200) exports++
          else if (answer !== null && answer.status !== 503) wrong.push(`export: ${answer.status} ${answer.text}`)
          await sleep(100)
        }
      }
      async function killer(): Promise<void> {
        for (; kills < KILLS; kills++) {
          while ((await ask('')) === null) await sleep(50)
          await sleep(Math.random() * 600)
          const ended = once(running!, 'exit')
          running!.kill('SIGKILL')
          await ended
          start(dataDir, port)
        }
      }
      start(dataDir, port)
      await Promise.all([...Array.from({ length: CLIENTS }, client), reader(), killer()])
      expect(wrong).toEqual([])
      expect(exports).toBeGreaterThan(0)
      const ended = once(running!, 'exit')
      running!.kill('SIGTERM')
      await ended

      const damage: string[] = []
      await checkSnapshots(dataDir, (sentence) => damage.push(sentence))
      expect(damage).toEqual([])
      const imported = join(root, 'imported')
      const directory = await writeBundle(join(root, 'bundle'), { study: STUDY, ...bundleTables(sent) })
      await importBundle({ dataDir: imported, directory, append: false, dryRun: false, now: new Date(), ...MAKING })
      expect(await hashes(dataDir)).toEqual(await hashes(imported))
      const left = await readdir(join(dataDir, 'studies', STUDY.id))
      expect(left.filter((name) => name.startsWith('.arrived'))).toEqual([])
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  },
  isLong ? 3_600_000 : 240_000,
)

const EXPORTS: ExportName[] = ['gazes-raw', 'mouse', 'fixations', 'quality-stats', 'keyboard-mouse-overall']

async function hashes(dataDir: string): Promise<string[]> {
  const snapshot = (await openStore(dataDir).current(STUDY.id))!
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
