import { cp, link, mkdtemp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ExportName } from '../../../engine/model/export-names.ts'
import type { Snapshot } from '../../../engine/model/study.ts'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { changeStudy } from '../../../engine/study/change-study.ts'
import { removal } from '../../../engine/study/changes/removal.ts'
import { keptDirectory, keptPool } from '../kept.ts'
import { exported, importDemo, rowsOf } from '../studies.ts'

const dataDir = await keptDirectory()
const snapshot = await importDemo(dataDir, { participants: 3, items: 2, seconds: 8, hz: 120, seed: 5 })
const name = snapshot.manifest.sampleFiles[0].name
const whole = await readFile(join(snapshot.directory, name))
const pool = keptPool()

/** The same snapshot elsewhere, where no thread has read anything yet. */
async function copyOf(): Promise<Snapshot> {
  const directory = await mkdtemp(join(dataDir, 'copy-'))
  await cp(snapshot.directory, directory, { recursive: true })
  return { ...snapshot, directory }
}

function flipped(at: number): Buffer {
  const bytes = Buffer.from(whole)
  bytes[at] ^= 1 << (at % 8)
  return bytes
}

/** The file, or the code of the error. */
async function tried(from: Snapshot, exportName: ExportName): Promise<Buffer | string> {
  return exported(pool, from, exportName).then(
    ({ csv }) => csv,
    (error: { code: string }) => error.code,
  )
}

test('a bit that turned anywhere in a sample file fails the export, and never gives another file', async () => {
  const copy = await copyOf()
  const step = Math.ceil(whole.length / 150)
  for (let at = 0; at < whole.length; at += step) {
    await writeFile(join(copy.directory, name), flipped(at))
    expect(await tried(copy, at % 2 === 0 ? 'fixations' : 'gazes-raw'), `byte ${at}`).toBe('corrupt')
  }
  await writeFile(join(copy.directory, name), whole)
  expect((await exported(pool, copy, 'gazes-raw')).csv.equals((await exported(pool, snapshot, 'gazes-raw')).csv)).toBe(
    true,
  )
})

test('a file that is damaged after it was read gives the right bytes or none, and mended it is as before', async () => {
  const copy = await copyOf()
  const path = join(copy.directory, name)
  const right = await tried(copy, 'gazes-raw')
  expect(right).toBeInstanceOf(Buffer)
  for (let at = 7; at < whole.length; at += Math.ceil(whole.length / 20)) {
    await writeFile(path, flipped(at))
    // What is still in memory was right when it was read.
    const again = await tried(copy, 'gazes-raw')
    expect(again === 'corrupt' || (again as Buffer).equals(right as Buffer)).toBe(true)
    // Other columns have to be read anew.
    expect(await tried(copy, 'mouse')).toBe('corrupt')
  }
  await writeFile(path, whole)
  expect((await exported(pool, copy, 'mouse')).csv.equals((await exported(pool, snapshot, 'mouse')).csv)).toBe(true)
})

test('a damaged file whose time was set back, or that was put in the place of the right one, is found', async () => {
  const copy = await copyOf()
  const path = join(copy.directory, name)
  const time = new Date('2026-01-01T00:00:00Z')
  await utimes(path, time, time)
  expect(await tried(copy, 'fixations')).toBeInstanceOf(Buffer)
  await writeFile(path, flipped(4321))
  await utimes(path, time, time)
  expect(await tried(copy, 'mouse')).toBe('corrupt')
  await writeFile(`${path}.other`, flipped(1234))
  await utimes(`${path}.other`, time, time)
  await rename(`${path}.other`, path)
  expect(await tried(copy, 'mouse')).toBe('corrupt')
  await rm(path)
  expect(await tried(copy, 'mouse')).toBe('corrupt')
})

test('a file that gets another name beside its own, as on an import of study.json, is read on', async () => {
  const copy = await copyOf()
  expect(await tried(copy, 'fixations')).toBeInstanceOf(Buffer)
  await link(join(copy.directory, name), join(copy.directory, 'linked'))
  expect(await tried(copy, 'mouse')).toBeInstanceOf(Buffer)
})

test('a new snapshot is never made from damaged samples, which would look whole in it', async () => {
  const path = join(snapshot.directory, name)
  await writeFile(path, flipped(Math.floor(whole.length / 3)))
  try {
    const changing = { dataDir, studyId: snapshot.study.id, threads: 1, memoryMib: 256 }
    const removing = changeStudy(changing, null, removal((await rowsOf(snapshot)).participants[0].id))
    await expect(removing).rejects.toMatchObject({ code: 'corrupt' })
    expect((await openStudies(dataDir).current(snapshot.study.id))?.id).toBe(snapshot.id)
  } finally {
    await writeFile(path, whole)
  }
})
