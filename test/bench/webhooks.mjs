// Ten thousand messages to a receiver that fails a third of the tries; the process that delivers them is killed in the
// middle.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { endJob } from '../../dist/engine/jobs/end-job.js'
import { openJobs } from '../../dist/engine/jobs/open-jobs.js'
import { requestJob } from '../../dist/engine/jobs/request-job.js'
import { defaultParameters } from '../../dist/engine/model/parameters.js'
import { messageIds } from '../../dist/engine/webhooks/message.js'
import { createWebhook } from '../../dist/engine/webhooks/webhook.js'
import { OUT } from './data.mjs'
import { quantile, row } from './measure.mjs'

const DELIVERER = fileURLToPath(new URL('../worker/webhooks/process.mjs', import.meta.url))
const STUDIES = 100
/** Ends of jobs whose times are compared, one after the other. */
const SAMPLE = 100

const idOf = (n) => `50000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`

/** Begins jobs and ends them, some at a time, and returns how many milliseconds the ends took. */
async function endJobs(jobs, count, from, atATime = 1) {
  const times = []
  let n = from
  const one = async () => {
    while (n < from + count) times.push(await endJobOf(jobs, n++))
  }
  await Promise.all(Array.from({ length: atATime }, one))
  return times
}

async function endJobOf(jobs, n) {
  const snapshotId = n.toString(16).padStart(64, '0')
  const parameters = { itemId: null }
  const plan = {
    export: 'fixations',
    studyId: idOf(n % STUDIES),
    snapshotId,
    parameters,
    version: '',
    formulaGuard: true,
  }
  const now = new Date()
  const asked = { tokenId: 'bench', parameters: defaultParameters(), samplesTotal: 1, fileName: 'fixations.csv', now }
  const { id, attempt } = await requestJob(jobs, plan, asked)
  const end = { state: 'failed', startedAt: null, finishedAt: now.toISOString(), expiresAt: null, file: null }
  const start = performance.now()
  await endJob(jobs, id, attempt, { ...end, error: { code: 'corrupt', message: 'made for the bench' } })
  return performance.now() - start
}

async function startReceiver() {
  const taken = new Map()
  const receiver = { taken, tries: 0, secret: '', wrong: 0 }
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray()).toString()
    try {
      new Webhook(receiver.secret).verify(body, req.headers)
    } catch {
      receiver.wrong++
    }
    const isTaken = receiver.tries++ % 3 !== 1
    if (isTaken) taken.set(req.headers['webhook-id'], (taken.get(req.headers['webhook-id']) ?? 0) + 1)
    res.writeHead(isTaken ? 204 : 500).end()
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return { receiver, server, url: `http://127.0.0.1:${server.address().port}/` }
}

async function startDeliverer(dataDir) {
  const child = spawn(process.execPath, [DELIVERER, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

const peakMib = async (pid) =>
  Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))?.[1] ?? Number.NaN) / 1024

export async function benchWebhooks({ quick, wanted }) {
  if (!wanted('webhooks')) return []
  const count = quick ? 1000 : 10_000
  const dataDir = join(OUT, 'webhooks')
  await rm(dataDir, { recursive: true, force: true })
  const jobs = openJobs(dataDir)
  const without = await endJobs(jobs, SAMPLE, 1_000_000)
  const { receiver, server, url } = await startReceiver()
  const webhook = await createWebhook(dataDir, { url, name: 'bench', events: ['job.failed'], now: new Date() })
  receiver.secret = webhook.secrets[0].secret
  const times = await endJobs(jobs, SAMPLE, 0)
  await endJobs(jobs, count - SAMPLE, SAMPLE, 32)
  const start = performance.now()
  const first = await startDeliverer(dataDir)
  while (receiver.taken.size < count / 2) await sleep(20)
  first.kill('SIGKILL')
  await once(first, 'exit')
  const second = await startDeliverer(dataDir)
  while ((await messageIds(dataDir, webhook.id)).length > 0) await sleep(200)
  const seconds = (performance.now() - start) / 1000
  const memory = await peakMib(second.pid)
  second.kill()
  server.close()
  if (receiver.taken.size !== count) throw new Error(`${receiver.taken.size} of ${count} messages have arrived`)
  if (receiver.wrong > 0) throw new Error(`${receiver.wrong} signatures were wrong`)
  const twice = [...receiver.taken.values()].filter((times) => times > 1).length
  await rm(dataDir, { recursive: true, force: true })
  return [
    row(`${count} messages of ${STUDIES} studies, a third of the tries failing, killed half-way`, '', 'all arrive', {
      detail: `all ${receiver.taken.size} in ${seconds.toFixed(1)} s, ${Math.round(receiver.tries / seconds)} tries/s; ${receiver.tries} tries; ${twice} came twice; ${memory.toFixed(0)} MiB`,
    }),
    row('end of a job that a webhook is told of', 'one that none is', '', {
      detail: `p50 ${quantile(times, 0.5).toFixed(1)} ms and ${quantile(without, 0.5).toFixed(1)} ms`,
    }),
  ]
}
