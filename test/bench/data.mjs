// The studies that are measured: synthetic, seeded, kept from run to run in a directory that git ignores.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { writeDemoBundle } from '../../dist/demo/write-demo.js'
import { importBundle } from '../../dist/engine/import/import-bundle.js'
import { openStudies } from '../../dist/engine/snapshot/snapshots.js'

/** By the number of the demo's data: what an older demo made is not taken for it. */
export const OUT = fileURLToPath(new URL('./out/2/', import.meta.url))
export const SEED = 7

/** Sizes by name; a demo loses about a fifth of the samples that a perfect camera would take. */
export const SIZES = {
  small: { participants: 50, items: 4, seconds: 10, hz: 60 },
  '1m': { participants: 110, items: 20, seconds: 10, hz: 60 },
  /** The same with the few AOIs that the demo gives it. */
  '1m-plain': { participants: 110, items: 20, seconds: 10, hz: 60, hasRings: false },
  /** The same with sizes of both pupils, which blink. */
  '1m-pupils': { participants: 110, items: 20, seconds: 10, hz: 60, hasRings: false, hasPupils: true },
  '12m': { participants: 1240, items: 20, seconds: 10, hz: 60 },
  /** Number of tests of a large study, each with few samples. */
  46000: { participants: 2450, items: 20, seconds: 0.2, hz: 10, hasRings: false },
  '120m': { participants: 12_400, items: 20, seconds: 10, hz: 60 },
}

/** Makes a bundle, mostly with 20 AOIs of 50 corners on each item, unless it is there. */
export async function bundleOf(name, memoryMib = 1024) {
  const directory = join(OUT, `bundle-${name}`)
  const mark = join(directory, 'whole')
  if (existsSync(mark)) return directory
  console.error(`Making bundle ${name} ...`)
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  const { hasRings = true, hasPupils = false, ...size } = SIZES[name]
  await writeDemoBundle({ directory, ...size, seed: SEED, memoryMib })
  if (hasRings) {
    const path = join(directory, 'study.json')
    const study = JSON.parse(readFileSync(path, 'utf8'))
    study.aois = study.items.flatMap((item, i) => rings(item.id, i))
    writeFileSync(path, JSON.stringify(study))
  }
  if (hasPupils) await addPupils(directory)
  writeFileSync(mark, '')
  return directory
}

/** Adds sizes of both pupils, in mm, with a blink every four seconds. */
async function addPupils(directory) {
  const [from, to] = [join(directory, 'samples.parquet'), join(directory, 'with-pupils.parquet')]
  const instance = await DuckDBInstance.create(':memory:')
  const db = await instance.connect()
  const size = (phase) =>
    `CASE WHEN t_ms % 4000 >= 160 THEN round(3 + sin(t_ms / 2000) / 2 + ((t_ms * 7 + ${phase})::BIGINT % 13) / 400, 3) END`
  await db.run(`COPY (SELECT *, ${size(0)} AS left_pupil, ${size(5)} AS right_pupil FROM read_parquet('${from}'))
    TO '${to}' (FORMAT parquet)`)
  db.closeSync()
  instance.closeSync()
  await rename(to, from)
  const path = join(directory, 'study.json')
  const study = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...study, recording: { ...study.recording, pupilUnit: 'mm' } }))
}

/** Twenty rings of fifty corners that cover about half of the item between them, and overlap a little. */
function rings(itemId, itemIndex) {
  return Array.from({ length: 20 }, (_, a) => {
    const centre = { x: 0.1 + 0.2 * (a % 5), y: 0.125 + 0.25 * Math.floor(a / 5) }
    const points = Array.from({ length: 50 }, (_, k) => {
      const radius = 0.08 + 0.02 * Math.sin(k * 1.7 + a)
      return {
        x: round(centre.x + radius * Math.cos((k / 25) * Math.PI)),
        y: round(centre.y + radius * Math.sin((k / 25) * Math.PI)),
      }
    })
    const id = `00000000-0000-4000-8000-${String(itemIndex * 100 + a).padStart(12, '0')}`
    return { id, itemId, name: `ring ${a + 1}`, parts: [{ areaPoints: { points } }] }
  })
}

function round(value) {
  return Math.round(value * 1e6) / 1e6
}

/** The same bundle with its samples in CSV. */
export async function csvBundleOf(name) {
  const source = await bundleOf(name)
  const directory = join(OUT, `bundle-${name}-csv`)
  if (existsSync(join(directory, 'study.json'))) return directory
  await mkdir(directory, { recursive: true })
  const instance = await DuckDBInstance.create(':memory:')
  const db = await instance.connect()
  await db.run(
    `COPY (SELECT * FROM read_parquet('${join(source, 'samples.parquet')}')) TO '${join(directory, 'samples.csv')}' (HEADER)`,
  )
  db.closeSync()
  instance.closeSync()
  for (const file of ['participants.csv', 'tests.csv', 'validations.csv', 'study.json'])
    await copyFile(join(source, file), join(directory, file))
  return directory
}

/** The study of a bundle, imported unless it is there. */
export async function snapshotOf(name, memoryMib = 1024) {
  const dataDir = join(OUT, `data-${name}`)
  const mark = join(dataDir, 'study')
  if (!existsSync(mark)) {
    const directory = await bundleOf(name, memoryMib)
    console.error(`Importing bundle ${name} ...`)
    await rm(dataDir, { recursive: true, force: true })
    const { studyId } = await importBundle({
      dataDir,
      directory,
      append: false,
      dryRun: false,
      now: new Date(),
      threads: 2,
      memoryMib,
    })
    writeFileSync(mark, studyId)
  }
  const studyId = readFileSync(mark, 'utf8')
  return { dataDir, studyId, snapshot: await openStudies(dataDir).current(studyId) }
}
