import { nameUuid } from '../../text/name-uuid.ts'

const LONGEST_PATHS = 1000

/** Names a display of several pictures by all of them. */
export function joinedNames(names: string[]): string {
  return shortened(names.join(' + '), LONGEST_PATHS)
}

/** Cuts a long text; texts that begin alike stay apart. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${nameUuid(text).slice(0, 8)})`
}
