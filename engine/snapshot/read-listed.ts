import { ServiceError } from '../model/errors.ts'
import { forEach } from '../storage/concurrency/side-by-side.ts'
import type { Catalog, ListedStudy } from './catalog.ts'

/**
 * Number of studies that are read in parallel: fewer than libuv's threads, so that no request waits for them; each in a
 * bucket takes a request.
 */
const AT_ONCE = 12

/**
 * Reads the facts of listed studies, in their order. A damaged one, or one of another version's format, does not affect
 * the others; one that is gone meanwhile is left out.
 *
 * @returns `damaged` by id, with the message
 * @throws ServiceError overloaded, store_away
 */
export async function readListed(
  catalog: Pick<Catalog, 'facts' | 'known'>,
  listed: [id: string, snapshotId: string][],
): Promise<{ facts: [id: string, facts: ListedStudy][]; damaged: [id: string, message: string][] }> {
  const damaged: [string, string][] = []
  const loaded = new Map<string, ListedStudy | null>()
  const unread = listed.filter(([id, snapshotId]) => catalog.known(id, snapshotId) === null)
  await forEach(unread, AT_ONCE, async ([id, snapshotId]) => {
    try {
      loaded.set(id, await catalog.facts(id, snapshotId))
    } catch (error) {
      if (!(error instanceof ServiceError) || !['corrupt', 'other_format'].includes(error.code)) throw error
      damaged.push([id, error.message])
    }
  })
  const facts = listed.flatMap(([id, snapshotId]): [string, ListedStudy][] => {
    const found = loaded.get(id) ?? catalog.known(id, snapshotId)
    return found === null ? [] : [[id, found]]
  })
  return { facts, damaged: damaged.sort(([a], [b]) => (a < b ? -1 : 1)) }
}
