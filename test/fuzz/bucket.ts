import { createHash } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chance, pick, type Random, wholeBetween } from '../../demo/random.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import { jobId } from '../../engine/model/plan.ts'
import { manifestSubject } from '../../engine/snapshot/snapshots.ts'
import { seal } from '../../engine/storage/files/sealed-json.ts'
import { openDirectory } from '../../engine/storage/objects/directory-objects.ts'
import { openFileCache } from '../../engine/storage/objects/file-cache.ts'
import { receiveJobs } from '../../engine/study/bucket/copy-jobs.ts'
import { openRemote } from '../../engine/study/bucket/open-remote.ts'
import { receiveStudy } from '../../engine/study/bucket/receive-study.ts'
import { sendStudy } from '../../engine/study/bucket/send-study.ts'
import { fileKey, snapshotKey } from '../../engine/study/bucket/versions.ts'
import { GOLDEN_STUDY, importGolden } from '../engine/studies.ts'
import { claim, type Fuzzer, NASTY, type Round } from './fuzzer.ts'

/** Writes that somebody who can only write to the bucket might make this machine do. */
const EVIL = '{"tokens":[]}'
const EVIL_SHA256 = createHash('sha256').update(EVIL).digest('hex')
const NOW = new Date('2026-01-01T00:00:00Z')
const newSum = () => ({ files: 0, bytes: 0, known: 0 })

/**
 * Manifests, versions and ends of jobs in a bucket, well sealed, with other names in them: refused, or nothing is
 * written but where studies and jobs are.
 */
export const BUCKETS: Fuzzer = {
  name: 'buckets',
  open: async () => {
    const root = await mkdtemp(join(tmpdir(), 'gazette-fuzz-'))
    const golden = await importGolden(join(root, 'sent'))
    const sent = join(root, 'bucket')
    const first = openDirectory(sent)
    await sendStudy({ dataDir: join(root, 'sent'), store: first, replace: false, now: NOW }, GOLDEN_STUDY, newSum())
    await first.put(fileKey(GOLDEN_STUDY, EVIL_SHA256), EVIL)
    const parameters = defaultParameters()
    const plan = makePlan({ snapshot: golden, exportName: 'saccades', parameters, formulaGuard: true })
    const studyFiles = { 'history.ndjson': EVIL_SHA256, 'past-aois.json': EVIL_SHA256 }
    const plain = { bytes: EVIL.length, sha256: EVIL_SHA256, sums: '' }
    const file = { rows: 1, samples: 1, plain, gzip: null }
    const end = {
      state: 'succeeded',
      startedAt: null,
      finishedAt: NOW.toISOString(),
      expiresAt: null,
      file,
      error: null,
    }
    const facts = { plan, attempt: 1, createdAt: NOW.toISOString(), createdBefore: null, parameters: {} }
    const id = jobId(plan)
    const versionKey = `versions/${GOLDEN_STUDY}/000000000002.json`
    const documents: { key: string; subject: string; content: object }[] = [
      { key: snapshotKey(GOLDEN_STUDY, golden.id), subject: manifestSubject(golden.id), content: golden.manifest },
      { key: versionKey, subject: versionKey, content: { snapshotId: golden.id, studyFiles } },
      { key: `exports/${id}/1.plan.json`, subject: `plan of ${id}`, content: facts },
      { key: `exports/${id}/1.end.json`, subject: `end of ${id} 1`, content: end },
    ]
    let rounds = 0
    const round: Round = async (random, tell) => {
      const place = join(root, 'deep', String(rounds++))
      const [dataDir, cacheDir, bucket] = ['data', 'cache', 'bucket'].map((name) => join(place, name))
      await cp(sent, bucket, { recursive: true })
      const store = openDirectory(bucket)
      const evil = pick(random, documents)
      for (const { key, subject, content } of documents) {
        if (key.startsWith('versions') && evil.key !== key) continue
        await store.put(key, seal(key === evil.key ? changed(random, content) : content, subject))
      }
      tell(`${evil.key}: ${await readFile(join(bucket, evil.key), 'utf8')}`)
      await writeFile(join(place, 'tokens.json'), 'ours')
      const cache = await openFileCache(cacheDir, 2 ** 30)
      const before = await filesIn(root)
      const work = [
        () => receiveStudy({ dataDir, store, replace: false }, GOLDEN_STUDY, newSum()),
        () => openRemote(store, cache).current(GOLDEN_STUDY),
        () => receiveJobs(dataDir, store, newSum(), () => {}),
      ]
      for (const each of work)
        await each().catch((error) => {
          if (!(error instanceof ServiceError)) throw error
        })
      await cache.close()
      const own = [
        'data/.copying',
        'data/studies/changes.log',
        `data/studies/${GOLDEN_STUDY}`,
        `data/exports/${id}`,
        `cache/studies/${GOLDEN_STUDY}`,
        'cache/objects',
      ].map((name) => join(place, name))
      const isOwn = (path: string) => own.some((directory) => path === directory || path.startsWith(`${directory}/`))
      const added = (await filesIn(root)).filter((path) => !before.includes(path) && !isOwn(path))
      claim(added.length === 0, `written: ${added.join()}`)
      claim((await readFile(join(place, 'tokens.json'), 'utf8')) === 'ours', 'tokens.json was written over')
      await rm(place, { recursive: true })
    }
    return { round, close: () => rm(root, { recursive: true, force: true }) }
  },
}

async function filesIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

/** Returns a document with some texts, or names of fields, that are something else. */
function changed(random: Random, content: object): object {
  const places: [string, object][] = []
  JSON.stringify(content, function (this: object, key, value) {
    if (key !== '') places.push([key, this])
    return value
  })
  const chosen = Array.from({ length: wholeBetween(random, 1, 3) }, () => pick(random, places))
  return JSON.parse(
    JSON.stringify(content, function (this: object, key, value) {
      const mine = chosen.filter(([name, of]) => name === key && of === this)
      if (mine.length > 0 && typeof value !== 'object') return chance(random, 0.5) ? pathOf(random) : EVIL_SHA256
      if (mine.length > 0 && !Array.isArray(value)) return { ...value, [pathOf(random)]: EVIL_SHA256 }
      return value
    }),
  )
}

/** Returns a name that may lead elsewhere. */
function pathOf(random: Random): string {
  const pieces = [
    '..',
    '..',
    '.',
    '',
    'tokens.json',
    'images',
    'studies',
    'x',
    '%2e%2e',
    '\0',
    'C:',
    ...NASTY.slice(0, 20),
  ]
  const parts = Array.from({ length: wholeBetween(random, 1, 6) }, () => pick(random, pieces))
  return parts.join(pick(random, ['/', '/', '\\', '//']))
}
