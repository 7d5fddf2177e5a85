import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { wasPublished } from '../../../engine/uploads/was-published.ts'
import { makeStudyFixture, STUDY_ID, type StudyFixture, smallBundle, uuid } from '../import/bundles.ts'
import { currentSnapshot } from '../import/contents.ts'

let fixture: StudyFixture
beforeAll(async () => {
  fixture = await makeStudyFixture()
  await fixture.importing(smallBundle())
})
afterAll(() => fixture.remove())

test('an import that was killed published its snapshot if the study has it, and not if none knows it', async () => {
  const studies = openStudies(fixture.dataDir)
  const { id } = await currentSnapshot(fixture.dataDir, STUDY_ID)
  expect(await wasPublished(studies, STUDY_ID, id)).toBe(true)
  expect(await wasPublished(studies, STUDY_ID, uuid('e', 1))).toBe(false)
  expect(await wasPublished(studies, uuid('e', 2), id)).toBe(false)
})
