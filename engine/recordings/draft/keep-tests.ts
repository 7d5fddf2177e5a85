import type { Batch } from './batch.ts'
import type { Draft } from './draft.ts'

/** New indexes of tests by their old ones, -1 for a dropped test; null if nothing changed. */
export type TestIndexes = Int32Array | null

/** Removes tests, and participants and items of which none is left, from a draft. */
export function dropTests(draft: Draft, dropped: Set<number>): TestIndexes {
  if (dropped.size === 0) return null
  const isKept = draft.tests.map((_, test) => !dropped.has(test))
  const left = (of: 'participant' | 'item') => {
    const kept = new Set(draft.tests.filter((_, test) => isKept[test]).map((test) => test[of]))
    return new Set([...dropped].map((test) => draft.tests[test][of]).filter((index) => !kept.has(index)))
  }
  const [people, items] = [left('participant'), left('item')]
  const tests = renumbered(draft.tests.length, (test) => isKept[test])
  keepFiles(draft, isKept)
  draft.tests = draft.tests.filter((_, test) => isKept[test])
  draft.events = draft.events.flatMap((event) => (isKept[event.test] ? [{ ...event, test: tests[event.test] }] : []))
  takeParticipants(
    draft,
    renumbered(draft.participants.length, (one) => !people.has(one)),
  )
  takeItems(
    draft,
    renumbered(draft.items.length, (item) => !items.has(item)),
  )
  onceEach(draft)
  return tests
}

/** Forgets the files of which no test is left, so that they are not counted among the recordings. */
function keepFiles({ tests, participants, usedFiles }: Draft, isKept: boolean[]): void {
  const all = new Set(tests.map(({ file }) => file))
  const kept = new Set(tests.flatMap(({ file }, test) => (isKept[test] ? [file] : [])))
  for (const file of all) {
    if (kept.has(file)) continue
    usedFiles.add(file)
    for (const one of participants) one.files = one.files.filter((name) => name !== file)
  }
}

/** Removes the validations that two files of the same recording brought twice. */
function onceEach(draft: Draft): void {
  const seen = new Set<string>()
  draft.validations = draft.validations.filter((one) => {
    const key = JSON.stringify(one)
    return !seen.has(key) && seen.add(key)
  })
}

function renumbered(n: number, isKept: (index: number) => boolean): Int32Array {
  let next = 0
  return Int32Array.from({ length: n }, (_, index) => (isKept(index) ? next++ : -1))
}

/** Returns a predicate for the entries that keep a place of their own: the first of those with the same new index. */
function firstOfEach(indexes: Int32Array): (entry: unknown, old: number) => boolean {
  const seen = new Set([-1])
  return (_, old) => !seen.has(indexes[old]) && seen.add(indexes[old]).size > 0
}

/** Gives participants new indexes; several may get the same, and -1 removes one. */
export function takeParticipants(draft: Draft, indexes: Int32Array): void {
  draft.participants = draft.participants.filter(firstOfEach(indexes))
  for (const test of draft.tests) test.participant = indexes[test.participant]
  draft.validations = draft.validations.flatMap((one) =>
    indexes[one.participant] < 0 ? [] : [{ ...one, participant: indexes[one.participant] }],
  )
  draft.shownTo = new Map(
    [...draft.shownTo].flatMap(([old, count]) => (indexes[old] < 0 ? [] : [[indexes[old], count] as const])),
  )
  draft.participantByKey = new Map(draft.participants.map(({ key }, i) => [key, i]))
}

/** Gives items new indexes; several may get the same, and -1 removes one. */
export function takeItems(draft: Draft, indexes: Int32Array): void {
  draft.items = draft.items.filter(firstOfEach(indexes))
  for (const test of draft.tests) test.item = indexes[test.item]
  draft.aois = draft.aois.flatMap((aoi) => (indexes[aoi.item] < 0 ? [] : [{ ...aoi, item: indexes[aoi.item] }]))
  draft.itemByKey = new Map(draft.items.map(({ key }, i) => [key, i]))
}

/** Removes the rows of dropped tests from a batch, and gives the others their new indexes. */
export function takeRows(batch: Batch, indexes: TestIndexes): void {
  if (indexes === null) return
  const { eyes, n, ...columns } = batch
  const values = [...Object.values(columns), ...Object.values(eyes)]
  let to = 0
  for (let i = 0; i < n; i++) {
    const test = indexes[batch.test[i]]
    if (test < 0) continue
    if (to < i) for (const column of values) column[to] = column[i]
    batch.test[to++] = test
  }
  batch.n = to
}
