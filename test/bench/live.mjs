// Participants that are sent to the real program, one request each, by clients of a process of their own.
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importBundle } from '../../dist/engine/import/import-bundle.js'
import { OUT } from './data.mjs'
import { quantile, row } from './measure.mjs'
import { finished, gazette, stop } from './process.mjs'
import { startService } from './service.mjs'

export const CLIENTS = 50
const ITEMS = 6
const SAMPLES = 240

const idOf = (kind, n) => `${kind}0000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
const round = (value) => Math.round(value * 1000) / 1000

/** A body as a platform sends it: 6 items of 8 s at 30 Hz. */
export function bodyOf(n) {
  const random = createRandom(n)
  const column = (of) => Array.from({ length: SAMPLES }, (_, i) => of(i))
  const tests = Array.from({ length: ITEMS }, (_, i) => ({
    test_id: idOf('c', n * ITEMS + i),
    item_id: idOf('1', i),
    display_order: i + 1,
    duration_ms: 8000,
    browser_width_px: 1280,
    browser_height_px: 720,
    samples: {
      t_ms: column((k) => round((k * 1000) / 30)),
      gaze_x_px: column((k) => round(300 + 100 * Math.floor(k / 12) * random() + random())),
      gaze_y_px: column(() => round(300 + 40 * random())),
    },
  }))
  const createdAt = new Date(1.7e12 + n * 1000).toISOString()
  return JSON.stringify({
    participant: { participant_id: idOf('b', n), created_at: createdAt, is_completed: true },
    tests,
  })
}

function createRandom(seed) {
  let state = (seed + 1) * 2654435761
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 1) | 0
    return (state >>> 8) / 2 ** 24
  }
}

export const STUDY = {
  id: idOf('5', 1),
  name: 'Live',
  isServiceBasicSurveyEnabled: false,
  steps: [],
  aois: [],
  items: Array.from({ length: ITEMS }, (_, i) => ({
    id: idOf('1', i),
    filename: `${i}.png`,
    cdnUrl: '',
    type: 'images',
    stimuliDurationMs: 8000,
    widthPx: 1280,
    heightPx: 720,
  })),
}

/**
 * Runs in a process of its own: sends participants as fast as they are answered, by clients spread over the servers on
 * some ports, and tells how long each took. One that is refused is sent again.
 */
async function send({ ports, token, count, from }) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const times = []
  let refused = 0
  let next = from
  const client = async (_, i) => {
    while (next < from + count) {
      const body = bodyOf(next++)
      const start = performance.now()
      while ((await post(agent, ports[i % ports.length], token, body)) !== 201) refused++
      times.push(performance.now() - start)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  return { seconds, times, refused }
}

function post(agent, port, token, body) {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-auth-token': token,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const path = `/api2/studies/${STUDY.id}/participants`
    const req = request({ agent, port, host: '127.0.0.1', method: 'POST', path, headers }, (res) => {
      res.resume()
      res.on('end', () => resolve(res.statusCode))
    })
    req.on('error', reject)
    req.end(body)
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [options] = await once(process, 'message')
  process.send(await send(options), () => process.disconnect())
}

export async function sendFromAside(options) {
  const child = fork(fileURLToPath(import.meta.url))
  child.send(options)
  const [answer] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [null])])
  if (answer === null) throw new Error('the clients have failed')
  return answer
}

async function bytesUnder(directory) {
  let bytes = 0
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])) {
    // Links are counted where they lead.
    if (!entry.isFile()) continue
    bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size
  }
  return bytes
}

/** Writes the same participants as a bundle. */
async function writeBundle(directory, count) {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'study.json'), JSON.stringify(STUDY))
  const files = ['participants.csv', 'tests.csv', 'samples.csv'].map((name) => createWriteStream(join(directory, name)))
  const columns = ['display_order', 'duration_ms', 'browser_width_px', 'browser_height_px']
  files[0].write('participant_id,created_at,is_completed\n')
  files[1].write(`test_id,participant_id,item_id,${columns}\n`)
  files[2].write('test_id,t_ms,gaze_x_px,gaze_y_px\n')
  for (let n = 0; n < count; n++) {
    const { participant, tests } = JSON.parse(bodyOf(n))
    const { participant_id: id, created_at: createdAt } = participant
    files[0].write(`${id},${createdAt},true\n`)
    for (const { test_id, item_id, samples, ...rest } of tests) {
      files[1].write(`${test_id},${id},${item_id},${columns.map((name) => rest[name])}\n`)
      const lines = samples.t_ms.map((t, k) => `${test_id},${t},${samples.gaze_x_px[k]},${samples.gaze_y_px[k]}\n`)
      if (!files[2].write(lines.join(''))) await once(files[2], 'drain')
    }
  }
  await Promise.all(files.map((file) => once(file.end(), 'close')))
}

/** The seconds of some exports of a study, and what they hold. */
async function exported(dataDir, threads, runs) {
  const seconds = []
  let sha256 = ''
  for (let run = -1; run < runs; run++) {
    const start = performance.now()
    const child = gazette(['export', 'fixations', '--study', STUDY.id], {
      dataDir,
      env: { ENGINE_THREADS: String(threads) },
    })
    const hash = createHash('sha256')
    child.stdout.on('data', (chunk) => hash.update(chunk))
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`an export has failed with ${code}`)
    if (run >= 0) seconds.push((performance.now() - start) / 1000)
    sha256 = hash.digest('hex')
  }
  return { seconds, sha256 }
}

/** Measures the time from the answer about an added participant until an export has them, by polling. */
async function seenAfter(port, token, n) {
  const start = performance.now()
  for (;;) {
    const path = `/api2/studies/${STUDY.id}`
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-auth-token': token } })
    if ((await response.json()).participantCount > n) return performance.now() - start
  }
}

export async function benchLive({ quick, runs, threads, wanted }) {
  if (!wanted('live')) return []
  const count = quick ? 1000 : 10_000
  const dataDir = join(OUT, 'live')
  const imported = join(OUT, 'live-imported')
  const bundle = join(OUT, 'live-bundle')
  for (const directory of [dataDir, imported, bundle]) await rm(directory, { recursive: true, force: true })
  const token = await finished(gazette(['token', 'create', '--role', 'write'], { dataDir }))
  await makeAnyStudy(dataDir)
  const { child, port } = await startService(dataDir, { EXPORTS_MAX_GIB: '1' })
  const rows = []
  try {
    const headers = { 'x-auth-token': token, 'content-type': 'application/json' }
    const body = JSON.stringify(STUDY)
    const made = await fetch(`http://127.0.0.1:${port}/api2/studies`, { method: 'POST', headers, body })
    if (made.status !== 201) throw new Error(`the study was answered with ${made.status}`)
    const studyDir = join(dataDir, 'studies', STUDY.id)
    let most = 0
    const watching = setInterval(async () => {
      most = Math.max(most, await bytesUnder(studyDir))
    }, 500)
    const parts = [0.5, 0.5].map((share) => Math.round(count * share))
    const sent = []
    let from = 0
    for (const part of parts) {
      sent.push(await sendFromAside({ ports: [port], token, count: part, from }))
      from += part
    }
    const seen = await seenAfter(port, token, count - 1)
    const rates = sent.map(({ seconds }, i) => `${Math.round(parts[i] / seconds)}/s`)
    const times = sent.flatMap((each) => each.times)
    rows.push(
      row(`${count} participants (30 Hz, 6 items of 8 s), one request each, ${CLIENTS} clients`, '', '≥ 100/s', {
        detail: `${rates.join(', then ')}; p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms; all seen ${seen.toFixed(0)} ms after the last 201`,
      }),
    )
    await untilMerged(studyDir)
    clearInterval(watching)
    await new Promise((done) => setTimeout(done, 15_000))
    const last = await bytesUnder(studyDir)
    rows.push(
      row('disk that they take on the way', 'in the end', '≤ 2 ×', {
        detail: `${(most / 2 ** 20).toFixed(0)} MiB, ${(most / last).toFixed(2)} × of ${(last / 2 ** 20).toFixed(0)} MiB`,
      }),
    )
  } finally {
    await stop(child)
  }
  await writeBundle(bundle, count)
  await importBundle({
    dataDir: imported,
    directory: bundle,
    append: false,
    dryRun: false,
    now: new Date(),
    threads,
    memoryMib: 1024,
  })
  const [ours, theirs] = [await exported(dataDir, threads, runs), await exported(imported, threads, runs)]
  const same = ours.sha256 === theirs.sha256 ? 'equal bytes' : 'OTHER BYTES'
  rows.push(
    row('their fixations', 'the same study imported at once', '≥ 0.9 ×', {
      ours: ours.seconds,
      theirs: theirs.seconds,
      detail: same,
    }),
  )
  for (const directory of [dataDir, imported, bundle]) await rm(directory, { recursive: true, force: true })
  return rows
}

/** Otherwise `gazette start` would begin with a demo. */
export async function makeAnyStudy(dataDir) {
  await finished(gazette(['demo', '--participants', '2', '--items', '1', '--seconds', '1'], { dataDir }))
}

/** Waits until the sample files of the study have not changed for a while. */
async function untilMerged(studyDir) {
  for (let before = '', still = 0; still < 15; ) {
    const now = await readFile(join(studyDir, 'current'), 'utf8')
    still = now === before ? still + 1 : 0
    before = now
    await new Promise((done) => setTimeout(done, 1000))
  }
}
