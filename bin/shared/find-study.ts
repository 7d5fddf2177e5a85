import { ServiceError } from '../../engine/model/errors.ts'
import { nearest } from '../../engine/model/nearest.ts'
import { UUID } from '../../engine/model/parameters.ts'
import type { Aoi, Item, Snapshot } from '../../engine/model/study.ts'
import { participantsCalled } from '../../engine/snapshot/rows/list-participants.ts'
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
  throw new ServiceError('usage', `the study has no item ${wanted}${hint(wanted, names, few('items', names))}`)
}

/** Finds an AOI by its id, or by its name if no other AOI has that name. @throws ServiceError usage */
export function aoiOf({ study: { aois } }: Snapshot, wanted: string): Aoi {
  const own = aois.filter(({ id, name }) => id === wanted.toLowerCase() || name === wanted)
  if (own.length === 1) return own[0]
  if (own.length > 1)
    throw new ServiceError('usage', `${own.length} AOIs are called ${wanted}: ${own.map(({ id }) => id).join(', ')}`)
  const names = [...new Set(aois.map(({ name }) => name))].map((name) => ({ name }))
  throw new ServiceError('usage', `the study has no AOI ${wanted}${hint(wanted, names, few('AOIs', names))}`)
}

/**
 * Finds a participant by the external id, if no other participant has it; an id is returned as it is, since older
 * snapshots may hold a participant that this one does not.
 *
 * @throws ServiceError usage, not_found
 */
export async function participantIdOf(snapshot: Snapshot, wanted: string): Promise<string> {
  if (UUID.test(wanted)) return wanted.toLowerCase()
  const own = await participantsCalled(snapshot, wanted)
  if (own.length === 1) return own[0]
  if (own.length > 1)
    throw new ServiceError('usage', `${own.length} participants are called ${wanted}: ${own.join(', ')}`)
  throw new ServiceError(
    'not_found',
    `study ${snapshot.study.name} has no participant with the id or external id ${wanted}`,
  )
}

/** Lists the first names of what a study has. */
function few(what: string, names: { name: string }[]): string {
  if (names.length === 0) return `it has no ${what}`
  const first = names.slice(0, 8).map(({ name }) => name)
  return `its ${what} are ${first.join(', ')}${names.length > 8 ? ' …' : ''}`
}

/** Suggests the nearest known name, or the only one that holds the wanted text; otherwise says `otherwise`. */
function hint(wanted: string, known: { name: string }[], otherwise: string): string {
  const names = known.map(({ name }) => name)
  const holding = names.filter((name) => name.toLowerCase().includes(wanted.toLowerCase()))
  const near = nearest(wanted, names).nearest ?? (holding.length === 1 ? holding[0] : undefined)
  return near === undefined ? `; ${otherwise}` : `; did you mean ${near}?`
}
