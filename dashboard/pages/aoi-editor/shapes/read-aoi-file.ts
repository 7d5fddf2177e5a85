import type { Aoi } from '../../../core/api.ts'
import type { ItemSize } from './parts.ts'
import { type FileAoi, readSvg } from './read-svg.ts'

/** @property replaces true if the AOIs can only take the place of all that are there */
export type ReadAoiFile = { aois: FileAoi[]; faults: string[]; replaces?: boolean }

const MAX_BYTES = 16 * 2 ** 20

/**
 * Reads AOIs from a file: JSON as in study.json, an SVG, or a CSV of the boxes of words.
 *
 * @param itemId item whose AOIs are read from JSON of several items
 * @param readBoxes asks the server which AOIs of the item a CSV makes
 * @returns the AOIs; if there are faults, none of them may be imported
 */
export async function readAoiFile(
  file: File,
  itemId: string,
  item: ItemSize,
  readBoxes: (csv: string) => Promise<ReadAoiFile>,
): Promise<ReadAoiFile> {
  if (file.size > MAX_BYTES) return { aois: [], faults: [`The file must have at most ${MAX_BYTES / 2 ** 20} MiB.`] }
  const text = await file.text()
  if (/\.svg$/i.test(file.name) || text.trimStart().startsWith('<')) return readSvg(text, item)
  if (/\.json$/i.test(file.name) || /^\s*[[{]/.test(text)) return readJson(text, itemId)
  if (!/\.csv$/i.test(file.name))
    return { aois: [], faults: ['The file must be JSON with AOIs as in study.json, an SVG, or a CSV of words.'] }
  return readBoxes(text)
}

/** Checks only that AOIs can be drawn; the server reports violations of rules, as for drawn AOIs. */
function readJson(text: string, itemId: string): ReadAoiFile {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return { aois: [], faults: [`The file must be valid JSON: ${(error as Error).message}.`] }
  }
  const list = Array.isArray(json) ? json : (json as { aois?: unknown } | null)?.aois
  if (!Array.isArray(list))
    return { aois: [], faults: ['The file must be a list of AOIs, or an object with a list “aois”.'] }
  const own = Array.isArray(json)
    ? list
    : list.filter((aoi) => (aoi as Partial<Aoi> | null)?.itemId?.toLowerCase?.() === itemId)
  if (own.length === 0) return { aois: [], faults: ['The file has no AOI of this item.'] }
  const faults = own.flatMap((aoi, i) => faultsOf(aoi).map((fault) => `aois[${i}]${fault}.`))
  const aois =
    faults.length > 0
      ? []
      : own.map(({ name, parts, tags }: Aoi) => ({ name, parts, ...(tags?.length ? { tags } : {}) }))
  return { aois, faults }
}

function faultsOf(aoi: unknown): string[] {
  const { name, parts, tags = [] } = (aoi ?? {}) as Partial<Record<keyof Aoi, unknown>>
  const areTags = Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')
  const faults = [
    ...(typeof name === 'string' ? [] : ['.name must be text']),
    ...(areTags ? [] : ['.tags must be a list of texts']),
  ]
  if (!Array.isArray(parts) || parts.length === 0) return [...faults, '.parts must be a list of at least one part']
  return [
    ...faults,
    ...parts.flatMap((part, p) =>
      isDrawable(part) ? [] : [`.parts[${p}].areaPoints must be a rectangle or a polygon of numbers`],
    ),
  ]
}

function isDrawable(part: unknown): boolean {
  const { areaPoints: area } = (part ?? {}) as { areaPoints?: Record<string, unknown> }
  const isPoint = (point: unknown, ...names: string[]) =>
    names.every((name) => Number.isFinite((point as Record<string, unknown> | null | undefined)?.[name]))
  if (Array.isArray(area?.points))
    return area.points.length >= 3 && area.points.every((point) => isPoint(point, 'x', 'y'))
  return isPoint(area?.topLeft, 'xPx', 'yPx') && isPoint(area?.bottomRight, 'xPx', 'yPx')
}
