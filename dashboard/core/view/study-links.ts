import { usePlace } from '../router.ts'
import { NUMBER_NAMES } from './chart-settings.ts'

/**
 * Parameters of an address that select tests, settings and the order of AOIs; links carry them from page to page of a
 * study.
 */
const CARRIED = ['analysis', 'filter', 'detector', 'eye', ...NUMBER_NAMES, 'fromMs', 'toMs', 'nested', 'frame']

/** Pages that can show one participant alone, and those between them. */
const OF_PARTICIPANT = /\/items\/|\/quality$/

/**
 * Returns the address of a page of a study with what this page's address says of tests and settings; between pages of
 * items and of quality also with the participant, and on one item with the chosen AOIs.
 *
 * @param more values of its own; null and '' leave out
 */
export function carrying(
  here: { path: string; query: URLSearchParams },
  path: string,
  more: Record<string, string | null> = {},
): string {
  const itemOf = (some: string) => /\/items\/[^/]+/.exec(some)?.[0]
  const names = [
    ...CARRIED,
    ...(OF_PARTICIPANT.test(path) ? ['participant'] : []),
    ...(itemOf(path) !== undefined && itemOf(path) === itemOf(here.path) ? ['aois'] : []),
  ]
  const next = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...from(here.query, names), ...more })) if (value) next.set(name, value)
  const text = next.toString()
  return text === '' ? path : `${path}?${text}`
}

function from(query: URLSearchParams, names: string[]): Record<string, string | null> {
  return Object.fromEntries(names.map((name) => [name, query.get(name)]))
}

/** Returns what makes the address of another page of a study from its path, with the tests and settings of this one. */
export function useStudyLink(studyId: string): (page?: string, more?: Record<string, string | null>) => string {
  const here = usePlace()
  return (page = '', more = {}) => carrying(here, `/studies/${studyId}${page}`, more)
}
