import { isInstant } from '../../model/instant.ts'

const WITHOUT_OFFSET = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d(?:\.\d+)?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i

/**
 * Formats a time of day as RFC 3339 with offset; '' for text that is not one.
 *
 * @returns `isUtcAssumed` is true if the text has no offset
 */
export function instantText(text: string): { instant: string; isUtcAssumed: boolean } {
  if (isInstant(text)) return { instant: text, isUtcAssumed: false }
  const match = WITHOUT_OFFSET.exec(text)
  if (!match) return { instant: '', isUtcAssumed: false }
  const [, date, minutes, seconds = ':00', zone = ''] = match
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.length > 3 ? zone.slice(-2) : '00'}` : 'Z'
  const instant = `${date}T${minutes}${seconds}${offset}`
  return isInstant(instant) ? { instant, isUtcAssumed: zone === '' } : { instant: '', isUtcAssumed: false }
}
