import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTokens } from '../../engine/access/tokens.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { type Config, readConfig } from '../../engine/model/settings.ts'
import type { TokenRole } from '../../engine/model/token-roles.ts'
import { VERSION } from '../../engine/model/version.ts'
import { createPool } from '../../engine/run/pool/pool.ts'
import { openHome } from '../../engine/study/bucket/open-home.ts'
import type { ServerParts } from '../../server/app.ts'
import { createLog } from '../../server/http/log.ts'
import { type RunningServer, startServer } from '../../server/listen.ts'
import { openQueue } from '../../worker/queue/queue.ts'
import { startWorker } from '../../worker/worker.ts'
import { type Bundle, writeBundle } from '../engine/import/bundles.ts'

export const STUDY = '0a000000-0000-4000-8000-000000000001'
export const OTHER_STUDY = '0b000000-0000-4000-8000-000000000002'
export const ITEM = '1a000000-0000-4000-8000-000000000001'

/** A whole server in a directory of its own, on a free port, with the embedded queue. Nothing of it is made up. */
export type TestServer = {
  url: string
  dataDir: string
  parts: ServerParts
  server: RunningServer
  /** Log lines, as JSON. */
  logged: string[]
  read: string
  write: string
  ops: string
  /** May read STUDY alone. */
  narrow: string
  get: (path: string, headers?: Record<string, string>, method?: string) => Promise<Response>
  close: () => Promise<void>
}

/** Opens a test server of its own, for tests that change studies, break files or count jobs. */
export async function openTestServer(
  settings: Record<string, string> = {},
  { hasWorker = false } = {},
): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gazette-server-'))
  await publishStudy(dataDir, STUDY, 'Café, naïve – 2')
  await publishStudy(dataDir, OTHER_STUDY, '研究')
  const config: Config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    ENGINE_THREADS: '1',
    DISK_FLOOR_MIB: '0',
    ...settings,
  })
  const { log, logged } = keepLog()
  const tokens = openTokens(dataDir)
  const { studies, place, records, objects, jobs, close: closeHome } = await openHome(config)
  const parts: ServerParts = {
    config,
    version: VERSION,
    program: 'npx gazette',
    ...{ studies, place, records, objects, jobs },
    queue: await openQueue({ queueUrl: config.queueUrl, dataDir, onError: () => {} }),
    pool: createPool({ threads: 1 }),
    tokens,
    log,
  }
  const server = await startServer(parts)
  const worker = hasWorker ? await startWorker(parts) : null
  const own = await makeTokens(parts)
  return {
    ...{ dataDir, parts, logged, ...own, ...behind(server, own.read) },
    close: async () => {
      await server.close(2000)
      await worker?.close(2000)
      await parts.queue.close()
      await parts.pool.close()
      await closeHome()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 9 })
    },
  }
}

const shared = new Map<boolean, Promise<TestServer>>()

/**
 * Opens a listener with these settings on the one test server that this process of tests shares, for tests that change
 * nothing there that others would see: studies, and what is in lists of jobs. The data goes with the run's temporary
 * folder.
 */
export async function shareTestServer(
  settings: Record<string, string> = {},
  { hasWorker = false } = {},
): Promise<TestServer> {
  if (!shared.has(hasWorker)) shared.set(hasWorker, openTestServer({}, { hasWorker }))
  return openBeside(await shared.get(hasWorker)!, settings)
}

/**
 * Opens another listener on a test server, with settings, a log and tokens of its own: that costs nothing, where a test
 * server takes seconds.
 */
export async function openBeside(service: TestServer, settings: Record<string, string>): Promise<TestServer> {
  const defaults = { PORT: '0', DATA_DIR: service.dataDir, ENGINE_THREADS: '1', DISK_FLOOR_MIB: '0' }
  const { log, logged } = keepLog()
  const parts = { ...service.parts, config: readConfig({ ...defaults, ...settings }), log }
  const server = await startServer(parts)
  const own = await makeTokens(parts)
  return { ...service, parts, logged, ...own, ...behind(server, own.read), close: () => server.close(2000) }
}

async function makeTokens({ tokens }: ServerParts): Promise<Pick<TestServer, 'read' | 'write' | 'ops' | 'narrow'>> {
  const now = new Date()
  const make = (role: TokenRole, studies: string[] | 'all') =>
    tokens.create({ role, studies, expiresAt: null, now }).then(({ token }) => token)
  return {
    read: await make('read', 'all'),
    write: await make('write', 'all'),
    ops: await make('ops', 'all'),
    narrow: await make('read', [STUDY]),
  }
}

function keepLog() {
  const logged: string[] = []
  return { logged, log: createLog('info', { write: (line: string) => void logged.push(line) }) }
}

function behind(server: RunningServer, read: string): Pick<TestServer, 'url' | 'server' | 'get'> {
  return {
    url: server.url,
    server,
    get: (path, headers = {}, method = 'GET') =>
      fetch(server.url + path, { method, headers: { 'x-auth-token': read, ...headers } }),
  }
}

/** Waits until `check` gives something. */
export async function until<T>(check: () => Promise<T | null | undefined | false>, withinMs = 30_000): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await check()
    if (found) return found
    if (performance.now() > deadline) throw new Error('waited in vain')
    await sleep(25)
  }
}

/** One item with an AOI, two participants who look at it for a second at 60 Hz. */
export async function publishStudy(
  dataDir: string,
  studyId: string,
  name: string,
  externalIds = ['p1', 'p2'],
): Promise<void> {
  const directory = await writeBundle(join(dataDir, 'bundle'), bundleOf(studyId, name, externalIds))
  await importBundle({ dataDir, directory, append: false, dryRun: false, now: IMPORTED, threads: 1, memoryMib: 128 })
  await rm(directory, { recursive: true })
}

const IMPORTED = new Date('2024-05-03T00:00:00.000Z')
const SAMPLES_EACH = 60

function bundleOf(studyId: string, name: string, externalIds: string[]): Bundle {
  const people = [1, 2]
  const idOf = (kind: string, n: number) => `${kind}a000000-0000-4000-8000-00000000000${n}`
  const tests = people.map((n) => ({
    test_id: randomUUID(),
    participant_id: idOf('2', n),
    item_id: ITEM,
    created_at: `2024-05-0${n}T10:00:01+02:00`,
    display_order: '1',
    duration_ms: '1000',
    quality_grade_item: '5',
    browser_width_px: '1000',
    browser_height_px: '1000',
  }))
  const sampleOf = (testId: string, i: number) => ({
    test_id: testId,
    t_ms: String((i * 16_667) / 1000),
    gaze_x_px: String(400 + (i % 7)),
    gaze_y_px: String(500 + (i % 5)),
    left_gaze_x_px: String(399 + (i % 7)),
    left_gaze_y_px: String(500 + (i % 5)),
    right_gaze_x_px: String(401 + (i % 7)),
    right_gaze_y_px: String(500 + (i % 5)),
    left_pupil: String(3 + (i % 3) / 100),
    right_pupil: String(3 + (i % 4) / 100),
  })
  return {
    study: {
      id: studyId,
      name,
      isServiceBasicSurveyEnabled: false,
      steps: [{ type: 'countdown', durationMs: 3000, later: true }],
      items: [
        {
          id: ITEM,
          filename: 'a.png',
          cdnUrl: 'https://cdn.test/a.png',
          type: 'images',
          stimuliDurationMs: 1000,
          widthPx: 1000,
          heightPx: 1000,
        },
      ],
      aois: [
        {
          id: idOf('3', 1),
          itemId: ITEM,
          name: 'left',
          parts: [{ areaPoints: { topLeft: { xPx: 0, yPx: 0 }, bottomRight: { xPx: 500, yPx: 1000 } } }],
        },
      ],
    },
    participants: people.map((n) => ({
      participant_id: idOf('2', n),
      external_id: externalIds[n - 1],
      created_at: `2024-05-0${n}T10:00:00+02:00`,
      display_name: 'Anonymous',
      age: '30',
      gender: '0',
      quality_grade: '5',
      is_completed: String(n === 1),
    })),
    tests,
    samples: tests.flatMap(({ test_id }) => Array.from({ length: SAMPLES_EACH }, (_, i) => sampleOf(test_id, i))),
    events: [{ test_id: tests[0].test_id, t_ms: '100.5', name: 'response', value: '1' }],
  }
}
