import { groupBy } from '../../../isomorphic/group-by.ts'
import { nameUuid } from '../../text/name-uuid.ts'
import type { Draft, Ids } from '../draft/draft.ts'
import type { ContinuedStudy } from './continued-study.ts'

/**
 * Keeps UUIDs from the files, and derives the other ids from names, within the study. A new study's id is derived from
 * the content of its recordings, so that equal recordings always give the same study, and different ones never do,
 * whatever their names. Participants, items and tests of earlier imports keep their ids in the study.
 *
 * @param content hashes of the recording files
 */
export function makeIds(draft: Draft, content: string[], continued: ContinuedStudy | null): Ids {
  const { participants, items, tests } = draft
  const study = draft.studyId ?? nameUuid('study', ...[...content].sort())
  const participantIds = idsOf(
    participants.map(({ id, key, externalId }) => ({
      id,
      made: nameUuid(study, 'participant', key),
      name: externalId,
    })),
    continued?.participants ?? [],
  )
  const itemIds = idsOf(
    items.map(({ id, key, filename }) => ({ id, made: nameUuid(study, 'item', key), name: filename })),
    continued?.items ?? [],
  )
  const seen = new Map(continued?.looks)
  return {
    study,
    participants: participantIds,
    items: itemIds,
    tests: tests.map(({ id, participant, item }) => {
      const pair = lookKey(participantIds[participant], itemIds[item])
      const look = seen.get(pair) ?? 0
      seen.set(pair, look + 1)
      return id ?? nameUuid(study, 'test', participants[participant].key, items[item].key, String(look))
    }),
  }
}

/** Returns the key of a participant's looks at an item. */
export function lookKey(participantId: string, itemId: string): string {
  return `${participantId} ${itemId}`
}

/**
 * Returns ids: given ones, otherwise derived ones, unless the study lacks that id and has exactly one entry of that
 * name.
 */
function idsOf(
  drafted: { id: string | null; made: string; name: string }[],
  known: { id: string; name: string }[],
): string[] {
  const ids = new Set(known.map(({ id }) => id))
  const [theirs, ours] = [groupBy(known, nameOf), groupBy(drafted, nameOf)]
  return drafted.map(({ id, made, name }) => {
    if (id !== null || ids.has(made) || name === '') return id ?? made
    const named = theirs.get(name) ?? []
    return named.length === 1 && ours.get(name)!.length === 1 ? named[0].id : made
  })
}

function nameOf({ name }: { name: string }): string {
  return name
}
