import { join } from 'node:path'
import { noProblems } from '../model/bundle-problems.ts'
import { ServiceError } from '../model/errors.ts'
import type { StudyReader } from '../snapshot/snapshots.ts'
import type { BundleFiles } from './bundle/bundle.ts'
import { readCsv } from './bundle/read-csv.ts'

/**
 * Finds the study to which a bundle without study.json belongs: the one with the item of its first test, otherwise the
 * only study.
 *
 * @throws ServiceError usage if neither exists
 */
export async function findStudyOf(studies: StudyReader, files: BundleFiles): Promise<string> {
  const ids = await studies.studyIds()
  if (ids.length === 1) return ids[0]
  const itemId = await firstItemId(files)
  const found: string[] = []
  for (const id of ids) {
    const snapshot = await studies.current(id)
    if (snapshot?.study.items.some((item) => item.id === itemId)) found.push(id)
  }
  if (found.length === 1) return found[0]
  throw new ServiceError(
    'usage',
    'the bundle does not name the study to which it should be added: add the study.json of that study',
  )
}

async function firstItemId({ directory, tests }: BundleFiles): Promise<string | null> {
  if (tests === null) return null
  let header: string[] | null = null
  for await (const rows of readCsv(join(directory, tests), tests, noProblems())) {
    for (const { cells } of rows) {
      if (header) return cells[header.indexOf('item_id')]?.toLowerCase() ?? null
      header = cells
    }
  }
  return null
}
