import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type Bundle,
  makeStudyFixture,
  participant,
  STUDY_ID,
  type StudyFixture,
  samplesOf,
  smallBundle,
  test as testRow,
  uuid,
} from './bundles.ts'
import { contentsOf, currentSnapshot } from './contents.ts'

let fixture: StudyFixture
beforeEach(async () => {
  fixture = await makeStudyFixture()
})
afterEach(() => fixture.remove())

/**
 * Eight participants, two items, samples that alternate between the tests; participants' order is not that of their
 * ids.
 */
function largeBundle(): Bundle {
  const participants = Array.from({ length: 8 }, (_, i) =>
    participant(i + 1, { created_at: `2024-01-01T10:00:0${(i * 3) % 8}Z`, gender: String(i % 3) }),
  )
  const tests = participants.flatMap((_, i) => [testRow(2 * i + 1, i + 1, 1), testRow(2 * i + 2, i + 1, 2)])
  const each = tests.map(({ test_id }, i) =>
    // Some with gaps, so that grades differ; every third without any sample.
    samplesOf(test_id, i % 3 === 2 ? 0 : 10 - i, (row) => ({ is_click: row === 4 ? 'true' : '' })),
  )
  const samples = Array.from({ length: 10 }, (_, row) => each.flatMap((test) => test.slice(row, row + 1))).flat()
  return { ...smallBundle(), participants, tests, samples }
}

/** The part of a bundle with these participants and tests. */
function part(bundle: Bundle, has: { participant: (i: number) => boolean; test: (i: number) => boolean }): Bundle {
  const tests = bundle.tests.filter((_, i) => has.test(i))
  const ids = new Set(tests.map(({ test_id }) => test_id))
  return {
    study: undefined,
    participants: bundle.participants.filter((_, i) => has.participant(i)),
    tests,
    samples: bundle.samples.filter(({ test_id }) => ids.has(test_id)),
  }
}

async function importedAtOnce(bundle: Bundle) {
  const dataDir = join(fixture.root, 'at-once')
  await fixture.importing(bundle, { dataDir })
  return contentsOf(dataDir, STUDY_ID)
}

describe('appending gives what one import of all gives', () => {
  test('with participants in three steps', async () => {
    const bundle = largeBundle()
    const step = (n: number) =>
      part(bundle, { participant: (i) => i % 3 === n, test: (i) => Math.floor(i / 2) % 3 === n })
    await fixture.importing({ ...step(1), study: bundle.study })
    for (const n of [2, 0]) expect((await fixture.importing(step(n), { append: true })).published).toBe(true)
    expect(await contentsOf(fixture.dataDir, STUDY_ID)).toEqual(await importedAtOnce(bundle))
  })

  test('with new tests of participants that were there, whose grades change', async () => {
    const bundle = largeBundle()
    const first = part(bundle, { participant: () => true, test: (i) => i % 2 === 0 })
    const second = part(bundle, { participant: () => false, test: (i) => i % 2 === 1 })
    await fixture.importing({ ...first, study: bundle.study })
    const before = (await contentsOf(fixture.dataDir, STUDY_ID)).participants.map(({ qualityGrade }) => qualityGrade)
    await fixture.importing({ tests: second.tests, samples: second.samples }, { append: true })
    const contents = await contentsOf(fixture.dataDir, STUDY_ID)
    expect(contents).toEqual(await importedAtOnce(bundle))
    expect(contents.participants.map(({ qualityGrade }) => qualityGrade)).not.toEqual(before)
  })

  test('after study.json alone has reordered the items', async () => {
    const bundle = largeBundle()
    const first = part(bundle, { participant: (i) => i < 4, test: (i) => i < 8 })
    const second = part(bundle, { participant: (i) => i >= 4, test: (i) => i >= 8 })
    await fixture.importing({ ...first, study: smallBundle().study })
    bundle.study.steps.unshift({ type: 'stimuli', stimuli: { id: uuid('1', 2), isScrollingEnabled: true } })
    await fixture.importing({ study: bundle.study })
    await fixture.importing(second, { append: true })
    expect(await contentsOf(fixture.dataDir, STUDY_ID)).toEqual(await importedAtOnce(bundle))
  })

  test('with participants alone', async () => {
    const bundle = largeBundle()
    const first = part(bundle, { participant: (i) => i < 7, test: (i) => i < 14 })
    bundle.tests = bundle.tests.slice(0, 14)
    bundle.samples = first.samples
    await fixture.importing({ ...first, study: bundle.study })
    await fixture.importing({ participants: bundle.participants.slice(7) }, { append: true })
    expect(await contentsOf(fixture.dataDir, STUDY_ID)).toEqual(await importedAtOnce(bundle))
  })
})

describe('an appended bundle', () => {
  const more = (): Bundle => ({
    study: smallBundle().study,
    participants: [participant(3)],
    tests: [testRow(4, 3, 1)],
    samples: samplesOf(uuid('c', 4), 5),
  })

  test('appended again publishes nothing', async () => {
    await fixture.importing(smallBundle())
    const first = await fixture.importing(more(), { append: true })
    expect(first).toMatchObject({ published: true, counts: { participants: 3, items: 2, tests: 4, samples: 35 } })
    expect(await fixture.importing({ ...more(), study: undefined }, { append: true })).toEqual({
      ...first,
      published: false,
    })
    const { manifest } = await currentSnapshot(fixture.dataDir, STUDY_ID)
    expect(manifest.parentId).not.toBeNull()
  })

  test('may not bring ids that are there, nor samples of tests that are there', async () => {
    await fixture.importing(smallBundle())
    const wrong = more()
    wrong.participants.push(participant(1))
    wrong.tests.push(testRow(2, 3, 2))
    wrong.samples.push(...samplesOf(uuid('c', 1), 1))
    const samples = wrong.samples.length + 1
    await expect(fixture.importing(wrong, { append: true })).rejects.toMatchObject({
      problems: [
        { file: 'participants.csv', line: 3, value: uuid('b', 1), rule: 'must be new, but the study has it' },
        { file: 'tests.csv', line: 3, value: uuid('c', 2), rule: 'must be new, but the study has it' },
        { file: 'samples.csv', line: samples, value: uuid('c', 1), rule: 'must be the id of a test in tests.csv' },
      ],
    })
    const stray = more()
    stray.samples.push(...samplesOf(uuid('c', 1), 1))
    await expect(fixture.importing(stray, { append: true })).rejects.toMatchObject({
      problems: [{ file: 'samples.csv', line: 7, column: 'test_id', value: uuid('c', 1) }],
    })
  })

  test('may not bring another study.json', async () => {
    await fixture.importing(smallBundle())
    const other = more()
    other.study.name = 'Other'
    await expect(fixture.importing(other, { append: true })).rejects.toMatchObject({
      problems: [{ file: 'study.json', rule: /^must be absent, or equal/ }],
    })
  })

  test('needs a study to be appended to', async () => {
    await expect(fixture.importing(more(), { append: true })).rejects.toMatchObject({ code: 'not_found' })
    await expect(fixture.importing({ ...more(), study: undefined }, { append: true })).rejects.toMatchObject({
      code: 'usage',
    })
  })

  test('without study.json goes to the study with its items', async () => {
    const other = smallBundle()
    other.study.id = uuid('5', 2)
    other.study.items = [{ ...other.study.items[0], id: uuid('1', 7) }]
    other.study.steps = []
    other.study.aois = []
    await fixture.importing({ study: other.study, participants: [], tests: [], samples: [] })
    await fixture.importing(smallBundle())
    const { studyId } = await fixture.importing({ ...more(), study: undefined }, { append: true })
    expect(studyId).toBe(STUDY_ID)
  })
})
