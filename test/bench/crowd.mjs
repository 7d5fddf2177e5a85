// What others notice of a crowd: 300 clients behind one address that ask for everything, over new connections and kept
// ones, beside health checks and another token's small export. The real program with its limits as they are.
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { Agent, createServer, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { importBundle } from '../../dist/engine/import/import-bundle.js'
import { bundleOf, OUT } from './data.mjs'
import { quantile, row } from './measure.mjs'
import { finished, gazette, stop } from './process.mjs'
import { startService } from './service.mjs'

const CLIENTS = 300
/** Of the crowd, of others, and of health checks: limits of one address must not be what the others notice. */
const ADDRESSES = { crowd: '127.0.0.2', other: '127.0.0.3', health: '127.0.0.4' }
const EVERY_MS = 100

/** Asks once; resolves to milliseconds until the whole answer is there. A new connection each time without an agent. */
async function ask(port, path, { token, from, agent = false, headers = {} }) {
  const start = performance.now()
  const request = get({ port, path, agent, localAddress: from, headers: { 'X-AUTH-TOKEN': token ?? '', ...headers } })
  const [response] = await once(request, 'response')
  await once(response.resume(), 'end')
  return performance.now() - start
}

/** Asks again and again at this pace, until a time; a pause follows an answer that took longer. */
async function pace(until, work) {
  const millis = []
  while (performance.now() < until) {
    const taken = await work()
    millis.push(taken)
    await sleep(Math.max(1, EVERY_MS - taken))
  }
  return millis
}

async function crowd({ port, token, study, items, until }) {
  let number = 0
  const fresh = () => `gazeVelocityThreshold=${(1 + (number++ % 398_000) / 1000).toFixed(3)}`
  const item = () => items[number % items.length].id
  const data = `${study}/collected-data`
  const KINDS = [
    () => [`${data}/eye-tracking/fixations?itemId=${item()}&${fresh()}`],
    () => [`${data}/eye-tracking/aois-all/overall-stats?${fresh()}`],
    () => [`${data}/eye-tracking/fixations?${fresh()}`, { Prefer: 'respond-async' }],
    () => [`${study}/charts/heatmap?itemId=${item()}&movingMedianRangeMs=${20 + (number++ % 900)}`],
    () => [`${study}/items/${item()}/image`],
    () => [study],
    () => [`${study}/flow`],
    () => [`${study}/methods`],
    () => ['/api2/studies'],
    () => ['/api2/jobs?limit=100'],
    () => ['/api2/openapi.json'],
    () => ['/api2/nothing'],
    () => ['/'],
  ]
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, i) => {
      const agent = i % 2 === 0 ? false : new Agent({ keepAlive: true, maxSockets: 1 })
      while (performance.now() < until()) {
        const [path, headers] = KINDS[(i + number) % KINDS.length]()
        await ask(port, path, { token, from: ADDRESSES.crowd, agent, headers }).catch(() => sleep(EVERY_MS))
      }
      if (agent) agent.destroy()
    }),
  )
}

export async function benchCrowd({ quick, wanted }) {
  if (!wanted('crowd')) return []
  const dataDir = join(OUT, 'crowd')
  await rm(dataDir, { recursive: true, force: true })
  const limits = { dataDir, append: false, dryRun: false, now: new Date(), threads: 2, memoryMib: 1024 }
  const { studyId } = await importBundle({ ...limits, directory: await bundleOf('small') })
  const newToken = () => finished(gazette(['token', 'create', '--name', 'bench'], { dataDir }))
  const [token, other] = [await newToken(), await newToken()]
  const { child, port } = await startService(dataDir, {})
  // A server that does nothing, to tell what the machine and the clients themselves take.
  const bare = createServer((_req, res) => res.end('ok')).listen(0, '127.0.0.1')
  await once(bare, 'listening')
  try {
    const study = `/api2/studies/${studyId}`
    const response = await fetch(`http://127.0.0.1:${port}${study}`, { headers: { 'X-AUTH-TOKEN': token } })
    const { items } = await response.json()
    let number = 0
    const small = () => {
      const path = `${study}/collected-data/eye-tracking/fixations?itemId=${items[0].id}`
      const velocity = (1 + (number++ % 398_000) / 1000).toFixed(3)
      return ask(port, `${path}&gazeVelocityThreshold=${velocity}`, { token: other, from: ADDRESSES.other })
    }
    const health = () => ask(port, '/healthz', { from: ADDRESSES.health })
    const ms = quick ? 5000 : 20_000
    await pace(performance.now() + 1000, small)
    const alone = await pace(performance.now() + ms / 2, small)
    let endsAt = performance.now() + ms
    const all = crowd({ port, token, study, items, until: () => endsAt })
    const [checks, exports, nothing] = await Promise.all([
      pace(endsAt, health),
      pace(endsAt, small),
      pace(endsAt, () => ask(bare.address().port, '/', { from: ADDRESSES.health })),
    ])
    endsAt = 0
    await all
    return rowsOf({ alone, checks, exports, nothing })
  } finally {
    bare.close()
    await stop(child)
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

function rowsOf({ alone, checks, exports, nothing }) {
  const text = (millis) => `p50 ${quantile(millis, 0.5).toFixed(0)} ms, p99 ${quantile(millis, 0.99).toFixed(0)} ms`
  const beside = `beside ${CLIENTS} mixed clients of one address`
  const ratio = (quantile(exports, 0.99) / quantile(alone, 0.99)).toFixed(1)
  return [
    row(`\`/healthz\` ${beside}`, '', 'p99 ≤ 250 ms', { detail: `${text(checks)}; a bare server ${text(nothing)}` }),
    row(`another token's small export ${beside}`, 'the same alone', 'p99 ≤ 3 ×', {
      detail: `${ratio} ×: ${text(exports)}; alone ${text(alone)}`,
    }),
  ]
}
