import type { Refused } from './chart-view.ts'
import { contentsQuery, PARTS, type ReportPart, readContents, type Section } from './report-contents.ts'
import { readScarf, SCARF_NAMES, type ScarfView, scarfText } from './scarf-view.ts'

/**
 * A figure or a table of a board: of an item, and of all participants (''), a group of the address (`g1`) or one
 * participant (an id).
 *
 * @property scarf arrangement of a scarf plot's rows; absent for the usual one and for other parts
 */
export type BoardEntry = { part: ReportPart; itemId: string; who: string; scarf?: ScarfView }

export const BOARD_MAX = 24

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const ENTRY = new RegExp(`^([a-z]+)\\.(${UUID})(?:\\.(g[1-4]|${UUID}))?(?:~(.+))?$`)
const RULE = 'must be figures, each of an item, and of all, a group or a participant'

/** Reads the board of an address: entries separated by underscores; others are reported. */
export function readBoard(query: URLSearchParams): { entries: BoardEntry[]; refused: Refused[] } {
  const refused: Refused[] = []
  const texts = (query.get('board') ?? '').split('_').filter((text) => text !== '')
  const entries = texts.slice(0, BOARD_MAX).flatMap((text): BoardEntry[] => {
    const [, part = '', itemId = '', who = '', rows = ''] = ENTRY.exec(text) ?? []
    if (!Object.hasOwn(PARTS, part)) {
      refused.push({ name: 'board', value: text, rule: RULE })
      return []
    }
    const arranged = readRows(part, rows)
    refused.push(...arranged.refused)
    return [{ part: part as ReportPart, itemId, who, ...arranged.scarf }]
  })
  if (texts.length > BOARD_MAX)
    refused.push({ name: 'board', value: `${texts.length} figures`, rule: `must have at most ${BOARD_MAX}` })
  return { entries, refused }
}

/** Reads the arrangement at the end of an entry; '' without one. */
function readRows(part: string, text: string): { scarf: Pick<BoardEntry, 'scarf'>; refused: Refused[] } {
  if (text === '') return { scarf: {}, refused: [] }
  const query = new URLSearchParams(text)
  const isKnown = (name: string) => SCARF_NAMES.some((each) => each === name)
  if (part !== 'scarf' || [...query.keys()].some((name) => !isKnown(name)))
    return {
      scarf: {},
      refused: [{ name: 'board', value: text, rule: 'must follow a scarf plot, and be rows, zero or rowsAoi' }],
    }
  const { scarf, refused } = readScarf(query, null)
  return { scarf: scarfText(scarf) === '' ? {} : { scarf }, refused }
}

/** Returns a board as a value of the address; null for an empty one. */
export function boardText(entries: BoardEntry[]): string | null {
  const texts = entries.map(({ part, itemId, who, scarf }) => {
    const rows = scarf === undefined ? '' : scarfText(scarf)
    // An underscore parts entries.
    const arranged = rows === '' ? '' : `~${rows.replaceAll('_', '%5F')}`
    return [part, itemId, ...(who === '' ? [] : [who])].join('.') + arranged
  })
  return texts.join('_') || null
}

/** Returns the sections of a report with the board, which comes before the items, or before the last one. */
export function withBoard(sections: Section[]): Section[] {
  if (sections.includes('board')) return sections
  const at = sections.includes('items') ? sections.indexOf('items') : Math.max(0, sections.length - 1)
  return [...sections.slice(0, at), 'board', ...sections.slice(at)]
}

/**
 * Returns the contents of a report with one more figure on its board, as changes of an address; null if it is full.
 *
 * @param kept contents in the analysis in use; '' for none
 */
export function withEntry(kept: string, entry: BoardEntry): Record<string, string | null> | null {
  const query = new URLSearchParams(kept)
  const { contents } = readContents(query)
  const { entries } = readBoard(query)
  if (entries.length >= BOARD_MAX) return null
  const sections = withBoard(contents.sections)
  return {
    ...Object.fromEntries(query),
    ...contentsQuery({ ...contents, sections }),
    board: boardText([...entries, entry]),
  }
}
