import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Session } from './api.ts'

/** View of a visitor with a link. */
export type SeenLink = NonNullable<Session['link']>

/** null for signed-in users. */
export const LinkSeen = createContext<SeenLink | null>(null)

/** Returns the link by which the page is seen; null for none. */
export function useLink(): SeenLink | null {
  return useContext(LinkSeen)
}

/** Returns whether the page is all that is seen: its item and its tests stay as they are. */
export function useIsView(): boolean {
  const link = useLink()
  return link !== null && link.page !== 'study'
}

/** Returns whether a link shows one participant alone. */
export function isOfOne({ page, path }: SeenLink): boolean {
  return page !== 'study' && new URLSearchParams(path.split('?')[1]).has('participant')
}

/** Returns the query of the tests that a link shows, with what else is asked; '' for all. */
export function linkQuery({ itemId, filter, gradeMin, analysis }: SeenLink, more: Record<string, string> = {}): string {
  const query = new URLSearchParams(more)
  if (itemId !== null) query.set('itemId', itemId)
  if (filter !== null) query.set('filter', filter)
  if (analysis !== undefined) query.set('analysis', analysis)
  if (gradeMin > 1) query.set('participantQualityGradeItemMin', String(gradeMin))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** Returns the secret that stands in the fragment of an address; null for none. */
export function secretOf(hash: string): string | null {
  return /^#link=([0-9a-f-]{36})$/i.exec(hash)?.[1] ?? null
}

/** Returns the study of a page's path; null for pages of none. */
export function studyOfPath(path: string): string | null {
  return /^\/studies\/([^/]+)/.exec(path)?.[1].toLowerCase() ?? null
}
