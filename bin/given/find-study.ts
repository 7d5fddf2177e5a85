import { ServiceError } from '../../engine/model/errors.ts'
import { didYouMean, nearest } from '../../engine/model/nearest.ts'
import { UUID } from '../../engine/model/parameters.ts'
import type { Aoi, Item, Snapshot } from '../../engine/model/study.ts'
import { readListed } from '../../engine/snapshot/read-listed.ts'
import { participantsCalled } from '../../engine/snapshot/rows/list-participants.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'

/**
 * Finds a study by its id, or by its name if no other study has that name. Returns its id.
 *
 * @throws ServiceError not_found, usage
 */
export async function studyIdOf(studies: Studies, wanted: string): Promise<string> {
  return (await studyIdsOf(studies, [wanted]))[0]
}

/** Finds studies as `studyIdOf` does; the names of all studies are read once, if any is wanted by name. */
export async function studyIdsOf(studies: Studies, wanted: string[]): Promise<string[]> {
  const isByName = wanted.some((each) => !UUID.test(each))
  // A damaged study has no name, but does not keep others from being found.
  const { facts } = isByName ? await readListed(studies, [...(await studies.currents())]) : { facts: [] }
  const known = facts.map(([id, { name }]) => ({ id, name }))
  return wanted.map((each) => (UUID.test(each) ? each.toLowerCase() : idByName(known, each)))
}

function idByName(known: { id: string; name: string }[], wanted: string): string {
  const own = known.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  refuseSeveral('studies', own, wanted)
  if (own.length === 1) return own[0].id
  throw new ServiceError('not_found', `there is no study ${wanted}${hint(wanted, known, 'gazette studies lists them')}`)
}

/** @throws ServiceError usage */
function refuseSeveral(what: string, own: { id: string }[], wanted: string): void {
  if (own.length > 1)
    throw new ServiceError('usage', `${own.length} ${what} are called ${wanted}: ${own.map(({ id }) => id).join(', ')}`)
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
  refuseSeveral('items', own, wanted)
  if (own.length === 1) return own[0].id
  const names = study.items.map(({ id, filename }) => ({ id, name: filename }))
  throw new ServiceError('usage', `the study has no item ${wanted}${hint(wanted, names, few('items', names))}`)
}

/** Finds an AOI by its id, or by its name if no other AOI has that name. @throws ServiceError usage */
export function aoiOf({ study: { aois } }: Snapshot, wanted: string): Aoi {
  const own = aois.filter(({ id, name }) => id === wanted.toLowerCase() || name === wanted)
  refuseSeveral('AOIs', own, wanted)
  if (own.length === 1) return own[0]
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
  const own = (await participantsCalled(snapshot, wanted)).map((id) => ({ id }))
  refuseSeveral('participants', own, wanted)
  if (own.length === 1) return own[0].id
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
  return didYouMean(near) || `; ${otherwise}`
}
