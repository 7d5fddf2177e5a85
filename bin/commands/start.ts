import { join } from 'node:path'
import { FIRST_DEMO } from '../../demo/write-demo.ts'
import { openTokens } from '../../engine/access/tokens.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { givenSetting } from '../../engine/model/setting-names.ts'
import type { Config } from '../../engine/model/settings.ts'
import { VERSION } from '../../engine/model/version.ts'
import { studiesDirectory, studyDirectory } from '../../engine/storage/files/layout.ts'
import { isThere, namesIn } from '../../engine/storage/files/optional-files.ts'
import { needFreePort, refusePlainBeyondLoopback } from '../../server/address.ts'
import { needOpenFiles } from '../runtime/open-files.ts'
import { needPublicUrl, openServices, type Services } from '../runtime/open-parts.ts'
import { makeStartToken } from '../runtime/start-token.ts'
import { welcome } from '../runtime/welcome.ts'
import { endAfterGrace } from '../terminal/end-process.ts'
import { PROGRAM } from '../terminal/program-name.ts'
import { untilStopped } from '../terminal/until-stopped.ts'

/** Longest wait after Ctrl-C. Jobs that take longer are handed back, and continue at the next start. */
const CTRL_C_GRACE_MS = 3000
/** Number of ports to try, from PORT on, if the user chose none. */
const PORTS_TRIED = 20

/**
 * Runs `gazette start`: server, worker, sweep and, without QUEUE_URL, the queue, in one process, until it is stopped.
 */
export async function start(config: Config): Promise<void> {
  needPublicUrl(config)
  needOpenFiles()
  const portsTried = givenSetting(process.env, 'PORT').text === '' ? PORTS_TRIED : 1
  // Before a study is made, which a refused start would leave.
  await refusePlainBeyondLoopback(config)
  await needFreePort(config, portsTried)
  const stopped = untilStopped(config)
  const made = config.storeUrl === '' ? await someStudy(config) : null
  if (made === null && config.storeUrl === '') return
  const isStopped = () => Promise.race([stopped, null]).then((signal) => signal !== null)
  if (await isStopped()) return
  // A full disk can hold up what is being opened; nothing of it needs to be ended in order.
  let isUp = false
  void stopped.then(() => isUp || endAfterGrace(0))
  const opening = openServices(config)
  const loading = loadParts()
  // Awaited below, once what is open can be closed.
  loading.catch(() => undefined)
  const services = await opening
  const opened: ((graceMs: number) => Promise<void>)[] = []
  let graceMs = 0
  try {
    if (await isStopped()) return
    const studyId = made ?? (await studyInStore(services))
    const { startBackground, startServer, startWorker } = await loading
    const worker = await startWorker(services)
    opened.push(worker.close)
    const server = await startServer({
      ...services,
      version: VERSION,
      program: PROGRAM,
      tokens: openTokens(config.dataDir),
      portsTried,
    })
    opened.push(server.close)
    isUp = true
    console.log(`listening on ${server.url}`)
    const port = Number(new URL(server.url).port)
    if (config.port !== 0 && port !== config.port)
      console.log(`(port ${config.port} is taken by another program; PORT chooses one)`)
    // It reads all studies and jobs, for which no client needs to wait.
    opened.push(startBackground(services).close)
    opened.push(await greet(server.url, studyId, config))
    const signal = await stopped
    graceMs = signal === 'SIGINT' ? Math.min(CTRL_C_GRACE_MS, config.shutdownGraceMs) : config.shutdownGraceMs
    endAfterGrace(graceMs)
  } finally {
    await Promise.all(opened.map((close) => close(graceMs)))
    await services.close()
  }
}

/** Loads server and worker, most of the program, while the embedded queue opens in a thread of its own. */
async function loadParts() {
  const [{ startServer }, { startWorker }, { startBackground }] = await Promise.all([
    import('../../server/listen.ts'),
    import('../../worker/worker.ts'),
    import('../runtime/background.ts'),
  ])
  return { startServer, startWorker, startBackground }
}

/**
 * Prints the next steps, with a token that is valid until this process stops.
 *
 * @returns a function that revokes the token
 */
async function greet(url: string, studyId: string, config: Config): Promise<() => Promise<void>> {
  const token = await makeStartToken(config, new Date())
  if (token === null) {
    console.log('The disk is full: no token was created. Existing tokens work; Ctrl-C stops everything.')
    return async () => {}
  }
  console.log(welcome(url, studyId, token, { isTerminal: process.stdout.isTTY }))
  return token.end
}

/** Returns the first study, or creates a demo study if there is none; null if stopped before that. */
async function someStudy(config: Config): Promise<string | null> {
  const first = await firstStudy(config.dataDir)
  if (first !== null) return first
  console.log(`There is no study in ${config.dataDir} yet: making a demo study ...`)
  const { makeDemo } = await import('./demo.ts')
  const made = await makeDemo(FIRST_DEMO, config).catch((error) => {
    if (error instanceof ServiceError && error.code === 'canceled') return null
    throw error
  })
  if (made !== null) console.log('Starting ...')
  return made?.studyId ?? null
}

async function studyInStore({ studies }: Services): Promise<string> {
  const [first] = await studies.studyIds()
  if (first) return first
  throw new ServiceError(
    'not_found',
    'there is no study in the store of STORE_URL: import one by gazette import, or copy one by gazette copy --to',
  )
}

/**
 * Returns the first study by id; null if there is none. It reads one directory, while a catalogue would read all
 * studies.
 */
async function firstStudy(dataDir: string): Promise<string | null> {
  for (const name of (await namesIn(studiesDirectory(dataDir))).sort()) {
    const directory = studyDirectory(dataDir, name)
    if (directory !== null && (await isThere(join(directory, 'current')))) return name
  }
  return null
}
