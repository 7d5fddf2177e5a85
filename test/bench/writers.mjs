// Writers on one study, through one server and through two, on a directory and on a bucket that is some way off.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { serveBucket } from './bucket-server.mjs'
import { OUT } from './data.mjs'
import { CLIENTS, makeAnyStudy, STUDY, sendFromAside } from './live.mjs'
import { quantile, row } from './measure.mjs'
import { finished, gazette, lineOf, stop } from './process.mjs'
import { startRedis } from './service.mjs'

const LATENCY_MS = 20

async function startServer(dataDir, env) {
  const child = gazette(['serve'], { dataDir, env: { REQUESTS_PER_MINUTE: '100000000', ...env } })
  const [, url] = await lineOf(child, /listening on (\S+)/)
  return { child, port: Number(new URL(url).port) }
}

/** Sends participants to a new study, by way of so many servers on one data directory. */
async function written({ dataDir, env, servers, count }) {
  const token = await finished(gazette(['token', 'create', '--role', 'write'], { dataDir, env }))
  const started = []
  const worker = gazette(['work'], { dataDir, env })
  try {
    for (let i = 0; i < servers; i++) started.push(await startServer(dataDir, env))
    const ports = started.map(({ port }) => port)
    const headers = { 'x-auth-token': token, 'content-type': 'application/json' }
    const body = JSON.stringify(STUDY)
    const made = await fetch(`http://127.0.0.1:${ports[0]}/api2/studies`, { method: 'POST', headers, body })
    if (made.status !== 201) throw new Error(`the study was answered with ${made.status}`)
    return await sendFromAside({ ports, token, count, from: 0 })
  } finally {
    for (const child of [...started.map((server) => server.child), worker]) await stop(child)
  }
}

export async function benchWriters({ quick, wanted }) {
  if (!wanted('writers')) return []
  const redis = await startRedis()
  if (redis === null) return []
  const rows = []
  const dataDir = join(OUT, 'writers')
  try {
    for (const [place, goal] of [
      ['a directory', '≥ 100/s'],
      [`a bucket ${LATENCY_MS} ms away`, '≥ 30/s'],
    ])
      for (const servers of [1, 2]) {
        await rm(dataDir, { recursive: true, force: true })
        await makeAnyStudy(dataDir)
        const isBucket = place.startsWith('a bucket')
        const bucket = isBucket ? await serveBucket(dataDir, ['--latency', String(LATENCY_MS)]) : null
        const env = { QUEUE_URL: redis.url, ...bucket?.env }
        const count = (quick ? 500 : 2000) * (isBucket ? 1 : 2)
        const { seconds, times, refused } = await written({ dataDir, env, servers, count }).finally(
          () => bucket && stop(bucket.server),
        )
        rows.push(
          row(`${count} participants into one study on ${place}, ${CLIENTS} clients`, `${servers} servers`, goal, {
            detail: `${Math.round(count / seconds)}/s; p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms, refused ${refused}`,
          }),
        )
      }
  } finally {
    await stop(redis.child)
    await rm(dataDir, { recursive: true, force: true })
  }
  return rows
}
