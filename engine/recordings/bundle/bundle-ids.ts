import type { Draft } from './draft.ts'
import { nameUuid } from './name-uuid.ts'

export type Ids = { study: string; participants: string[]; items: string[]; tests: string[] }

/**
 * Keeps the ids that the files have, and makes the others from names, within the study. The id of a study without one is made of its
 * recordings' content, so that the same recordings are always the same study, and no others are, whatever they are called.
 *
 * @param content hashes of the files that hold the recordings
 */
export function makeIds(draft: Draft, content: string[]): Ids {
  const { participants, items, tests } = draft
  const study = draft.studyId ?? nameUuid('study', ...[...content].sort())
  const seen = new Map<string, number>()
  return {
    study,
    participants: participants.map(({ id, key }) => id ?? nameUuid(study, 'participant', key)),
    items: items.map(({ id, key }) => id ?? nameUuid(study, 'item', key)),
    tests: tests.map(({ id, participant, item }) => {
      const pair = JSON.stringify([participants[participant].key, items[item].key])
      const look = seen.get(pair) ?? 0
      seen.set(pair, look + 1)
      return id ?? nameUuid(study, 'test', participants[participant].key, items[item].key, String(look))
    }),
  }
}
