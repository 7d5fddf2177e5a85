// The real program under HTTP load, with a real Redis on a port of its own, and with its embedded queue.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { importBundle } from '../../dist/engine/import/import-bundle.js'
import { bundleOf, OUT } from './data.mjs'
import { median, quantile, row } from './measure.mjs'
import { finished, gazette, lineOf, stop } from './process.mjs'

const CLIENTS = 16

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** null where there is no redis-server. */
export async function startRedis() {
  const port = await freePort()
  const child = spawn('redis-server', [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    OUT,
  ])
  const failed = once(child, 'error').then(() => false)
  const ready = new Promise((resolve) => {
    child.stdout.on('data', (chunk) => /Ready to accept/.test(String(chunk)) && resolve(true))
  })
  return (await Promise.race([failed, ready])) ? { child, url: `redis://127.0.0.1:${port}` } : null
}

export async function startService(dataDir, env) {
  const start = performance.now()
  const child = gazette(['start'], {
    dataDir,
    env: { REQUESTS_PER_MINUTE: '100000000', OPEN_JOBS_PER_TOKEN: '1000000', ...env },
  })
  const [, url] = await lineOf(child, /listening on (\S+)/)
  while ((await fetch(new URL('/readyz', url)).catch(() => null))?.status !== 200)
    await new Promise((done) => setTimeout(done, 5))
  return { child, port: Number(new URL(url).port), seconds: (performance.now() - start) / 1000 }
}

/**
 * One client: a socket that is kept open, and no more parsing than needed, since it shares the machine with what it
 * measures. `ask` resolves to status, headers as text and body bytes.
 */
export async function openClient(port, token, { isTls = false } = {}) {
  const to = { port, host: '127.0.0.1', rejectUnauthorized: false }
  const socket = (isTls ? connectTls(to) : connect(to)).setNoDelay(true)
  await once(socket, isTls ? 'secureConnect' : 'connect')
  let answer = null
  let held = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    const end = held.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = held.latin1Slice(0, end)
    const status = Number(head.slice(9, 12))
    const length = status === 304 || status === 204 ? 0 : Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
    if (Number.isNaN(length)) return answer.reject(new Error(`no length: ${head}`))
    if (held.length < end + 4 + length) return
    const body = held.subarray(end + 4, end + 4 + length)
    held = Buffer.alloc(0)
    answer.resolve({ status, head, body })
  })
  socket.on('error', (error) => answer?.reject(error))
  return {
    ask: (path, headers = '') =>
      new Promise((resolve, reject) => {
        answer = { resolve, reject }
        socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-AUTH-TOKEN: ${token}\r\n${headers}\r\n`)
      }),
    close: () => socket.destroy(),
  }
}

/**
 * So many clients ask one after the other for so long; `pathOf` numbers the requests. With `perSecond` they come at
 * that rate, and each counts from when it was due.
 */
export async function load({
  port,
  token,
  seconds,
  pathOf,
  headers,
  expected,
  clients = CLIENTS,
  perSecond = null,
  isTls = false,
}) {
  const millis = []
  const others = new Map()
  let number = 0
  const until = performance.now() + seconds * 1000
  const start = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = await openClient(port, token, { isTls })
      while (performance.now() < until) {
        const due = perSecond === null ? performance.now() : start + (number * 1000) / perSecond
        const path = pathOf(number++)
        if (due > performance.now()) await new Promise((done) => setTimeout(done, due - performance.now()))
        const asked = Math.min(due, performance.now())
        const { status } = await client.ask(path, headers)
        if (status === expected) millis.push(performance.now() - asked)
        else others.set(status, (others.get(status) ?? 0) + 1)
      }
      client.close()
    }),
  )
  const unexpected = [...others].map(([status, count]) => `, ${count} answers ${status}`).join('')
  return {
    perSecond: millis.length / ((performance.now() - start) / 1000),
    p50: quantile(millis, 0.5),
    p99: quantile(millis, 0.99),
    unexpected,
  }
}

const times = ({ p50, p99, unexpected }) => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms${unexpected}`

const rate = ({ perSecond }) => `${perSecond.toFixed(0)}/s`

export async function benchService({ quick, runs, wanted }) {
  if (!wanted('service')) return []
  const rows = []
  const dataDir = join(OUT, 'service')
  await rm(dataDir, { recursive: true, force: true })
  const limits = { dataDir, append: false, dryRun: false, now: new Date(), threads: 2, memoryMib: 1024 }
  const small = await importBundle({ ...limits, directory: await bundleOf('small') })
  const bulk = await importBundle({ ...limits, directory: await bundleOf(quick ? '1m' : '12m') })
  const token = await finished(gazette(['token', 'create', '--name', 'bench'], { dataDir }))
  const redis = await startRedis()
  try {
    rows.push(await startRow('embedded queue', '≤ 4 s', dataDir, {}, runs))
    if (redis === null) return rows
    rows.push(await startRow('Redis', '≤ 1 s', dataDir, { QUEUE_URL: redis.url }, runs))
    const { child, port } = await startService(dataDir, { QUEUE_URL: redis.url })
    try {
      rows.push(...(await loadRows({ port, token, small, bulk, seconds: quick ? 2 : 5 })))
    } finally {
      await stop(child)
    }
  } finally {
    if (redis) await stop(redis.child)
    await rm(dataDir, { recursive: true, force: true })
  }
  return rows
}

async function startRow(name, goal, dataDir, env, runs) {
  const seconds = []
  for (let run = 0; run < runs; run++) {
    const service = await startService(dataDir, env)
    seconds.push(service.seconds)
    await stop(service.child)
  }
  return row(`start to ready, ${name}`, '', goal, {
    ours: seconds,
    detail: `median of ${runs}, longest ${Math.max(...seconds).toFixed(2)} s; ${median(seconds).toFixed(2)} s`,
  })
}

async function loadRows({ port, token, small, bulk, seconds }) {
  const rows = []
  const client = await openClient(port, token)
  const study = JSON.parse((await client.ask(`/api2/studies/${small.studyId}`)).body)
  const path = `/api2/studies/${small.studyId}/collected-data/eye-tracking/fixations?itemId=${study.items[0].id}`
  // Each request is another plan, so that none is answered from what an earlier one made.
  const fresh = (number) => `${path}&gazeVelocityThreshold=${(1 + (number % 398_000) / 1000).toFixed(3)}`
  const common = { port, token, seconds }
  await load({ ...common, seconds: 1, pathOf: fresh, expected: 200 })
  const warm = await load({ ...common, pathOf: (number) => fresh(number + 20_000), expected: 200 })
  const alone = await load({ ...common, pathOf: (number) => fresh(number + 40_000), expected: 200, clients: 1 })
  const again = await load({ ...common, pathOf: () => path, expected: 200 })
  const what = `small export (50 participants, 1 item), ${CLIENTS} clients`
  const goal = 'p50 ≤ 10 ms, p99 ≤ 50 ms'
  rows.push(row(`${what}, each asked for the first time`, '', goal, { detail: `${times(warm)}, ${rate(warm)}` }))
  rows.push(row('the same, 1 client', '', '', { detail: `${times(alone)}, ${rate(alone)}` }))
  rows.push(
    row(`${what}, the same again and again (from memory)`, '', goal, { detail: `${times(again)}, ${rate(again)}` }),
  )

  const { head } = await client.ask(path)
  const tag = /etag: (\S+)/i.exec(head)[1]
  const unchanged = await load({ ...common, pathOf: () => path, headers: `If-None-Match: ${tag}\r\n`, expected: 304 })
  rows.push(row('304', '', '≥ 5,000/s', { detail: `${rate(unchanged)}, ${times(unchanged)}` }))

  const queued = await load({
    ...common,
    seconds: Math.min(2, seconds),
    pathOf: (number) => fresh(number + 60_000),
    headers: 'Prefer: respond-async\r\n',
    expected: 202,
  })
  rows.push(row(`202, ${CLIENTS} clients`, '', 'p99 ≤ 25 ms', { detail: `${times(queued)}, ${rate(queued)}` }))
  await untilIdle(client)
  const steady = await load({
    ...common,
    pathOf: (number) => fresh(number + 80_000),
    headers: 'Prefer: respond-async\r\n',
    expected: 202,
    perSecond: 50,
  })
  rows.push(row('202, 50 a second, each a new job', '', 'p99 ≤ 25 ms', { detail: `${times(steady)}, ${rate(steady)}` }))

  const accepted = await client.ask(fresh(60_000), 'Prefer: respond-async\r\n')
  const job =
    /location: (\S+)/i.exec(accepted.head)?.[1] ??
    JSON.parse((await client.ask('/api2/jobs?limit=1')).body).jobs.map(({ id }) => `/api2/jobs/${id}`)[0]
  await untilIdle(client)
  const polled = await load({ ...common, pathOf: () => job, expected: 200 })
  rows.push(row('job poll', '', '≥ 5,000/s', { detail: `${rate(polled)}, ${times(polled)}` }))

  const big = `/api2/studies/${bulk.studyId}/collected-data/eye-tracking/gazes/raw-denoises-normalized-split`
  const started = await client.ask(big, 'Prefer: respond-async\r\n')
  const bulkJob = /location: (\S+)/i.exec(started.head)[1]
  while (JSON.parse((await client.ask(bulkJob)).body).state === 'queued')
    await new Promise((done) => setTimeout(done, 20))
  const during = { ...common, seconds: Math.min(1.5, seconds / 2), expected: 200 }
  for (const [asked, pathOf, without] of [
    ['each asked for the first time', (number) => fresh(number + 100_000), warm],
    ['the same again and again', () => path, again],
  ]) {
    const busy = await load({ ...during, pathOf })
    const { state } = JSON.parse((await client.ask(bulkJob)).body)
    const ratios = `${(busy.p50 / without.p50).toFixed(1)} × and ${(busy.p99 / without.p99).toFixed(1)} ×`
    rows.push(
      row(`small export while a bulk job runs, ${asked}`, 'the same without', '≤ 3 ×', {
        detail: `${times(busy)}: ${ratios}; the job was ${state} at the end`,
      }),
    )
  }
  client.close()
  return rows
}

/** Jobs of the rows before are still at work. */
async function untilIdle(client) {
  for (let look = 0; look < 1200; look++) {
    const states = ['queued', 'running']
    const open = []
    for (const state of states)
      open.push(...JSON.parse((await client.ask(`/api2/jobs?limit=1&state=${state}`)).body).jobs)
    if (open.length === 0) return
    await new Promise((done) => setTimeout(done, 100))
  }
}
