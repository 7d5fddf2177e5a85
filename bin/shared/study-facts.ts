import type { ListedStudy } from '../../engine/snapshot/catalog.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { forEach } from '../../engine/storage/concurrency/side-by-side.ts'

/** Number of studies that are read in parallel: each in a bucket takes a request. */
const AT_ONCE = 12

/** Reads the facts of all studies, and why a damaged one has none; both by id, in ascending order. */
export async function readStudyFacts(
  studies: Studies,
): Promise<{ facts: [id: string, facts: ListedStudy][]; damaged: [id: string, message: string][] }> {
  const facts: [string, ListedStudy][] = []
  const damaged: [string, string][] = []
  await forEach(await studies.currents(), AT_ONCE, async ([id, snapshotId]) => {
    try {
      const found = await studies.facts(id, snapshotId)
      if (found !== null) facts.push([id, found])
    } catch (error) {
      damaged.push([id, (error as Error).message])
    }
  })
  const byId = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
  return { facts: facts.sort(byId), damaged: damaged.sort(byId) }
}
