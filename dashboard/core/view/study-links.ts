import { usePlace } from '../router.ts'
import { NUMBER_NAMES } from './chart-settings.ts'

/**
 * Parameters of an address that select tests, settings and the order of AOIs; links carry them from page to page of a
 * study.
 */
const CARRIED = ['analysis', 'filter', 'detector', 'eye', ...NUMBER_NAMES, 'fromMs', 'toMs', 'nested', 'frame']

/** Returns an address with what `query` says of tests and settings, and more; null and '' leave out. */
export function carrying(path: string, query: URLSearchParams, more: Record<string, string | null> = {}): string {
  const next = new URLSearchParams()
  const add = (name: string, value: string | null) => value && next.set(name, value)
  for (const name of CARRIED) add(name, query.get(name))
  for (const [name, value] of Object.entries(more)) add(name, value)
  const text = next.toString()
  return text === '' ? path : `${path}?${text}`
}

/** Returns what makes the address of another page of a study from its path, with the tests and settings of this one. */
export function useStudyLink(studyId: string): (page?: string, more?: Record<string, string | null>) => string {
  const { query } = usePlace()
  return (page = '', more = {}) => carrying(`/studies/${studyId}${page}`, query, more)
}
