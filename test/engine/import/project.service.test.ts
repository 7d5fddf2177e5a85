import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeStudy } from '../../../engine/study/change-study.ts'
import { description } from '../../../engine/study/changes/description.ts'
import { renamed } from '../../../engine/study/changes/items.ts'
import { makeStudyFixture, STUDY_ID, type StudyFixture, smallBundle } from './bundles.ts'
import { currentSnapshot } from './contents.ts'

let fixture: StudyFixture
beforeEach(async () => {
  fixture = await makeStudyFixture()
})
afterEach(() => fixture.remove())

const withProject = (project: unknown) => {
  const bundle = smallBundle()
  return { ...bundle, study: { ...bundle.study, project } }
}
const project = async () => (await currentSnapshot(fixture.dataDir, STUDY_ID)).study.project

test('a bundle names the project of its study, and null is none', async () => {
  await fixture.importing(withProject('Pilots'))
  expect(await project()).toBe('Pilots')
  await fixture.importing(withProject(null))
  expect((await currentSnapshot(fixture.dataDir, STUDY_ID)).study).not.toHaveProperty('project')
})

test('a project that breaks the rule is one problem, and nothing is published', async () => {
  for (const wrong of ['', ' a', 'x'.repeat(201), 7]) {
    await expect(fixture.importing(withProject(wrong))).rejects.toMatchObject({
      code: 'invalid_bundle',
      problems: [{ column: 'project', rule: 'must be text of 1 to 200 characters, without space around it' }],
    })
  }
})

test('an import may name another project, and the same again publishes nothing', async () => {
  await fixture.importing(withProject('Pilots'))
  const plain = await fixture.importing(withProject('Pilots'), { project: 'Pilots' })
  expect(plain.published).toBe(false)
  const moved = await fixture.importing(withProject('Pilots'), { project: 'Main' })
  expect([moved.published, await project()]).toEqual([true, 'Main'])
  expect(await fixture.importing(withProject('Pilots'), { project: 'Main' })).toMatchObject({
    published: false,
    snapshotId: moved.snapshotId,
  })
})

test('a study whose project has changed gets it back from its bundle only by an import', async () => {
  const { snapshotId } = await fixture.importing(withProject('Pilots'))
  const moving = description(
    (present) => renamed(present, { project: 'Main' }),
    () => {},
  )
  const changing = { dataDir: fixture.dataDir, studyId: STUDY_ID, now: new Date(0), threads: 1, memoryMib: 128 }
  await changeStudy(changing, snapshotId, moving)
  expect(await project()).toBe('Main')
  expect((await fixture.importing(withProject('Pilots'))).published).toBe(true)
  expect(await project()).toBe('Pilots')
})
