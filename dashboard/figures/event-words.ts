import { EVENTS_SHOWN_MAX } from '../../isomorphic/events-shown.ts'
import type { FixationsData } from '../core/api.ts'
import { wholeText } from '../core/number-texts.ts'

/**
 * Explains the marks of events, of which an answer lists the first of each test; '' without events.
 *
 * @param mark such as "A line across a row"
 */
export function eventWords({ tests }: Pick<FixationsData, 'tests'>, mark: string): string {
  const most = Math.max(0, ...tests.map(({ events = [] }) => events.length))
  if (most === 0) return ''
  const limit = most < EVENTS_SHOWN_MAX ? '' : `; at most the first ${wholeText(EVENTS_SHOWN_MAX)} of a test are marked`
  return `${mark} is an event${limit}.`
}
