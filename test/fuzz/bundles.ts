import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chance, pick, type Random, wholeBetween } from '../../demo/random.ts'
import { openDuckDb } from '../../engine/duckdb/duckdb.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import { inlinePool } from '../../engine/run/inline-pool.ts'
import { checkSnapshots } from '../../engine/snapshot/check-snapshots.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { makeStudyFixture, type StudyFixture, smallBundle, writeBundle } from '../engine/import/bundles.ts'
import { ran } from '../engine/studies.ts'
import { claim, damageBytes, damageTable, type Fuzzer, NASTY, refusalOf } from './fuzzer.ts'

const FILES = ['study.json', 'participants.csv', 'tests.csv', 'samples.csv']

/**
 * Damaged bundles: refused, leaving nothing, or published with as many samples as the file has lines, and then every
 * export can be computed.
 */
export const BUNDLES: Fuzzer = {
  name: 'bundles',
  open: async () => {
    const fixture = await makeStudyFixture()
    const directory = await writeBundle(fixture.bundleDir(), smallBundle())
    const whole = new Map<string, Buffer>()
    for (const name of FILES) whole.set(name, await readFile(join(directory, name)))
    const round = async (random: Random) => {
      await rm(directory, { recursive: true })
      await mkdir(directory)
      const damaged = pick(random, FILES)
      for (const [name, bytes] of whole) {
        const now = name === damaged ? damageFile(random, name, bytes) : bytes
        const isPacked = name !== 'study.json' && chance(random, 0.2)
        const packed = isPacked ? gzipSync(now) : now
        const isTorn = isPacked && name === damaged && chance(random, 0.3)
        await writeFile(join(directory, isPacked ? `${name}.gz` : name), isTorn ? damageBytes(random, packed) : packed)
      }
      await importOrRefuse(fixture, directory, random)
    }
    return { round, close: fixture.remove }
  },
}

/** Damaged Parquet: pages, headers and footers that a reader of columns trusts. */
export const PARQUET: Fuzzer = {
  name: 'pages of Parquet',
  open: async () => {
    const fixture = await makeStudyFixture()
    const { samples: _, ...rest } = smallBundle()
    const directory = await writeBundle(fixture.bundleDir(), rest)
    const wholes = await parquetFiles(directory)
    const path = join(directory, 'samples.parquet')
    const round = async (random: Random) => {
      await writeFile(path, damageBytes(random, pick(random, wholes)))
      await importOrRefuse(fixture, directory, random)
    }
    return { round, close: fixture.remove }
  },
}

/** Folders of every name: the same bundle is the same study, whatever its path means elsewhere. */
export const FOLDERS: Fuzzer = {
  name: 'paths of files',
  open: async () => {
    const fixture = await makeStudyFixture()
    const expected = await fixture.importing(smallBundle())
    const round = async (random: Random) => {
      const names = Array.from({ length: wholeBetween(random, 1, 3) }, () => folderName(random))
      const directory = join(fixture.root, 'in', ...names)
      await writeBundle(directory, smallBundle())
      const { snapshotId, counts } = await fixture.importDir(directory, {
        dataDir: join(fixture.root, folderName(random), 'data'),
      })
      claim(
        snapshotId === expected.snapshotId && counts.samples === expected.counts.samples,
        `another study in ${directory}`,
      )
      for (const name of await readdir(fixture.root))
        if (!name.startsWith('data')) await rm(join(fixture.root, name), { recursive: true })
    }
    return { round, close: fixture.remove }
  },
}

function folderName(random: Random): string {
  const pieces = [...NASTY, 'gaze_x_px=1', 'test_id=2', '{a,b}', '**', '#', '%', 't_ms=', '`', '$(id)'].filter(
    (text) => text.length < 40,
  )
  const name = Array.from({ length: wholeBetween(random, 1, 4) }, () => pick(random, pieces)).join('')
  const plain = Buffer.from(name).toString().replaceAll(/[\0/]/g, '_')
  return /^\.*$/.test(plain) ? `x${plain}` : plain
}

function damageFile(random: Random, name: string, bytes: Buffer): Buffer {
  const kind = wholeBetween(random, 0, 3)
  if (kind === 0) return damageBytes(random, bytes)
  if (kind < 3 && name.endsWith('.csv')) return Buffer.from(damageTable(random, bytes.toString(), ','))
  if (kind < 3) return Buffer.from(damageJson(random, bytes.toString()))
  return Buffer.concat([bytes, Buffer.from(pick(random, NASTY))])
}

/** Puts something else in place of some values. */
function damageJson(random: Random, text: string): string {
  const values: unknown[] = [...NASTY, null, [], {}, -1, 1e300, 0.1, true, [[]], { id: 1 }]
  return JSON.stringify(JSON.parse(text), (_key, value) => (chance(random, 0.02) ? pick(random, values) : value))
}

async function importOrRefuse(fixture: StudyFixture, directory: string, random: Random): Promise<void> {
  const { dataDir } = fixture
  await rm(dataDir, { recursive: true, force: true })
  let studyId = ''
  const refusal = await refusalOf(async () => {
    const result = await fixture.importDir(directory, { threads: 1, memoryMib: 128 })
    studyId = result.studyId
    const lines = await linesOfSamples(directory)
    claim(lines === null || lines === result.counts.samples, `${lines} lines became ${result.counts.samples} samples`)
  })
  const left = await readdir(dataDir, { recursive: true }).catch(() => [])
  if (refusal !== null)
    return claim(
      left.every((name) => /^studies$/.test(name)),
      `left: ${left.join()}`,
    )
  const told: string[] = []
  await checkSnapshots(dataDir, (sentence) => told.push(sentence))
  claim(told.length === 0, told.join())
  const snapshot = (await openStudies(dataDir).current(studyId))!
  const { name } = pick(random, EXPORTS)
  const plan = makePlan({ snapshot, exportName: name, parameters: defaultParameters(), formulaGuard: true })
  await ran({ plan, snapshot, pool: inlinePool(), signal: new AbortController().signal, gzip: false })
}

/** Counts the lines of samples.csv that are not empty, without its header; null for other files. */
async function linesOfSamples(directory: string): Promise<number | null> {
  const text = await readFile(join(directory, 'samples.csv'), 'utf8').catch(() => null)
  return text === null ? null : text.split(/\r?\n/).filter((line) => !/^\r?$/.test(line)).length - 1
}

async function parquetFiles(directory: string): Promise<Buffer[]> {
  const db = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 128 })
  const files: Buffer[] = []
  const { test_id } = smallBundle().tests[0]
  try {
    for (const [codec, rows] of [
      ['snappy', 30],
      ['zstd', 5000],
      ['uncompressed', 300],
      ['gzip', 3000],
    ]) {
      const path = join(directory, `${codec}.tmp`)
      await db.connection.run(
        `COPY (SELECT '${test_id}' AS test_id, range * 1.5 AS t_ms, (range * 7 % 900)::DOUBLE AS gaze_x_px,
          CASE WHEN range % 9 > 0 THEN (range % 700)::DOUBLE END AS gaze_y_px, range % 50 = 0 AS is_click FROM range(${rows}))
          TO $path (FORMAT parquet, COMPRESSION ${codec}, ROW_GROUP_SIZE 2048)`,
        { path },
      )
      files.push(await readFile(path))
      await rm(path)
    }
  } finally {
    db.close()
  }
  return files
}
