import type { ExportCatalog, ExportInfo, FormatInfo, Study } from '../../core/api.ts'
import { defaultsFor, hasDetector, namesFor, queryString, type Settings } from '../../core/view/chart-settings.ts'
import type { Refused } from '../../core/view/chart-view.ts'

/** Choice of an address; `refused` lists what is unknown, which the defaults replace. */
export type ExportChoice = { chosen: ExportInfo; itemId: string | null; format: FormatInfo; refused: Refused[] }

/** Reads the chosen table, item and format from an address. */
export function readChoice(
  query: URLSearchParams,
  study: Study,
  { exports, formats }: Pick<ExportCatalog, 'exports' | 'formats'>,
): ExportChoice {
  const named = <T extends { name: string }>(of: T[], parameter: string) =>
    of.find(({ name }) => name === query.get(parameter))
  const chosen = named(exports, 'export')
  const item = study.items.find(({ id }) => id === query.get('itemId')?.toLowerCase())
  const format = named(formats, 'format')
  const rules = [
    { name: 'export', known: chosen, rule: `must be ${exports.map(({ name }) => name).join(', ')}` },
    { name: 'itemId', known: item, rule: 'must be an item of the study' },
    { name: 'format', known: format, rule: `must be ${formats.map(({ name }) => name).join(', ')}` },
  ]
  return {
    chosen: chosen ?? exports.find(({ name }) => name === 'fixations') ?? exports[0],
    itemId: item?.id ?? null,
    format: format ?? formats[0],
    refused: rules.flatMap(({ name, known, rule }) => {
      const value = query.get(name) ?? ''
      return value === '' || known !== undefined ? [] : [{ name, value, rule }]
    }),
  }
}

/** Returns the addresses of a table's file and of its first rows. @param csv default format, which they leave out */
export function pathsOf(
  studyId: string,
  { chosen, itemId, format }: ExportChoice,
  csv: FormatInfo,
  settings: Settings,
  defaults: Settings,
): { path: string; previewPath: string } {
  // Settings that do not affect the export are left out of the request, as in the plan.
  const bearing = bearingOf(settings, defaults, chosen)
  const more = { itemId, format: format === csv ? null : format.name }
  const variant = chosen.variant === 'raw' ? null : chosen.variant
  return {
    path: chosen.path.replace('{studyId}', studyId) + queryString(bearing, defaults, { variant, ...more }),
    previewPath: `/api2/studies/${studyId}/previews/${chosen.name}${queryString(bearing, defaults, more)}`,
  }
}

/** Removes settings that do not affect an export. */
function bearingOf(settings: Settings, defaults: Settings, { settings: listed }: ExportInfo): Settings {
  const names: string[] = namesFor(settings.detector, listed)
  if (hasDetector(listed)) names.push('detector', 'maxFixationDurationMs')
  const kept = Object.entries(settings).filter(([name]) => names.includes(name))
  return { ...defaultsFor(settings, defaults), ...Object.fromEntries(kept) }
}
