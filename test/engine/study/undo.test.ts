import { readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withAbout, withRenaming } from '../../../engine/live/read-description.ts'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { type Change, changeStudy } from '../../../engine/study/change-study.ts'
import { attributes } from '../../../engine/study/changes/attributes.ts'
import { description } from '../../../engine/study/changes/description.ts'
import { picturesRenamed, type Renaming } from '../../../engine/study/changes/items.ts'
import { picture } from '../../../engine/study/changes/picture.ts'
import { removal } from '../../../engine/study/changes/removal.ts'
import { undo } from '../../../engine/study/changes/undo.ts'
import { undoable } from '../../../engine/study/former-snapshot.ts'
import { readHistory } from '../../../engine/study/history.ts'
import { isAtRest, sweepSnapshots } from '../../../engine/study/sweep-snapshots.ts'
import { makeStudyFixture, STUDY_ID, type StudyFixture, smallBundle, uuid } from '../import/bundles.ts'
import { contentsOf } from '../import/contents.ts'

let fixture: StudyFixture
beforeEach(async () => {
  fixture = await makeStudyFixture()
  await fixture.importing(smallBundle())
})
afterEach(() => fixture.remove())

const ITEMS = [uuid('1', 1), uuid('1', 2)]
const studyDir = () => join(fixture.dataDir, 'studies', STUDY_ID)
const current = async () => (await openStudies(fixture.dataDir).current(STUDY_ID))!
const change = async (made: Change, given: { tokenId?: string; now?: Date } = {}, match: string | null = null) =>
  changeStudy({ dataDir: fixture.dataDir, studyId: STUDY_ID, tokenId: 'anna', ...LIMITS, ...given }, match, made)
const LIMITS = { threads: 1, memoryMib: 256 }
const rename = (renaming: Renaming, removesTests = false) =>
  description(
    (present) => withRenaming(present, renaming),
    () => {},
    { picturesOf: picturesRenamed, removesTests },
  )
const give = (filename: string | null, bytes = 'a picture', item = 0) =>
  picture({ itemId: ITEMS[item], content: { bytes: Buffer.from(bytes) }, filename, size: null })
/** All that a reader sees of the study, with the SHA-256 of its pictures. */
const contents = async () => {
  const files = Object.entries((await current()).manifest.files)
  return {
    ...(await contentsOf(fixture.dataDir, STUDY_ID)),
    images: files.filter(([name]) => name.startsWith('images/')),
  }
}
/** Everybody waits five seconds before an old snapshot goes. */
async function letTimePass(): Promise<void> {
  const longAgo = new Date(Date.now() - 60_000)
  const { directory } = await current()
  for (const path of [join(studyDir(), 'current'), join(directory, 'manifest.json')])
    await utimes(path, longAgo, longAgo)
}

test('each kind of change can be undone, and undoing that restores it', async () => {
  await change(give(null))
  for (const made of [
    rename({ name: 'Other', items: [{ id: ITEMS[1], filename: 'x.png' }, { id: ITEMS[0] }] }),
    rename({ items: [{ id: ITEMS[0] }] }, true),
    give(null, 'another picture'),
    give('item-1.gif'),
    attributes(uuid('b', 1), { age: 40 }),
    description(
      (present) => withAbout(present, Buffer.from('{"license":"MIT"}')),
      () => {},
    ),
  ]) {
    const before = await contents()
    const { snapshotId } = await change(made)
    const after = await contents()
    expect(after).not.toEqual(before)
    expect((await undoable(studyDir(), snapshotId!, new Date()))?.did).toBeDefined()
    await change(undo(), {}, snapshotId)
    expect(await contents()).toEqual(before)
    await change(undo())
    expect(await contents()).toEqual(after)
    await change(undo())
  }
  const history = await readHistory(studyDir(), (await current()).manifest)
  expect(history.filter(({ did }) => did === 'change undone')).toHaveLength(18)
})

test('a replaced study is kept while its change can be undone, and goes then; a command keeps none', async () => {
  const { id: first } = await current()
  await change(rename({ name: 'Second' }))
  const { id: second } = await current()
  await letTimePass()
  expect(await sweepSnapshots(fixture.dataDir, STUDY_ID, async () => new Set(), new Date())).toEqual([])
  expect(await isAtRest(studyDir(), new Date())).toBe(true)
  await change(rename({ name: 'Third' }))
  await letTimePass()
  expect(await sweepSnapshots(fixture.dataDir, STUDY_ID, async () => new Set(), new Date())).toEqual([first])
  await change(rename({ name: 'Fourth' }), { now: new Date(Date.now() - 25 * 3_600_000) })
  const { id: fourth } = await current()
  expect(await undoable(studyDir(), fourth, new Date())).toBeNull()
  await letTimePass()
  expect(await sweepSnapshots(fixture.dataDir, STUDY_ID, async () => new Set(), new Date())).toContain(second)
  await change(rename({ name: 'Fifth' }), { tokenId: undefined })
  await expect(change(undo())).rejects.toThrow('cannot be undone')
})

test('a removed participant does not come back, nor does a change of before', async () => {
  await change(attributes(uuid('b', 1), { age: 40 }))
  await change(removal(uuid('b', 2)))
  await expect(change(undo())).rejects.toMatchObject({ code: 'conflict' })
  expect((await contents()).participants).toHaveLength(1)
})

test('pictures follow items that are renamed, also where two change names', async () => {
  await change(give(null, 'one', 0))
  await change(give(null, 'two', 1))
  const [one, two] = ITEMS
  await change(
    rename({
      items: [
        { id: one, filename: 'item-2.png' },
        { id: two, filename: 'item-1.png' },
      ],
    }),
  )
  const { directory, study } = await current()
  expect(study.items.map(({ id, filename }) => [id, filename])).toEqual([
    [one, 'item-2.png'],
    [two, 'item-1.png'],
  ])
  expect(await readFile(join(directory, 'images', 'item-2.png'), 'utf8')).toBe('one')
  expect(await readFile(join(directory, 'images', 'item-1.png'), 'utf8')).toBe('two')
})

test('a name that is taken, of another ending than the picture, or of no item is refused; so is an item with tests', async () => {
  await change(give(null))
  const refused = async (renaming: Renaming, rule: string) =>
    expect(change(rename(renaming))).rejects.toMatchObject({ problems: [expect.objectContaining({ rule })] })
  const [one, two] = ITEMS.map((id) => ({ id }))
  await refused({ items: [{ ...one, filename: 'item-2.png' }, two] }, 'must not be the name of another item')
  await refused({ items: [{ ...one, filename: 'a.jpg' }, two] }, 'must end in .png, as the picture of the item')
  await refused({ items: [one, two, { id: uuid('1', 3) }] }, 'must be an item of the study, named once')
  await refused({ items: [one, two, one] }, 'must be an item of the study, named once')
  await refused({ items: [two] }, 'must hold every item that tests show, and 2 show this one')
  await expect(change(give('item-2.png'))).rejects.toMatchObject({ code: 'conflict' })
})

test('an item that goes takes its tests, AOIs and steps along, and no other', async () => {
  const before = await contents()
  await change(rename({ items: [{ id: ITEMS[1] }] }, true))
  const { study, manifest } = await current()
  expect(study.aois.map(({ itemId }) => itemId)).toEqual([ITEMS[1]])
  expect(study.steps).toHaveLength(1)
  expect(manifest.counts).toMatchObject({ participants: 2, items: 1, tests: 1, samples: 10 })
  const stays = before.tests.filter(({ id }) => id === uuid('c', 2)).map((each) => ({ ...each, itemIndex: 0 }))
  expect((await contents()).tests).toEqual(stays)
})
