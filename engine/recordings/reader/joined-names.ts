import { nameUuid } from '../../text/name-uuid.ts'

const LONGEST_PATHS = 1000

/** Names a display of several pictures by joining their names. */
export function joinedNames(names: string[]): string {
  return cutName(names.join(' + '), LONGEST_PATHS)
}

/** Shortens a long text; texts with the same beginning stay distinct. */
export function cutName(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${nameUuid(text).slice(0, 8)})`
}
