import { type Draft, type Ids, noteAssumed, noteDoubt, participantName } from '../draft/draft.ts'
import { shortened } from '../draft/note-texts.ts'
import type { ContinuedStudy } from './continued-study.ts'

/**
 * Fills in what no format contains and every study needs, once a reader is done: the layout of items, who saw all of
 * them, and who came twice.
 */
export function assumeTheRest(draft: Draft, ids: Ids, continued: ContinuedStudy | null): void {
  for (const { display, item } of draft.tests) {
    if (display !== null) continue
    const isSized = draft.items[item].widthPx !== null
    const how = isSized
      ? 'an item was shown whole, in the middle, as large as the window allows'
      : 'an item whose size is unknown filled the window'
    noteAssumed(draft, how)
  }
  const items = new Set([...ids.items, ...(continued?.items.map(({ id }) => id) ?? [])])
  const seen = draft.participants.map(() => new Set<string>())
  for (const { participant, item } of draft.tests) seen[participant].add(ids.items[item])
  for (const [i, person] of draft.participants.entries()) {
    if (person.isCompleted !== null) continue
    person.isCompleted = seen[i].size === items.size
    noteAssumed(draft, 'participants with a recording of every item have completed the study')
  }
  // Two files may be parts of one recording.
  const withTests = new Set(draft.tests.map(({ file }) => file))
  const often = draft.participants
    .map((one) => ({ name: participantName(one), files: one.files.filter((file) => withTests.has(file)) }))
    .filter(({ files }) => files.length > 1)
  const shown = often.map(({ name, files }) => `${name} (${shortened(files, ', ')})`)
  if (often.length > 0)
    noteDoubt(draft, `files that name the same participant are sessions of one person: ${shortened(shown, '; ')}`)
}
