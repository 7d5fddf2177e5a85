import type { Aoi } from '../../../core/api.ts'

/** Change of an AOI. */
export type AoiChange = { id: string; name: string; did: string }

const same = (one: unknown, other: unknown) => JSON.stringify(canonical(one)) === JSON.stringify(canonical(other))

/** Sorts keys and drops nulls, as the server does. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, canonical(inner)]))
}

export function sameAois(one: Aoi[], other: Aoi[]): boolean {
  return same(one, other)
}

/** Lists the differences between two sets of AOIs. */
export function aoiChanges(before: Aoi[], after: Aoi[]): AoiChange[] {
  const found: AoiChange[] = []
  for (const { id, name } of before) if (!after.some((aoi) => aoi.id === id)) found.push({ id, name, did: 'removed' })
  for (const aoi of after) {
    const old = before.find(({ id }) => id === aoi.id)
    const { id, name } = aoi
    if (old === undefined) found.push({ id, name, did: 'added' })
    else if (!same(old, aoi)) found.push({ id, name, did: whatChanged(old, aoi) })
  }
  if (found.length === 0 && !same(idsOf(before), idsOf(after))) found.push({ id: '', name: '', did: 'order changed' })
  return found
}

function whatChanged(old: Aoi, aoi: Aoi): string {
  const renamed = old.name === aoi.name ? '' : `renamed from “${old.name}”`
  const areas = ({ parts }: Aoi) => parts.map(({ areaPoints }) => areaPoints)
  const times = ({ parts }: Aoi) => parts.map(({ timeRange }) => timeRange ?? null)
  const reshaped = same(areas(old), areas(aoi)) ? '' : 'different shape or position'
  const retimed = same(times(old), times(aoi)) ? '' : 'different times'
  const retagged = same(old.tags ?? [], aoi.tags ?? []) ? '' : 'different tags'
  return [renamed, reshaped, retimed, retagged].filter((text) => text !== '').join(', ')
}

const idsOf = (aois: Aoi[]) => aois.map(({ id }) => id)

export type AoiChoice = 'mine' | 'theirs' | 'both'
/** AOI that both users have changed in different ways; null if it was removed. */
export type Clash = { id: string; mine: Aoi | null; theirs: Aoi | null }

/** Finds the AOIs that two users have changed in different ways since the same `base`. */
export function clashesOf(base: Aoi[], mine: Aoi[], theirs: Aoi[]): Clash[] {
  const of = (aois: Aoi[], id: string) => aois.find((aoi) => aoi.id === id) ?? null
  const ids = new Set([...idsOf(base), ...idsOf(mine), ...idsOf(theirs)])
  return [...ids].flatMap((id) => {
    const [old, own, other] = [of(base, id), of(mine, id), of(theirs, id)]
    return same(own, other) || same(own, old) || same(other, old) ? [] : [{ id, mine: own, theirs: other }]
  })
}

/**
 * Merges two edits of the same `base` (three-way merge). A change by only one user is kept.
 *
 * @param choose version of an AOI that both have changed; `both` keeps mine as a separate AOI
 */
export function mergeAois(base: Aoi[], mine: Aoi[], theirs: Aoi[], choose: (id: string) => AoiChoice): Aoi[] {
  const of = (aois: Aoi[], id: string) => aois.find((aoi) => aoi.id === id) ?? null
  const clashes = clashesOf(base, mine, theirs)
  const common = (aois: Aoi[]) => idsOf(aois).filter((id) => of(base, id) !== null)
  const hasMoved = !same(
    common(mine).filter((id) => of(theirs, id)),
    common(base).filter((id) => of(mine, id) && of(theirs, id)),
  )
  const [first, second] = hasMoved ? [mine, theirs] : [theirs, mine]
  const ids = [...new Set([...idsOf(first), ...idsOf(second)])]
  return ids.flatMap((id): Aoi[] => {
    const [old, own, other] = [of(base, id), of(mine, id), of(theirs, id)]
    if (!clashes.some((clash) => clash.id === id)) return listOf(same(own, old) ? other : own)
    const choice = choose(id)
    if (choice !== 'both') return listOf(choice === 'mine' ? own : other)
    if (own === null || other === null) return listOf(own ?? other)
    return [other, { ...own, id: crypto.randomUUID(), name: `${own.name} (mine)` }]
  })
}

const listOf = (aoi: Aoi | null) => (aoi === null ? [] : [aoi])
