import { isDeepStrictEqual } from 'node:util'
import type { About, Aoi, AoiPart, Item, Recording, Study } from '../model/study.ts'

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
  lines.push(...ofFields(before.about ?? {}, after.about ?? {}, ABOUT))
  lines.push(...ofFields(before.recording ?? {}, after.recording ?? {}, RECORDING))
  // A step goes with its item.
  const isDifferent = !isDeepStrictEqual(before.steps, after.steps)
  if (isDifferent && after.steps.length >= before.steps.length) lines.push(flowOf(before.steps, after.steps))
  return lines
}

/** Fields by name: what each is called, and its unit; null for a field that is too long to be quoted. */
type Fields<Of> = { [Name in keyof Of]-?: [words: string, unit: string | null] }

const ABOUT: Fields<About> = {
  description: ['description', null],
  keywords: ['keywords', null],
  authors: ['authors', null],
  license: ['licence', ''],
  doi: ['DOI', ''],
  funding: ['funding', null],
  ethics: ['ethics approvals', null],
  references: ['references', null],
}
const RECORDING: Fields<Recording> = {
  manufacturer: ['manufacturer of the eye tracker', ''],
  model: ['model of the eye tracker', ''],
  calibrationType: ['type of calibration', ''],
  environment: ['recording environment', null],
  nominalSamplingRateHz: ['sampling rate', ' Hz'],
  screenWidthPx: ['screen width in px', ' px'],
  screenHeightPx: ['screen height in px', ' px'],
  screenWidthCm: ['screen width in cm', ' cm'],
  screenHeightCm: ['screen height in cm', ' cm'],
  viewingDistanceCm: ['viewing distance', ' cm'],
  calibrationPoints: ['number of calibration points', ''],
  pupilUnit: ['unit of pupils', ''],
}
const ITEM: Fields<Omit<Item, 'id' | 'filename'>> = {
  cdnUrl: ['address of its original', null],
  type: ['type', ''],
  stimuliDurationMs: ['duration', ' ms'],
  widthPx: ['width', ' px'],
  heightPx: ['height', ' px'],
}

/** Says which of some fields differ; null and '' are as none. */
function ofFields<Of extends object>(before: Of, after: Of, fields: Fields<Of>): string[] {
  return (Object.keys(fields) as (keyof Of)[]).flatMap((name) => {
    const [from, to] = [before[name] || null, after[name] || null]
    if (isDeepStrictEqual(from, to)) return []
    const [words, unit] = fields[name]
    const told = (value: unknown) => `${typeof value === 'number' ? value : `“${value}”`}${unit}`
    if (to === null) return `${words} removed`
    if (unit === null) return `${words} ${from === null ? 'added' : 'changed'}`
    return from === null ? `${words} set to ${told(to)}` : `${words} changed from ${told(from)} to ${told(to)}`
  })
}

function flowOf(before: unknown[], after: unknown[]): string {
  if (before.length !== after.length) return `flow changed from ${before.length} to ${after.length} steps`
  const texts = (steps: unknown[]) => steps.map((step) => JSON.stringify(step)).sort()
  return isDeepStrictEqual(texts(before), texts(after)) ? 'steps of the flow reordered' : 'steps of the flow changed'
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
    else {
      if (was.filename !== item.filename) lines.push(`item “${was.filename}” renamed to “${item.filename}”`)
      lines.push(...ofFields(was, item, ITEM).map((difference) => `item “${item.filename}”: ${difference}`))
    }
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
  const [was, is] = [before.tags ?? [], after.tags ?? []]
  const quoted = (tags: string[]) => tags.map((tag) => `“${tag}”`).join(', ')
  const [more, less] = [is.filter((tag) => !was.includes(tag)), was.filter((tag) => !is.includes(tag))]
  if (more.length > 0) lines.push(`tagged ${quoted(more)}`)
  if (less.length > 0) lines.push(`no longer tagged ${quoted(less)}`)
  return isDeepStrictEqual(before.parts, after.parts) ? lines : [...lines, shapeOf(before.parts, after.parts)]
}

function shapeOf(before: AoiPart[], after: AoiPart[]): string {
  const count = (parts: AoiPart[]) => `${parts.length} part${parts.length === 1 ? '' : 's'}`
  if (before.length !== after.length) return `redrawn, with ${count(after)} instead of ${before.length}`
  const areas = (parts: AoiPart[]) => parts.map(({ areaPoints }) => areaPoints)
  if (isDeepStrictEqual(areas(before), areas(after))) return 'shown at other times'
  return isMoved(before, after) ? 'moved' : 'redrawn'
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
