import { isDeepStrictEqual } from 'node:util'
import type { Aoi, AoiPart, Item, Study } from '../model/study.ts'

/** Number of lines above which the rest is only counted. */
const LINES_MAX = 12

/** Says what differs between two descriptions of a study: a line for each difference, in words. */
export function studyDifferences(before: Study, after: Study): string[] {
  const lines = [...ofStudy(before, after), ...ofItems(before.items, after.items), ...ofAois(before, after)]
  if (lines.length <= LINES_MAX) return lines
  return [...lines.slice(0, LINES_MAX - 1), `${lines.length - LINES_MAX + 1} further differences`]
}

function ofStudy(before: Study, after: Study): string[] {
  const lines = before.name === after.name ? [] : [`renamed from “${before.name}” to “${after.name}”`]
  if (before.isArchived !== after.isArchived) lines.push(after.isArchived ? 'archived' : 'restored from the archive')
  if (before.project !== after.project) lines.push(moveOf(before.project, after.project))
  const differs = (name: 'about' | 'recording' | 'steps') => !isDeepStrictEqual(before[name], after[name])
  if (differs('about')) lines.push('description, authors or licence changed')
  if (differs('recording')) lines.push('equipment changed')
  // A step goes with its item.
  if (differs('steps') && after.steps.length >= before.steps.length) lines.push('flow changed')
  return lines
}

function moveOf(from: string | undefined, to: string | undefined): string {
  if (from === undefined) return `put into project “${to}”`
  return to === undefined ? `taken out of project “${from}”` : `moved from project “${from}” to “${to}”`
}

function ofItems(before: Item[], after: Item[]): string[] {
  const [old, young] = [before, after].map((items) => new Map(items.map((item) => [item.id, item])))
  const lines: string[] = []
  for (const { id, filename } of before) if (!young.has(id)) lines.push(`item “${filename}” removed`)
  for (const item of after) {
    const was = old.get(item.id)
    if (was === undefined) lines.push(`item “${item.filename}” added`)
    else if (was.filename !== item.filename) lines.push(`item “${was.filename}” renamed to “${item.filename}”`)
    else if (!isDeepStrictEqual(was, item)) lines.push(`item “${item.filename}” changed`)
  }
  const order = (items: Item[], others: Map<string, Item>) => items.map(({ id }) => id).filter((id) => others.has(id))
  if (!isDeepStrictEqual(order(before, young), order(after, old))) lines.push('items reordered')
  return lines
}

function ofAois(before: Study, after: Study): string[] {
  const names = new Map([...before.items, ...after.items].map(({ id, filename }) => [id, filename]))
  const stays = new Set(after.items.map(({ id }) => id))
  const keyOf = ({ id, itemId }: Aoi) => `${itemId} ${id}`
  const [old, young] = [before.aois, after.aois].map((aois) => new Map(aois.map((aoi) => [keyOf(aoi), aoi])))
  const words = ({ name, itemId }: Aoi) => `AOI “${name}” of “${names.get(itemId) ?? ''}”`
  const lines: string[] = []
  // The AOIs of a removed item go with it.
  for (const aoi of before.aois)
    if (!young.has(keyOf(aoi)) && stays.has(aoi.itemId)) lines.push(`${words(aoi)} removed`)
  for (const aoi of after.aois) {
    const was = old.get(keyOf(aoi))
    if (was === undefined) lines.push(`${words(aoi)} added`)
    else lines.push(...differences(was, aoi).map((difference) => `${words(was)} ${difference}`))
  }
  return lines
}

function differences(before: Aoi, after: Aoi): string[] {
  const lines = before.name === after.name ? [] : [`renamed to “${after.name}”`]
  if (!isDeepStrictEqual(before.tags, after.tags)) lines.push('tagged anew')
  if (!isDeepStrictEqual(before.parts, after.parts))
    lines.push(isMoved(before.parts, after.parts) ? 'moved' : 'redrawn')
  return lines
}

/** Returns whether all parts of an AOI have the same shapes and times, elsewhere. */
function isMoved(before: AoiPart[], after: AoiPart[]): boolean {
  if (before.length !== after.length) return false
  return before.every((part, i) => {
    const [from, to] = [cornersOf(part), cornersOf(after[i])]
    if (!isDeepStrictEqual(part.timeRange, after[i].timeRange) || from.length !== to.length) return false
    const by = to.map((corner, c) => corner - from[c])
    return by.every((distance, c) => Math.abs(distance - by[c % 2]) < 1e-6)
  })
}

/** Returns the x and y of each corner in turn. */
function cornersOf({ areaPoints }: AoiPart): number[] {
  return numbersIn(areaPoints)
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}
