import { EVENTS_MAX, hasAtMost, NAME_MAX, PROSE_MAX } from '../../import/bundle/bundle-limits.ts'
import { ServiceError } from '../../model/errors.ts'
import { isPlainText } from '../../model/plain-text.ts'
import { type Draft, type DraftEvent, holdText, noteLeft } from './draft.ts'
import { countSeen, listSeen } from './seen-messages.ts'

/**
 * Converts a message to an event: its name is the pattern's first group, or the whole message; its value is the second
 * group, or a value from the file.
 *
 * @returns null if the pattern does not match
 */
export function eventIn(
  message: string,
  pattern: RegExp | null | undefined,
  value = '',
): { name: string; value: string } | null {
  const found = pattern?.exec(message)
  if (!found) return null
  const name = (found[1] ?? message).trim()
  return name === '' ? null : { name, value: (found[2] ?? value).trim() }
}

/** Adds an event to a test, at a time on the clock of its samples. @throws ServiceError invalid_bundle for too many */
export function addEvent(draft: Draft, event: DraftEvent): void {
  const { name, value } = event
  if (!hasAtMost(name, NAME_MAX) || !hasAtMost(value, PROSE_MAX) || !isPlainText(name + value)) {
    noteLeft(draft, 'events whose name or value is too long, or has a U+0000', 1, { first: name.slice(0, 40) })
    return
  }
  if (draft.events.length === EVENTS_MAX)
    throw new ServiceError(
      'invalid_bundle',
      `the recordings have more than ${EVENTS_MAX} events: --event-message takes too many`,
    )
  holdText(draft, name.length + value.length)
  draft.events.push(event)
}

/** Reports omitted messages that may be events, and lists the most frequent. */
export function noteMessages(draft: Draft): void {
  const what = 'messages that may be events, of which --event-message keeps those that a pattern matches'
  const shown = draft.areMessagesListed ? '' : listSeen(draft.messages)
  noteLeft(draft, shown === '' ? what : `${what}: ${shown}`, countSeen(draft.messages))
}

export const OUTSIDE_EVENT = 'events outside of any test'
