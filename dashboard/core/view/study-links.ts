import { usePlace } from '../router.ts'
import { NUMBER_NAMES } from './chart-settings.ts'

/** Query parameters of tests, settings, order and colours of AOIs; links carry them from page to page of a study. */
const CARRIED = [
  'analysis',
  'filter',
  'preset',
  'detector',
  'eye',
  'lines',
  'readingFrom',
  ...NUMBER_NAMES,
  'fromMs',
  'toMs',
  'nested',
  'frame',
  'paint',
]

/** Pages that can show only one participant; links between them keep it. */
const OF_PARTICIPANT = /\/items\/|\/quality$/

/**
 * Returns the address of a page of a study with the tests and settings of this page. Between pages of items and of
 * quality it keeps the participant; on one item, also the chosen AOIs.
 *
 * @param more further parameters; null and '' remove one
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
    ...(/\/items\//.test(path) ? ['figure'] : []),
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

/** Returns a function that maps the path of a page of the study to its address with the current tests and settings. */
export function useStudyLink(studyId: string): (page?: string, more?: Record<string, string | null>) => string {
  const here = usePlace()
  return (page = '', more = {}) => carrying(here, `/studies/${studyId}${page}`, more)
}
