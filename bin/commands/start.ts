import { join } from 'node:path'
import { CODE_MINUTES, openSessions } from '../../engine/access/sessions.ts'
import { openTokens, type Tokens } from '../../engine/access/tokens.ts'
import { isDiskFull } from '../../engine/files/durable.ts'
import { studiesDirectory, studyDirectory } from '../../engine/files/layout.ts'
import { isThere, namesIn } from '../../engine/files/optional-files.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { VERSION } from '../../engine/model/version.ts'
import { startServer } from '../../server/listen.ts'
import { startCompaction } from '../../worker/compaction.ts'
import { startSweep } from '../../worker/sweep.ts'
import { startDeliveries } from '../../worker/webhooks/deliver.ts'
import { startWorker } from '../../worker/worker.ts'
import { audit } from '../audit.ts'
import { type House, needPublicUrl, openHouse, untilStopped } from '../open-parts.ts'
import { makeDemo } from './demo.ts'

const DEMO = { participants: 24, items: 6, seconds: 8, hz: 30, seed: 1 }
/** Longest wait after Ctrl-C: jobs that take longer are handed back, and go on at the next start. */
const CTRL_C_GRACE_MS = 3000
const TOKEN_DAYS = 7

/**
 * Runs `gazette start`: server, worker, sweep and, without QUEUE_URL, the queue, in one process, until it is stopped.
 */
export async function start(config: Config): Promise<void> {
  needPublicUrl(config)
  const stopped = untilStopped()
  const made = config.storeUrl === '' ? await someStudy(config) : null
  if (made === null && config.storeUrl === '') return
  const isStopped = () => Promise.race([stopped, null]).then((signal) => signal !== null)
  if (await isStopped()) return
  const house = await openHouse(config)
  const opened: ((graceMs: number) => Promise<void>)[] = []
  let graceMs = 0
  try {
    if (await isStopped()) return
    const studyId = made ?? (await studyInStore(house))
    const tokens = openTokens(config.dataDir)
    const worker = await startWorker(house)
    opened.push(worker.close)
    const server = await startServer({ ...house, version: VERSION, tokens })
    opened.push(server.close)
    console.log(`listening on ${server.url}`)
    // These look through all studies and jobs, which no client need wait for.
    // Of studies in a store nothing is merged, and no webhook is told.
    const besides = config.storeUrl === '' ? [startCompaction, startDeliveries] : []
    for (const begin of [startSweep, ...besides]) opened.push(begin(house).close)
    const revoke = await greet(server.url, studyId, tokens, config)
    opened.push(async () => void (await revoke()))
    const signal = await stopped
    graceMs = signal === 'SIGINT' ? Math.min(CTRL_C_GRACE_MS, config.shutdownGraceMs) : config.shutdownGraceMs
  } finally {
    await Promise.all(opened.map((close) => close(graceMs)))
    await house.close()
  }
}

const TOKEN_NAME = 'gazette start'

/**
 * Says how to go on. Whoever looks at a terminal gets a token, which is good until this stops; a log gets none.
 *
 * @returns what revokes the token
 */
async function greet(url: string, studyId: string, tokens: Tokens, config: Config): Promise<() => Promise<unknown>> {
  if (!process.stdout.isTTY) {
    console.log(withoutToken(url))
    return async () => {}
  }
  const revoke = async (id: string) => {
    await tokens.revoke(id)
    await audit(config.dataDir, { event: 'token revoked', token: id })
  }
  const now = new Date()
  const expiresAt = new Date(now.getTime() + TOKEN_DAYS * 86_400_000).toISOString()
  try {
    // With the embedded queue, one process has the data directory: what another left behind, it was killed.
    if (config.queueUrl === '')
      for (const { id, name } of await tokens.list()) if (name === TOKEN_NAME) await revoke(id)
    const { id, token } = await tokens.create({ name: TOKEN_NAME, role: 'ops', studies: 'all', expiresAt, now })
    await audit(config.dataDir, { event: 'token made', token: id })
    const code = await openSessions(config.dataDir).createCode(id, now)
    console.log(welcome(url, token, code, studyId))
    return () => revoke(id)
  } catch (error) {
    if (!isDiskFull(error)) throw error
    console.log('The disk is full: no token was made. Those made before are good; Ctrl-C stops it all.')
    return async () => {}
  }
}

function withoutToken(url: string): string {
  return `
  Dashboard ${url}   (sign in with a token; gazette token create makes one)
  API       ${url}/docs

  No token is made here: this is no terminal, and what is written may be kept.
`
}

/** The first study there is; a demo study if there is none; null when told to stop before that is made. */
async function someStudy(config: Config): Promise<string | null> {
  const first = await firstStudy(config.dataDir)
  if (first !== null) return first
  const made = await makeDemo(DEMO, config).catch((error) => {
    if (error instanceof ServiceError && error.code === 'canceled') return null
    throw error
  })
  if (made === null) return null
  const { studyId } = made
  console.log(`There was no study in ${config.dataDir}: made a demo study.`)
  return studyId
}

async function studyInStore({ store }: House): Promise<string> {
  const [first] = await store.studyIds()
  if (first) return first
  throw new ServiceError(
    'not_found',
    'there is no study in the store of STORE_URL: gazette copy --to brings them there',
  )
}

/** Returns the first study by id; null if there is none. A catalogue would look at all of them. */
async function firstStudy(dataDir: string): Promise<string | null> {
  for (const name of (await namesIn(studiesDirectory(dataDir))).sort()) {
    const directory = studyDirectory(dataDir, name)
    if (directory !== null && (await isThere(join(directory, 'current')))) return name
  }
  return null
}

function welcome(url: string, token: string, code: string, studyId: string): string {
  const exports = `${url}/api2/studies/${studyId}/collected-data/eye-tracking`
  return `
  A CSV at once:
    curl -H 'X-AUTH-TOKEN: ${token}' \\
      '${exports}/fixations'

  A bulk export: 202 with the job, whose file is downloaded when it is ready:
    curl -i -H 'X-AUTH-TOKEN: ${token}' -H 'Prefer: respond-async' \\
      '${exports}/gazes/raw-denoises-normalized-split'

  Queues    ${url}/ops/queues   (signed in, or any user name and the token as password)
  Dashboard ${url}/sign-in#code=${code}
            (this address signs in once, within ${CODE_MINUTES} minutes; after that sign in with the token)
  Token     ${token}
            (role ops, all studies, until this stops, ${TOKEN_DAYS} days at most; gazette token create makes lasting ones)

  Ctrl-C stops it all.
`
}
