import { pageAt } from '../core/page-at.ts'

/** Key of the mark that somebody has signed in in this browser, and not signed out. */
export const SIGNED_IN_KEY = 'gazette-signed-in'

/**
 * Returns the requests that the page at a path sends first: those of its settings (the study, the catalogue, the
 * analyses), without which it draws nothing, and others, which need not come before its code.
 */
export function firstRequests(path: string): { settings: string[]; others: string[] } {
  const { studyId, itemId } = pageAt(path)?.params ?? { studyId: '', itemId: '' }
  if (studyId === '') return { settings: [], others: path === '/' ? ['/api2/studies'] : [] }
  const study = `/api2/studies/${studyId}`
  return {
    settings: [study, '/api2/exports', `${study}/analyses`],
    others: itemId === '' ? [] : [`${study}/items/${itemId}/shown`],
  }
}
