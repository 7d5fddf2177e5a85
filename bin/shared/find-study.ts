import { ServiceError } from '../../engine/model/errors.ts'
import { nearest } from '../../engine/model/nearest.ts'
import { UUID } from '../../engine/model/parameters.ts'
import type { Item, Snapshot } from '../../engine/model/study.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { readStudyFacts } from './study-facts.ts'

/**
 * Finds a study by its id, or by its name if no other study has that name. Returns its id.
 *
 * @throws ServiceError not_found, usage
 */
export async function studyIdOf(studies: Studies, wanted: string): Promise<string> {
  if (UUID.test(wanted)) return wanted.toLowerCase()
  // A damaged study has no name, but does not keep others from being found.
  const known = (await readStudyFacts(studies)).facts.map(([id, { name }]) => ({ id, name }))
  const own = known.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  if (own.length > 1)
    throw new ServiceError('usage', `${own.length} studies are called ${wanted}: ${own.map(({ id }) => id).join(', ')}`)
  if (own.length === 1) return own[0].id
  throw new ServiceError('not_found', `there is no study ${wanted}${hint(wanted, known, 'gazette studies lists them')}`)
}

/** Returns the current snapshot of a study, by its id or name. @throws ServiceError not_found, usage */
export async function findStudy(studies: Studies, wanted: string): Promise<Snapshot> {
  const snapshot = await studies.current(await studyIdOf(studies, wanted))
  if (snapshot !== null) return snapshot
  throw new ServiceError('not_found', `there is no study ${wanted}; gazette studies lists them`)
}

/**
 * Finds an item by its id, or by its file name if no other item has that name. Returns its id.
 *
 * @throws ServiceError usage
 */
export function itemIdOf({ study }: Snapshot, wanted: string): string {
  const isIt = ({ id, filename }: Item) => filename === wanted || id === wanted.toLowerCase()
  const own = study.items.filter(isIt)
  if (own.length === 1) return own[0].id
  if (own.length > 1)
    throw new ServiceError('usage', `${own.length} items are called ${wanted}: ${own.map(({ id }) => id).join(', ')}`)
  const names = study.items.map(({ id, filename }) => ({ id, name: filename }))
  const few = `its items are ${names
    .slice(0, 8)
    .map(({ name }) => name)
    .join(', ')}${names.length > 8 ? ' …' : ''}`
  throw new ServiceError('usage', `the study has no item ${wanted}${hint(wanted, names, few)}`)
}

function hint(wanted: string, known: { name: string }[], otherwise: string): string {
  const near = nearest(
    wanted,
    known.map(({ name }) => name),
  ).nearest
  return near === undefined ? `; ${otherwise}` : `; did you mean ${near}?`
}
