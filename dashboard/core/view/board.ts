import type { Refused } from './chart-view.ts'
import { PARTS, type ReportPart } from './report-contents.ts'

/**
 * A figure or a table of a board: of an item, and of all participants (''), a group of the address (`g1`) or one
 * participant (an id).
 */
export type BoardEntry = { part: ReportPart; itemId: string; who: string }

export const BOARD_MAX = 24

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const ENTRY = new RegExp(`^([a-z]+)\\.(${UUID})(?:\\.(g[1-4]|${UUID}))?$`)

/** Reads the board of an address: entries separated by underscores; others are reported. */
export function readBoard(query: URLSearchParams): { entries: BoardEntry[]; refused: Refused[] } {
  const refused: Refused[] = []
  const texts = (query.get('board') ?? '').split('_').filter((text) => text !== '')
  const entries = texts.slice(0, BOARD_MAX).flatMap((text): BoardEntry[] => {
    const [, part = '', itemId = '', who = ''] = ENTRY.exec(text) ?? []
    if (Object.hasOwn(PARTS, part)) return [{ part: part as ReportPart, itemId, who }]
    refused.push({
      name: 'board',
      value: text,
      rule: 'must be figures, each of an item, and of all, a group or a participant',
    })
    return []
  })
  if (texts.length > BOARD_MAX)
    refused.push({ name: 'board', value: `${texts.length} figures`, rule: `must have at most ${BOARD_MAX}` })
  return { entries, refused }
}

/** Returns a board as a value of the address; null for an empty one. */
export function boardText(entries: BoardEntry[]): string | null {
  const texts = entries.map(({ part, itemId, who }) => [part, itemId, ...(who === '' ? [] : [who])].join('.'))
  return texts.join('_') || null
}
