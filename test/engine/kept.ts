import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { createPool, type EnginePool } from '../../engine/run/pool/pool.ts'
import { type Bundle, makeStudyFixture, STUDY_ID, type StudyFixture, uuid } from './import/bundles.ts'
import { currentSnapshot } from './import/contents.ts'

/** Makes a directory for the tests of a file, such as one of data, which is gone after them. */
export async function keptDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gazette-test-'))
  afterAll(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Returns what is opened for the tests of a file, which is closed after them. */
export function kept<Opened extends { close: () => unknown }>(opened: Opened): Opened {
  afterAll(async () => {
    await opened.close()
  })
  return opened
}

/** Opens a pool for the tests of a file, which is closed after them. */
export const keptPool = (threads = 1): EnginePool => kept(createPool({ threads }))

/** Makes a study fixture for the tests of a file, which is gone after them. */
export async function keptFixture(): Promise<StudyFixture> {
  const fixture = await makeStudyFixture()
  afterAll(fixture.remove)
  return fixture
}

/** Imports a study for the tests of a file, with a pool to compute with. */
export async function importedStudy(bundle: Partial<Bundle>) {
  const fixture = await keptFixture()
  await fixture.importing(bundle)
  return { fixture, pool: keptPool(), snapshot: await currentSnapshot(fixture.dataDir, STUDY_ID) }
}

/** Returns a function that imports a study for the tests of a file, each into a directory of its own. */
export function importing(): (bundle: Partial<Bundle>) => ReturnType<typeof currentSnapshot> {
  const fixtures: StudyFixture[] = []
  afterAll(async () => {
    for (const fixture of fixtures) await fixture.remove()
  })
  return async (bundle) => {
    const fixture = await makeStudyFixture()
    fixtures.push(fixture)
    await fixture.importing(bundle)
    return currentSnapshot(fixture.dataDir, STUDY_ID)
  }
}

/** An AOI of the first item: a rectangle from `left` on, 100 px wide and 500 px high. */
export const rectangle = (n: number, name: string, left: number) => ({
  id: uuid('a', n),
  itemId: uuid('1', 1),
  name,
  parts: [{ areaPoints: { topLeft: { xPx: left, yPx: 0 }, bottomRight: { xPx: left + 100, yPx: 500 } } }],
})
