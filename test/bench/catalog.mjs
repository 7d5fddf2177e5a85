// Ten thousand studies: what the lists cost, a start, and memory. The studies are written as an import leaves them,
// without tables.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { snapshotIdOf } from '../../dist/engine/snapshot/snapshot-id.js'
import { manifestText } from '../../dist/engine/snapshot/snapshots.js'
import { FORMAT_VERSION } from '../../dist/engine/storage/files/data-format.js'
import { publishSnapshot } from '../../dist/engine/study/publish.js'
import { OUT } from './data.mjs'
import { quantile, row } from './measure.mjs'
import { finished, gazette, stop } from './process.mjs'
import { openClient, startService } from './service.mjs'

const STUDIES = 10_000
const ASKS = 200

const studyId = (i) => `5c000000-0000-4000-8000-${String(i).padStart(12, '0')}`

/** Makes the first so many studies of a data directory, each with a snapshot of its description alone. */
function writeStudies(dataDir, count) {
  const mark = join(dataDir, 'whole')
  if (existsSync(mark)) return
  rmSync(dataDir, { recursive: true, force: true })
  for (let i = 0; i < count; i++) {
    const studyDir = join(dataDir, 'studies', studyId(i))
    const { json, manifest } = snapshotOf(i, `Study ${i}`)
    const directory = join(studyDir, manifest.snapshotId)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'study.json'), json)
    writeFileSync(join(directory, 'manifest.json'), manifestText(manifest))
    writeFileSync(join(studyDir, 'current'), `${manifest.snapshotId}\n`)
  }
  writeFileSync(mark, '')
}

function snapshotOf(i, name) {
  const id = studyId(i)
  const json = JSON.stringify({ id, name, isServiceBasicSurveyEnabled: false, steps: [], items: [], aois: [] })
  const files = { 'study.json': createHash('sha256').update(json).digest('hex') }
  const origin = { bundle: files, parentId: null }
  const counts = { participants: 1 + (i % 900), completed: i % 900, items: 0, tests: 0, samples: 0 }
  const times = { parentId: null, createdAt: new Date().toISOString() }
  const snapshotId = snapshotIdOf(origin)
  const manifest = {
    formatVersion: FORMAT_VERSION,
    snapshotId,
    studyId: id,
    ...times,
    counts,
    sampleFiles: [],
    files,
    bundle: files,
  }
  return { json, manifest }
}

/** Publishes a study as an import does. */
async function publishNamed(dataDir, i, name) {
  const studyDir = join(dataDir, 'studies', studyId(i))
  const temporary = join(studyDir, `.import-${randomBytes(6).toString('hex')}`)
  const { json, manifest } = snapshotOf(i, name)
  mkdirSync(temporary)
  writeFileSync(join(temporary, 'study.json'), json)
  writeFileSync(join(temporary, 'manifest.json'), manifestText(manifest))
  await publishSnapshot(studyDir, temporary, manifest.snapshotId)
}

function residentMib({ pid }) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

export async function benchCatalog({ wanted }) {
  if (!wanted('catalog')) return []
  const dataDir = join(OUT, 'catalog-data')
  writeStudies(dataDir, STUDIES)
  const token = await finished(gazette(['token', 'create', '--name', 'bench', '--role', 'write'], { dataDir }))
  const empty = join(OUT, 'catalog-none')
  rmSync(empty, { recursive: true, force: true })
  const none = await startService(empty, {})
  await stop(none.child)
  const { child, port, seconds } = await startService(dataDir, {})
  const client = await openClient(port, token)
  const rows = []
  const tell = (what, goal, ours, detail) => rows.push(row(what, '', goal, { ours, detail }))
  try {
    const start = { ours: [seconds], theirs: [none.seconds] }
    rows.push(row(`start on ${STUDIES} studies, until ready`, 'a start on none', '≤ 3 s', start))
    for (const [what, path] of [
      ['list of 100 studies', `/api2/studies?limit=100`],
      ['drop-rate of all studies', '/api2/studies-all/drop-rate'],
    ]) {
      const first = await timed(() => client.ask(path))
      const times = []
      for (let i = 0; i < ASKS; i++) times.push(await timed(() => client.ask(path)))
      const { status, body } = await client.ask(path)
      if (status !== 200) throw new Error(`${status}: ${body}`)
      const bytes = `${(body.length / 1024).toFixed(0)} KiB, the first ${(first * 1000).toFixed(0)} ms`
      tell(
        `${what}, p99`,
        '≤ 50 ms',
        [quantile(times, 0.99)],
        `median ${(quantile(times, 0.5) * 1000).toFixed(1)} ms; ${bytes}`,
      )
    }
    const times = []
    for (let i = 0; i < 50; i++) {
      const name = `Study ${i} at ${Date.now()}`
      await publishNamed(dataDir, i, name)
      times.push(
        await timed(async () => {
          const { body } = await client.ask('/api2/studies?limit=100')
          if (!String(body).includes(name)) throw new Error('a list did not have what had just been published')
        }),
      )
    }
    tell(
      'list after each change by another process, p99',
      '≤ 50 ms',
      [quantile(times, 0.99)],
      'each list had the change',
    )
    tell('memory after that', '≤ 600 MiB', null, `${residentMib(child).toFixed(0)} MiB`)
  } finally {
    client.close()
    await stop(child)
  }
  return rows
}

async function timed(work) {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}
