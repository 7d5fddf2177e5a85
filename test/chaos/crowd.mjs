// By hand: how a real server takes ten thousand equal requests at once, a thousand clients that do not read, and ten
// times what it can compute. `node test/chaos/crowd.mjs [requests]`, after `npm run build`. Prints a table; nothing
// here passes or fails.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const REQUESTS = Number(process.argv[2] ?? 10_000)
const program = fileURLToPath(new URL('../../dist/bin/gazette.cjs', import.meta.url))
const dataDir = await mkdtemp(join(tmpdir(), 'gazette-crowd-'))
const env = {
  ...process.env,
  DATA_DIR: dataDir,
  PORT: '0',
  LOG_LEVEL: 'warn',
  REQUESTS_PER_MINUTE: '10000000',
  // One item's samples are computed at once, a whole study's go to the queue.
  SYNC_MAX_SAMPLES: '10000',
  HOLD_SECONDS: '60',
}
const server = spawn(process.execPath, [program, 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
let said = ''
server.stdout.on('data', (bytes) => {
  said += bytes
})
while (!said.includes('Ctrl-C stops')) await sleep(100)
const url = /listening on (\S+)/.exec(said)[1]
const token = /Token {5}(\S+)/.exec(said)[1]
const study = /studies\/([0-9a-f-]{36})/.exec(said)[1]
const base = `/api2/studies/${study}/collected-data/eye-tracking`
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })

/** Status, bytes' SHA-256 and time of one answer. */
function ask(path, headers = {}) {
  const startedMs = performance.now()
  return new Promise((resolve) => {
    const req = request(url + path, { agent, headers: { 'x-auth-token': token, ...headers } }, (res) => {
      const hash = createHash('sha256')
      res.on('data', (piece) => hash.update(piece))
      res.on('end', () =>
        resolve({
          status: res.statusCode,
          retryAfter: res.headers['retry-after'],
          sha256: hash.digest('hex'),
          ms: performance.now() - startedMs,
        }),
      )
    })
    req.on('error', ({ code }) => resolve({ status: code, ms: performance.now() - startedMs }))
    req.end()
  })
}

function firstItem() {
  return new Promise((resolve, reject) => {
    const req = request(`${url}/api2/studies/${study}`, { headers: { 'x-auth-token': token } }, async (res) => {
      let text = ''
      for await (const piece of res) text += piece
      resolve(JSON.parse(text).items[0].id)
    })
    req.on('error', reject)
    req.end()
  })
}

const rssMib = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) / 1024

/** Runs something and says how the server was meanwhile: memory, and how long /healthz took. */
async function meanwhile(name, work) {
  const before = rssMib()
  let most = before
  const health = []
  let over = false
  const watching = (async () => {
    while (!over) {
      most = Math.max(most, rssMib())
      health.push((await ask('/healthz')).ms)
      await sleep(50)
    }
  })()
  const startedMs = performance.now()
  const result = await work()
  over = true
  await watching
  health.sort((a, b) => a - b)
  const at = (share) => `${Math.round(health[Math.floor((health.length - 1) * share)])} ms`
  console.log(
    `${name}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s; memory ${before.toFixed(0)} MiB before, ${most.toFixed(0)} at most; /healthz median ${at(0.5)}, 99 % ${at(0.99)}`,
  )
  console.log(`  ${result}`)
}

function tally(answers) {
  const counts = new Map()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  const refused = answers.filter(({ status }) => status === 503 || status === 429)
  return [
    [...counts].map(([status, n]) => `${n} × ${status}`).join(', '),
    `answered after median ${Math.round(times[times.length >> 1])} ms, longest ${Math.round(times.at(-1))} ms`,
    `refusals without Retry-After: ${refused.filter(({ retryAfter }) => retryAfter === undefined).length}`,
    `different files: ${new Set(answers.filter(({ status }) => status === 200).map(({ sha256 }) => sha256)).size}`,
  ].join('; ')
}

const item = await firstItem()
await ask(`${base}/fixations?itemId=${item}`)
for (const prefer of ['respond-async', 'wait=60'])
  await meanwhile(`${REQUESTS} equal requests at once (${prefer})`, async () => {
    const path = `${base}/aois-all/overall-stats?movingMedianRangeMs=${prefer === 'wait=60' ? 300 : 301}`
    return tally(await Promise.all(Array.from({ length: REQUESTS }, () => ask(path, { prefer }))))
  })
await meanwhile(`${REQUESTS} equal requests at once, computed while they wait`, async () => {
  const path = `${base}/aois-all/overall-stats?itemId=${item}`
  return tally(await Promise.all(Array.from({ length: REQUESTS }, () => ask(path))))
})
const jobs = (await readdir(join(dataDir, 'exports'))).filter((name) => name.startsWith('x'))
console.log(`  jobs of these: ${jobs.length}`)

const slow = []
await meanwhile('1,000 clients that ask and do not read, 200 that do', async () => {
  for (let i = 0; i < 1000; i++) {
    const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(url).port) })
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(
      `GET ${base}/gazes/raw-denoises-normalized-split?itemId=${item} HTTP/1.1\r\nHost: x\r\nX-Auth-Token: ${token}\r\n\r\n`,
    )
    slow.push(socket)
  }
  const answers = []
  for (let i = 0; i < 200; i++) answers.push(await ask(`${base}/fixations?itemId=${item}`))
  return tally(answers)
})
for (const socket of slow) socket.destroy()

await meanwhile('ten times what can be computed, for 15 s', async () => {
  const answers = []
  const until = performance.now() + 15_000
  let n = 0
  // The line takes 18 exports; ten times as many clients ask, each for another one, again and again.
  await Promise.all(
    Array.from({ length: 180 }, async () => {
      while (performance.now() < until) {
        answers.push(
          await ask(
            `${base}/gazes/raw-denoises-normalized-split?itemId=${item}&movingMedianRangeMs=${20 + (n++ % 900)}`,
          ),
        )
        await sleep(20)
      }
    }),
  )
  return tally(answers)
})
const exited = new Promise((resolve) => server.once('exit', resolve))
server.kill('SIGTERM')
console.log(`exit code after SIGTERM: ${await exited}`)
await rm(dataDir, { recursive: true, force: true })
