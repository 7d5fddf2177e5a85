import type { Samples } from '../../compute/gaze.ts'
import { ServiceError } from '../../model/errors.ts'
import type { Study } from '../../model/study.ts'
import type { RecordedFiles } from '../../snapshot/recordings-file.ts'
import { type Draft, type Ids, noteDoubt, noteLeft, participantName } from '../draft/draft.ts'
import { shortened } from '../draft/note-texts.ts'

/** Existing contents of a study to which recordings are added. */
export type ContinuedStudy = {
  study: Study
  participants: { id: string; name: string }[]
  items: { id: string; name: string }[]
  /** Number of a participant's looks at an item, by lookKey. */
  looks: Map<string, number>
  /** Last display order of each participant's tests, by id. */
  lastOrder: Map<string, number>
  /** Numbers of its tests by which a recording is known again. */
  tests: { participantId: string; item: string; samples: number; seen: number; lastMs: number }[]
  /** Reads the gaze of one of these tests. @throws ServiceError as `readSamples` */
  gazeOf: (test: number) => Promise<Pick<Samples, 'n' | 'tUs' | 'gazeXPx' | 'gazeYPx'>>
  /** SHA-256 of the files whose recordings the study has. */
  hashes: Set<string>
  /** Format and choices of its recordings' import; null if the study was made from a bundle. */
  recordings: Pick<RecordedFiles, 'format' | 'choices'> | null
}

/**
 * Fits a draft into the study that it continues: a known participant's new tests follow the existing ones.
 *
 * @throws ServiceError usage if two people may share a name
 */
export function fitIntoStudy(draft: Draft, ids: Ids, { study, participants, lastOrder }: ContinuedStudy): void {
  const known = new Set(participants.map(({ id }) => id))
  const again = draft.participants.filter((_, i) => known.has(ids.participants[i]))
  const unnamed = again.find(({ key }) => draft.fileNames.has(key))
  if (unnamed)
    throw new ServiceError(
      'usage',
      `the study has a participant ${participantName(unnamed)} already, and only its name says whose recording ${unnamed.files[0]} is: rename it, if it is another person's`,
    )
  if (again.length > 0)
    noteDoubt(
      draft,
      `participants whom the study has already have further sessions here: ${shortened(again.map(participantName))}`,
    )
  for (const test of draft.tests) {
    const last = lastOrder.get(ids.participants[test.participant])
    if (last !== undefined && test.displayOrder !== null && draft.shownTo.has(test.participant))
      test.displayOrder += last
  }
  const items = new Set(study.items.map(({ id }) => id))
  const added = draft.items.filter((_, i) => !items.has(ids.items[i]))
  if (added.length > 0)
    noteDoubt(
      draft,
      `the study gets ${added.length} new ${added.length === 1 ? 'item' : 'items'}: ${shortened(added.map(({ filename }) => filename))}`,
    )
  const late = draft.aois.filter(({ item }) => items.has(ids.items[item])).length
  noteLeft(draft, 'AOIs of items that the study has already', late)
}
