import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Session } from './api.ts'

/** View that a link shows to a visitor. */
export type SeenLink = NonNullable<Session['link']>

/** Link of the visitor; null for signed-in users. */
export const LinkSeen = createContext<SeenLink | null>(null)

/** Returns the link by which the visitor sees the page; null for none. */
export function useLink(): SeenLink | null {
  return useContext(LinkSeen)
}

/** Returns whether a link shows only this page, so that its item and tests are fixed. */
export function useIsView(): boolean {
  const link = useLink()
  return link !== null && link.page !== 'study'
}

/** Returns whether a link shows only one participant. */
export function isOfOne({ page, path }: SeenLink): boolean {
  return page !== 'study' && new URLSearchParams(path.split('?')[1]).has('participant')
}

/** Returns the query for the tests that a link shows, with further parameters; '' for all tests. */
export function linkQuery({ itemId, filter, gradeMin, analysis }: SeenLink, more: Record<string, string> = {}): string {
  const query = new URLSearchParams(more)
  if (itemId !== null) query.set('itemId', itemId)
  if (filter !== null) query.set('filter', filter)
  if (analysis !== undefined) query.set('analysis', analysis)
  if (gradeMin > 1) query.set('participantQualityGradeItemMin', String(gradeMin))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** Returns the study id in the path of a page; null for pages without a study. */
export function studyOfPath(path: string): string | null {
  return /^\/studies\/([^/]+)/.exec(path)?.[1].toLowerCase() ?? null
}
