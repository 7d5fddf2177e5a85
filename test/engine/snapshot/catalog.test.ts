import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { CHANGE_LOG } from '../../../engine/storage/files/change-log.ts'
import { removeStudy } from '../../../engine/study/changes/removal.ts'
import { STUDY_ID, smallBundle } from '../import/bundles.ts'
import { keptFixture } from '../kept.ts'

const fixture = await keptFixture()
const studies = openStudies(fixture.dataDir)
const first = (await fixture.importing(smallBundle())).snapshotId

const OTHERS = Array.from({ length: 30 }, (_, i) => `5c000000-0000-4000-8000-${String(i).padStart(12, '0')}`)
const currentPath = (id: string) => join(fixture.dataDir, 'studies', id, 'current')
const log = () => join(fixture.dataDir, 'studies', CHANGE_LOG)
const list = async () => {
  const listed = []
  for (const [id, snapshotId] of await studies.currents())
    listed.push(await studies.facts(id, snapshotId).catch(() => id))
  return listed
}

test('a list has names and counts, and what another publishes or removes at once', async () => {
  const counts = { participants: expect.any(Number), samples: expect.any(Number) }
  expect(await list()).toMatchObject([{ snapshotId: first, name: smallBundle().study.name, counts }])
  const bundle = smallBundle()
  for (const name of ['second', 'third']) {
    const { snapshotId } = await fixture.importing({ ...bundle, study: { ...bundle.study, name } })
    expect(await list()).toMatchObject([{ snapshotId, name }])
    expect(await openStudies(fixture.dataDir).currents()).toEqual(new Map([[STUDY_ID, snapshotId]]))
  }
  await removeStudy({ dataDir: fixture.dataDir, studyId: STUDY_ID, now: new Date() })
  expect(await list()).toEqual([])
})

test('studies are ordered by id, and damage is reported until it is repaired', async () => {
  const { snapshotId } = await fixture.importing(smallBundle())
  for (const id of OTHERS.toReversed()) {
    await mkdir(join(fixture.dataDir, 'studies', id))
    await writeFile(currentPath(id), `${snapshotId}\n`)
  }
  // By hand, which no log tells: without one everything is looked at.
  await rm(log())
  expect(await studies.studyIds()).toEqual([...OTHERS, STUDY_ID].sort())
  // They name a snapshot that they do not have.
  expect((await list()).filter((each) => typeof each === 'string')).toEqual(OTHERS)
  await writeFile(currentPath(OTHERS[0]), 'nothing')
  await rm(log())
  expect((await studies.currents()).get(OTHERS[0])).toBe('')
  await expect(studies.facts(OTHERS[0], '')).rejects.toMatchObject({ code: 'corrupt' })
  await writeFile(currentPath(OTHERS[0]), await readFile(currentPath(OTHERS[1])))
  expect((await studies.currents()).get(OTHERS[0])).toBe(snapshotId)
  for (const id of OTHERS) await rm(join(fixture.dataDir, 'studies', id), { recursive: true })
  // Nor is the log needed for it to be found in the end.
  await expect.poll(studies.studyIds).toEqual([STUDY_ID])
})
