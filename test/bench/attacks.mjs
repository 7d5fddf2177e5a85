// What honest clients notice of one attacker of each kind: the real program over TLS, with its embedded queue and its
// limits as they are.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { ATTACK_NAMES } from './attackers.mjs'
import { OUT } from './data.mjs'
import { median, row } from './measure.mjs'
import { finished, gazette, lineOf, stop } from './process.mjs'
import { load, openClient } from './service.mjs'

const ATTACKER = fileURLToPath(new URL('./attackers.mjs', import.meta.url))
const GOLDEN = fileURLToPath(new URL('../golden/bundle/', import.meta.url))
const HEAVY_STUDY = '7a000000-0000-4000-8000-000000000001'
const HONEST = { clients: 4, perSecond: 20 }

/** @param attack of the attackers' names a part, where not all are wanted */
export async function benchAttacks({ quick, runs, wanted, attack = '' }) {
  if (!wanted('attacks')) return []
  const root = join(OUT, 'attacks')
  const dataDir = join(root, 'data')
  await rm(root, { recursive: true, force: true })
  await mkdir(root, { recursive: true })
  const certificate = makeCertificate(root)
  if (certificate === null) return []
  const studyId = (await finished(gazette(['demo'], { dataDir }))).split('\n').at(-1)
  const heavy = { directory: await heavyBundle(root), studyId: HEAVY_STUDY }
  await finished(gazette(['import', heavy.directory], { dataDir }))
  const [token, other] = [await tokenOf(dataDir), await tokenOf(dataDir)]
  const collect = await tokenOf(dataDir, '--role', 'collect', '--study', studyId)
  const write = await tokenOf(dataDir, '--role', 'write')
  const service = gazette(['start'], { dataDir, env: certificate })
  try {
    const [, url] = await lineOf(service, /listening on (\S+)/)
    const port = Number(new URL(url).port)
    const client = await openClient(port, token, { isTls: true })
    const itemId = JSON.parse((await client.ask(`/api2/studies/${studyId}`)).body).items[0].id
    const path = `/api2/studies/${studyId}/collected-data/eye-tracking/fixations?itemId=${itemId}`
    heavy.job = JSON.parse((await client.ask(`${path}&movingMedianRangeMs=123`, 'Prefer: respond-async\r\n')).body).id
    client.close()
    const target = { port, token: other, collect, write, studyId, itemId, heavy, bomb: await bombBundle(root) }
    const rows = []
    for (const kind of ATTACK_NAMES.filter((name) => name.includes(attack))) {
      rows.push(await attackRow({ kind, target, port, token, path, quick, runs }))
      console.error(rows.at(-1).what, rows.at(-1).detail)
    }
    return rows
  } finally {
    await stop(service)
    await rm(root, { recursive: true, force: true })
  }
}

let number = 0

async function attackRow({ kind, target, port, token, path, quick, runs }) {
  const seconds = quick ? 3 : 6
  // Each request is another plan, so that none is answered from what an earlier one made.
  const pathOf = () => `${path}&gazeVelocityThreshold=${(1 + (number++ % 398_000) / 1000).toFixed(3)}`
  const honest = () => load({ port, token, seconds, pathOf, expected: 200, isTls: true, ...HONEST })
  const [without, during] = [[], []]
  for (let round = 0; round < runs; round++) {
    without.push(await honest())
    const attacker = spawn(process.execPath, [ATTACKER, kind, JSON.stringify(target)], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    })
    let said = ''
    attacker.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-2000)))
    await sleep(1500)
    during.push(await honest())
    // One that has ended would have measured nothing.
    if (attacker.exitCode !== null) throw new Error(`the attacker has ended by itself: ${kind}: ${said}`)
    // With what it has started.
    process.kill(-attacker.pid, 'SIGKILL')
    await once(attacker, 'exit')
    await sleep(500)
  }
  const p99 = (measured) => median(measured.map((each) => each.p99))
  const p50 = (measured) => median(measured.map((each) => each.p50))
  const text = (measured) => `p50 ${p50(measured)?.toFixed(1)} ms, p99 ${p99(measured)?.toFixed(1)} ms`
  const refused = during.map(({ unexpected }) => unexpected).join('')
  const ratio = (p99(during) / p99(without)).toFixed(1)
  return row(`honest clients beside: ${kind}`, 'the same without', 'p99 ≤ 3 ×', {
    detail: `${ratio} ×: ${text(during)}${refused}; without ${text(without)}`,
  })
}

async function tokenOf(dataDir, ...options) {
  return finished(gazette(['token', 'create', '--name', 'bench', ...options], { dataDir }))
}

/** null where there is no openssl. */
function makeCertificate(directory) {
  const [TLS_KEY_FILE, TLS_CERT_FILE] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
  const args = [
    'req',
    '-x509',
    '-nodes',
    ...curve,
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-keyout',
    TLS_KEY_FILE,
    '-out',
    TLS_CERT_FILE,
  ]
  return spawnSync('openssl', args).status === 0 ? { TLS_KEY_FILE, TLS_CERT_FILE } : null
}

/** The largest description: as many points as a study may have, in polygons of maximum size. */
async function heavyBundle(root) {
  const directory = join(root, 'heavy')
  await cp(GOLDEN, directory, { recursive: true })
  const study = JSON.parse(await readFile(join(directory, 'study.json'), 'utf8'))
  const angle = (i) => (2 * Math.PI * i) / 1000
  const points = Array.from({ length: 1000 }, (_, i) => ({
    x: 0.5 + Math.cos(angle(i)) / 2,
    y: 0.5 + Math.sin(angle(i)) / 2,
  }))
  const aois = Array.from({ length: 100 }, (_, i) => ({
    id: `7b000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
    itemId: study.items[0].id,
    name: `AOI ${i}`,
    parts: [{ areaPoints: { points } }],
  }))
  await writeFile(join(directory, 'study.json'), JSON.stringify({ ...study, id: HEAVY_STUDY, aois }))
  return directory
}

/** Samples that unpack to a thousand times their size. */
async function bombBundle(root) {
  const directory = join(root, 'bomb')
  await cp(GOLDEN, directory, { recursive: true })
  const names = await readdir(directory)
  for (const name of names) if (name.startsWith('samples')) await rm(join(directory, name))
  const pieces = Array(64).fill(gzipSync(Buffer.alloc(2 ** 24, '\n')))
  await writeFile(join(directory, 'samples.csv.gz'), Buffer.concat([gzipSync('test_id,t_ms\n'), ...pieces]))
  return directory
}
