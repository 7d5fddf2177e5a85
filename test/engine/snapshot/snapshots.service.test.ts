import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkSnapshots } from '../../../engine/snapshot/check-snapshots.ts'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { makeStudyFixture, STUDY_ID, type StudyFixture, smallBundle, uuid } from '../import/bundles.ts'

let fixture: StudyFixture
beforeEach(async () => {
  fixture = await makeStudyFixture()
})
afterEach(() => fixture.remove())

describe('the store', () => {
  test('knows no study in a data directory that is not there', async () => {
    const studies = openStudies(fixture.dataDir)
    expect(await studies.studyIds()).toEqual([])
    expect(await studies.currentId(STUDY_ID)).toBeNull()
    expect(await studies.current(STUDY_ID)).toBeNull()
  })

  test('knows studies in any case of their id, and others not', async () => {
    const { snapshotId } = await fixture.importing(smallBundle())
    await mkdir(join(fixture.dataDir, 'studies', uuid('5', 2)))
    const studies = openStudies(fixture.dataDir)
    expect(await studies.studyIds()).toEqual([STUDY_ID])
    expect(await studies.currentId(STUDY_ID.toUpperCase())).toBe(snapshotId)
    for (const id of ['', '.', '..', `../studies/${STUDY_ID}`, `${STUDY_ID}/`, uuid('5', 2), uuid('5', 3)]) {
      expect(await studies.currentId(id)).toBeNull()
      expect(await studies.current(id)).toBeNull()
      await expect(studies.load(id, snapshotId)).rejects.toMatchObject({ code: 'not_found' })
    }
    for (const id of ['', '..', `../${snapshotId}`, 'current', '0'.repeat(64)])
      await expect(studies.load(STUDY_ID, id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('sees at once what is published, also when it has known what was there for a while', async () => {
    const first = await fixture.importing(smallBundle())
    const studies = openStudies(fixture.dataDir)
    expect(await studies.currentId(STUDY_ID)).toBe(first.snapshotId)
    await sleep(2500)
    for (let look = 0; look < 3; look++) expect(await studies.currentId(STUDY_ID)).toBe(first.snapshotId)
    const bundle = smallBundle()
    const second = await fixture.importing({ ...bundle, study: { ...bundle.study, name: 'another name' } })
    expect(second.snapshotId).not.toBe(first.snapshotId)
    expect(await studies.currentId(STUDY_ID)).toBe(second.snapshotId)
    expect((await studies.current(STUDY_ID))?.study.name).toBe('another name')
    await rm(join(fixture.dataDir, 'studies', STUDY_ID, 'current'))
    expect(await studies.current(STUDY_ID)).toBeNull()
  })

  test('loads a snapshot once', async () => {
    await fixture.importing(smallBundle())
    const studies = openStudies(fixture.dataDir)
    expect(await studies.current(STUDY_ID)).toBe(await studies.current(STUDY_ID))
  })

  test('does not load a snapshot whose tables have changed', async () => {
    const { snapshotId } = await fixture.importing(smallBundle())
    const path = join(fixture.dataDir, 'studies', STUDY_ID, snapshotId, 'tests.parquet')
    const bytes = await readFile(path)
    const changed = Buffer.from(bytes)
    changed[changed.length - 1] ^= 1
    await writeFile(path, changed)
    const studies = openStudies(fixture.dataDir)
    await expect(studies.current(STUDY_ID)).rejects.toMatchObject({ code: 'corrupt' })
    // It is not remembered.
    await writeFile(path, bytes)
    expect((await studies.current(STUDY_ID))?.id).toBe(snapshotId)
  })
})

test('says of a study in another format what to do, and takes it again', async () => {
  const bundle = smallBundle()
  const { snapshotId } = await fixture.importing(bundle)
  const path = join(fixture.dataDir, 'studies', STUDY_ID, snapshotId, 'manifest.json')
  const { sha256: _, ...manifest } = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...manifest, formatVersion: 1 }))
  await expect(openStudies(fixture.dataDir).current(STUDY_ID)).rejects.toMatchObject({
    code: 'other_format',
    message: `study ${STUDY_ID} is stored in format 1, of an earlier version of Gazette, and this one reads formats 5 and 6: import its bundle again, or read it with that version`,
  })
  const again = await fixture.importing({ ...bundle, study: { ...bundle.study, name: 'another name' } })
  expect((await openStudies(fixture.dataDir).current(STUDY_ID))?.id).toBe(again.snapshotId)
})

test('a manifest of an earlier version, which has no checksum, is read as it is; one whose checksum lost its name is not', async () => {
  const { snapshotId } = await fixture.importing(smallBundle())
  const path = join(fixture.dataDir, 'studies', STUDY_ID, snapshotId, 'manifest.json')
  const text = await readFile(path, 'utf8')
  const { sha256: _, ...manifest } = JSON.parse(text)
  await writeFile(path, JSON.stringify(manifest))
  expect((await openStudies(fixture.dataDir).current(STUDY_ID))?.manifest).toEqual(manifest)
  await writeFile(path, text.replace('"sha256": "', '"rha256": "'))
  await expect(openStudies(fixture.dataDir).current(STUDY_ID)).rejects.toMatchObject({ code: 'corrupt' })
})

describe('checking snapshots', () => {
  async function check(): Promise<{ files: number; told: string[] }> {
    const told: string[] = []
    return { files: await checkSnapshots(fixture.dataDir, (sentence) => told.push(sentence)), told }
  }

  test('finds nothing in what was just published, or is not there', async () => {
    expect(await check()).toEqual({ files: 0, told: [] })
    await fixture.importing(smallBundle())
    expect(await check()).toEqual({ files: 6, told: [] })
  })

  test('tells each file that has changed, is missing or does not belong', async () => {
    const { snapshotId } = await fixture.importing(smallBundle())
    const directory = join(fixture.dataDir, 'studies', STUDY_ID, snapshotId)
    const path = join(directory, 'samples-00000.parquet')
    const bytes = await readFile(path)
    bytes[bytes.length >> 1] ^= 1
    await writeFile(path, bytes)
    await rm(join(directory, 'tests.parquet'))
    await writeFile(join(directory, 'more.txt'), '')
    const { told } = await check()
    const start = `Study ${STUDY_ID}, snapshot ${snapshotId}: `
    expect(told.sort()).toEqual(
      ['more.txt is not in the manifest.', 'samples-00000.parquet has changed.', 'tests.parquet is missing.'].map(
        (what) => start + what,
      ),
    )
    await writeFile(join(directory, 'manifest.json'), '{}')
    expect((await check()).told).toEqual([`${start}manifest.json is missing or damaged.`])
  })
})
