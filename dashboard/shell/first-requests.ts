import { pageAt } from '../core/page-at.ts'

/** Key of the mark that somebody has signed in in this browser, and not signed out. */
export const SIGNED_IN_KEY = 'gazette-signed-in'

/** Returns the requests that the page at a path sends first: of a study, its own, the catalogue and its analyses. */
export function firstRequests(path: string): string[] {
  const { studyId, itemId } = pageAt(path)?.params ?? { studyId: '', itemId: '' }
  if (studyId === '') return path === '/' ? ['/api2/studies', '/api2/studies-all/drop-rate'] : []
  const study = `/api2/studies/${studyId}`
  const settings = [study, '/api2/exports', `${study}/analyses`]
  const participants = `${study}/participants?losses=known`
  if (itemId !== '') return [...settings, `${study}/items/${itemId}/shown`, participants]
  return path.endsWith(studyId) ? [...settings, `${study}/flow`, participants, '/api2/studies-all/drop-rate'] : settings
}
