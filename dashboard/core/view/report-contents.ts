import type { Refused } from './chart-view.ts'
import { SCARF_NAMES } from './scarf-view.ts'

/** Sections of a report, and parts of each item, in their default order. */
export const SECTIONS = {
  text: 'Own text',
  methods: 'Method',
  people: 'Participants and exclusions',
  quality: 'Data quality',
  board: 'Board',
  items: 'Items',
  groups: 'Groups',
  sources: 'Sources',
} as const
export const PARTS = {
  heatmap: 'Heatmap',
  fog: 'Fog map',
  plots: 'Gaze plots',
  table: 'AOIs as a table',
  aois: 'AOIs as bars',
  scarf: 'Scarf plot',
  transitions: 'Transitions',
  survival: 'Time to first fixation',
  visits: 'Visits over time',
  words: 'Words by reading measure',
} as const
export type Section = keyof typeof SECTIONS
export type ReportPart = keyof typeof PARTS

/** Contents of a report, in order. */
export type Contents = { sections: Section[]; parts: ReportPart[] }

/** Default contents, for an address that names none. */
export const USUAL: Contents = {
  sections: ['text', 'methods', 'people', 'quality', 'items', 'sources'],
  parts: ['heatmap', 'table', 'aois'],
}

/** Reads the contents from an address: names separated by full stops; unknown names are ignored and reported. */
export function readContents(query: URLSearchParams): { contents: Contents; refused: Refused[] } {
  const refused: Refused[] = []
  const read = <Name extends string>(name: string, known: Record<Name, string>, usual: Name[]): Name[] => {
    const text = query.get(name)
    if (text === null) return usual
    const named = text.split('.').filter((each) => each !== '' && each !== 'none')
    const isKnown = (each: string): each is Name => Object.hasOwn(known, each)
    for (const value of named.filter((each) => !isKnown(each)))
      refused.push({ name, value, rule: `must be one of ${Object.keys(known).join(', ')}` })
    return [...new Set(named.filter(isKnown))]
  }
  const contents = {
    sections: read('sections', SECTIONS, USUAL.sections),
    parts: read('parts', PARTS, USUAL.parts),
  }
  return { contents, refused }
}

/** Returns the contents as query values; null for the default. */
export function contentsQuery({ sections, parts }: Contents): { sections: string | null; parts: string | null } {
  const told = (now: string[], usual: string[]) => (now.join('.') === usual.join('.') ? null : now.join('.') || 'none')
  return { sections: told(sections, USUAL.sections), parts: told(parts, USUAL.parts) }
}

/** Moves an entry of a list by some places, within the list. */
export function moved<Name>(list: Name[], name: Name, by: number): Name[] {
  const from = list.indexOf(name)
  const to = Math.max(0, Math.min(list.length - 1, from + by))
  const rest = list.filter((each) => each !== name)
  return [...rest.slice(0, to), name, ...rest.slice(to)]
}

/** Parameters of the address of a report that are its contents; the others are tests and settings. */
const GROUPS = [1, 2, 3, 4].flatMap((g) => [`group${g}`, `name${g}`])
const NAMES = ['sections', 'parts', 'board', 'title', 'text', 'item', ...GROUPS]
const OF_FIGURES = ['view', 'measure', 'test', 'looked', 'within', ...SCARF_NAMES]

/**
 * Returns the query of a report without its contents, where its analysis keeps just these: an address of 24 figures and
 * a text would be too long for a link. A chosen item stays, since a link shows no other.
 *
 * @param kept contents in the analysis of the address; '' for none
 */
export function withoutKept(search: string, kept: string): string {
  const query = new URLSearchParams(search)
  if (kept === '' || query.has('item') || reportText(query) !== kept) return search
  for (const name of [...NAMES, ...OF_FIGURES]) query.delete(name)
  return `?${query}`
}

/** Returns the contents of a report as text, as an analysis keeps it; '' for an address that names none. */
export function reportText(query: URLSearchParams): string {
  const own = [...NAMES, ...OF_FIGURES].flatMap((name): [string, string][] => {
    const value = query.get(name)
    return value === null ? [] : [[name, value]]
  })
  return new URLSearchParams(own).toString()
}
