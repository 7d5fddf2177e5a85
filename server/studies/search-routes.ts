import type { z } from 'zod'
import type { AdmittedToken } from '../../engine/access/token-file.ts'
import type { ListedStudy } from '../../engine/snapshot/catalog.ts'
import { readListed } from '../../engine/snapshot/read-listed.ts'
import { findParticipants } from '../../engine/snapshot/rows/list-participants.ts'
import { matchNames, type Rank, rankOf, searchWords } from '../../engine/snapshot/search-names.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { may } from '../access/authorize.ts'
import { readableStudy } from '../access/readable-study.ts'
import type { Answers } from '../routes/route.ts'
import type { SEARCH_ROUTES } from '../routes/studies.ts'
import type { SearchResults } from '../schemas/study.ts'

type Results = z.infer<typeof SearchResults>
type Ranked<T> = T & { rank: Rank }

/** Names of items and AOIs among which the best are chosen: more would only take time. */
const CANDIDATES_MAX = 2000

/** Returns the handler that searches names: those of studies, items and AOIs are in memory, as those of lists. */
export function searchRoutes(studies: Studies): Answers<typeof SEARCH_ROUTES> {
  return {
    search: async ({ res, token, query: { q, studyId, limit } }) => {
      const words = searchWords(q)
      const found: Results = { studies: [], items: [], aois: [], participants: [], hasMore: false }
      if (words.length === 0) return found
      const all = search(await factsOf(token), words)
      // One more tells that there are more.
      const people = studyId === undefined ? [] : await peopleOf(studyId.toLowerCase())
      return {
        studies: bestOf(all.studies, limit),
        items: bestOf(all.items, limit),
        aois: bestOf(all.aois, limit),
        participants: people.slice(0, limit),
        hasMore: [all.studies, all.items, all.aois, people].some(({ length }) => length > limit),
      }

      async function peopleOf(id: string): Promise<Results['participants']> {
        const rows = await findParticipants(await readableStudy(studies, res, id), words, limit + 1)
        return rows.map((row) => ({ studyId: id, participantId: row.id, name: row.externalId || row.displayName }))
      }
    },
  }

  async function factsOf(token: AdmittedToken): Promise<[id: string, facts: ListedStudy][]> {
    const readable = [...(await studies.currents())].filter(([id]) => may('read', token, id))
    return (await readListed(studies, readable)).facts
  }
}

/** Finds the names of studies, and of their items and AOIs, that fit words. */
function search(listed: [id: string, facts: ListedStudy][], words: string[]) {
  const studies: Ranked<Results['studies'][number]>[] = []
  const items: Ranked<Results['items'][number]>[] = []
  const aois: Ranked<Results['aois'][number]>[] = []
  for (const [studyId, { name: studyName, isArchived, searched }] of listed) {
    const rank = rankOf(searched.study, words)
    if (rank !== null) studies.push({ rank, studyId, name: studyName, isArchived })
    if (items.length + aois.length >= CANDIDATES_MAX) continue
    let itemNames: string[] | null = null
    for (const { rank, name, itemIndex, isAoi } of matchNames(searched, words)) {
      const of = { rank, studyId, studyName, itemId: searched.itemIds[itemIndex], name }
      if (!isAoi) {
        items.push(of)
        continue
      }
      // Most studies have no AOI that fits.
      itemNames ??= searched.names.split('\n', searched.itemIds.length)
      aois.push({ ...of, itemName: itemNames[itemIndex] })
    }
  }
  return { studies, items, aois }
}

/** Returns the entries that fit best, of equal ones the shortest names first. */
function bestOf<T extends { name: string }>(ranked: Ranked<T>[], limit: number): T[] {
  const best = [...ranked].sort((one, other) => one.rank - other.rank || one.name.length - other.name.length)
  return best.slice(0, limit).map(({ rank: _, ...entry }) => entry as unknown as T)
}
