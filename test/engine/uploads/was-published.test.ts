import { expect, test } from 'vitest'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { wasPublished } from '../../../engine/uploads/was-published.ts'
import { STUDY_ID, smallBundle, uuid } from '../import/bundles.ts'
import { currentSnapshot } from '../import/contents.ts'
import { keptFixture } from '../kept.ts'

const fixture = await keptFixture()
await fixture.importing(smallBundle())

test('an import that was killed published its snapshot if the study has it, and not if none knows it', async () => {
  const studies = openStudies(fixture.dataDir)
  const { id } = await currentSnapshot(fixture.dataDir, STUDY_ID)
  expect(await wasPublished(studies, STUDY_ID, id)).toBe(true)
  expect(await wasPublished(studies, STUDY_ID, uuid('e', 1))).toBe(false)
  expect(await wasPublished(studies, uuid('e', 2), id)).toBe(false)
})
