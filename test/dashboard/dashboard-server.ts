import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type DemoSize, writeDemoBundle } from '../../demo/write-demo.ts'
import { openTokens } from '../../engine/access/tokens.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { type Config, readConfig } from '../../engine/model/settings.ts'
import { VERSION } from '../../engine/model/version.ts'
import { createPool } from '../../engine/run/pool/pool.ts'
import { directoryHome } from '../../engine/study/home.ts'
import type { ServerParts } from '../../server/app.ts'
import { createLog } from '../../server/http/log.ts'
import { type RunningServer, startServer } from '../../server/listen.ts'
import { openQueue } from '../../worker/queue/queue.ts'
import { startWorker } from '../../worker/worker.ts'
import { kept } from '../engine/kept.ts'
import { hasChromium, openWalk, type Walk } from './browser.ts'

/**
 * A whole Gazette with demo studies in a directory of its own, on a free port; its worker begins when it is told to.
 */
export type DashboardServer = {
  url: string
  parts: ServerParts
  server: RunningServer
  studyIds: string[]
  read: string
  write: string
  ops: string
  get: (path: string, headers?: Record<string, string>) => Promise<Response>
  startWorker: () => Promise<void>
  close: () => Promise<void>
}

/** @param bundles directories of further studies to import */
export async function openDashboardServer(
  demos: DemoSize[],
  settings: Record<string, string> = {},
  bundles: string[] = [],
): Promise<DashboardServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gazette-dashboard-'))
  const config: Config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    ENGINE_THREADS: '1',
    DISK_FLOOR_MIB: '0',
    LOG_LEVEL: 'silent',
    ...settings,
  })
  const limits = { threads: 1, memoryMib: 256 }
  const take = (directory: string) =>
    importBundle({ dataDir, directory, append: false, dryRun: false, now: new Date(), ...limits })
  const studyIds: string[] = []
  for (const size of demos) {
    const directory = await mkdtemp(join(tmpdir(), 'gazette-demo-'))
    const { studyId } = await writeDemoBundle({ directory, ...size, memoryMib: limits.memoryMib })
    await take(directory)
    await rm(directory, { recursive: true })
    studyIds.push(studyId)
  }
  for (const directory of bundles) studyIds.push((await take(directory)).studyId)
  const tokens = openTokens(dataDir)
  const make = (role: 'read' | 'write' | 'ops') =>
    tokens.create({ role, studies: 'all', expiresAt: null, now: new Date() }).then(({ token }) => token)
  const parts: ServerParts = {
    config,
    version: VERSION,
    program: 'npx gazette',
    ...directoryHome(dataDir),
    queue: await openQueue({ queueUrl: '', dataDir, onError: () => {} }),
    pool: createPool({ threads: 1 }),
    tokens,
    log: createLog('silent', { write: () => {} }),
  }
  const server = await startServer(parts)
  const read = await make('read')
  let worker: Awaited<ReturnType<typeof startWorker>> | null = null
  return {
    url: server.url,
    parts,
    server,
    studyIds,
    read,
    write: await make('write'),
    ops: await make('ops'),
    get: (path, headers = {}) => fetch(server.url + path, { headers: { 'x-auth-token': read, ...headers } }),
    startWorker: async () => {
      worker = await startWorker(parts)
    },
    close: async () => {
      await server.close(1000)
      await worker?.close(1000)
      await parts.queue.close()
      await parts.pool.close()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 9 })
    },
  }
}

type Opened = { service: DashboardServer; walk: Walk; page: Page }

/**
 * Opens a test server and a browser for the tests of a file, where there is Chromium, and closes both after them.
 *
 * @param bundles make directories of further studies, which are deleted again
 * @param begin takes test server and browser, before the first test
 * @returns nothing of it without Chromium, where the tests are skipped
 */
export async function walkThrough(
  { demos, settings, bundles = [] }: Studies,
  begin: (opened: Opened) => Promise<void> | void = () => {},
): Promise<Opened> {
  if (!hasChromium) return {} as Opened
  const directories = await Promise.all(bundles.map((make) => make()))
  const service = kept(await openDashboardServer(demos, settings, directories))
  for (const directory of directories) await rm(directory, { recursive: true })
  const walk = await openWalk(service.url)
  kept(walk.browser)
  await begin({ service, walk, page: walk.page })
  return { service, walk, page: walk.page }
}

type Studies = { demos: DemoSize[]; settings?: Record<string, string>; bundles?: (() => Promise<string>)[] }
