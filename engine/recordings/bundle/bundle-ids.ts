import { nameUuid } from '../../text/name-uuid.ts'
import type { ContinuedStudy } from './continued-study.ts'
import type { Draft, Ids } from './draft.ts'

/**
 * Keeps the ids that the files have, and makes the others from names, within the study. The id of a study without one
 * is made of its recordings' content, so that the same recordings are always the same study, and no others are,
 * whatever they are called. What an earlier import has brought keeps the id that it has in the study.
 *
 * @param content hashes of the files that hold the recordings
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

/** Names the looks of a participant at an item. */
export function lookKey(participantId: string, itemId: string): string {
  return `${participantId} ${itemId}`
}

/**
 * Returns ids: those given, else those made, unless the study has none like it and only one of that name has another.
 */
function idsOf(
  drafted: { id: string | null; made: string; name: string }[],
  known: { id: string; name: string }[],
): string[] {
  const ids = new Set(known.map(({ id }) => id))
  const [theirs, ours] = [groupByName(known), groupByName(drafted)]
  return drafted.map(({ id, made, name }) => {
    if (id !== null || ids.has(made) || name === '') return id ?? made
    const named = theirs.get(name) ?? []
    return named.length === 1 && ours.get(name)!.length === 1 ? named[0].id : made
  })
}

function groupByName<T extends { name: string }>(list: T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const group = groups.get(one.name)
    if (group) group.push(one)
    else groups.set(one.name, [one])
  }
  return groups
}
