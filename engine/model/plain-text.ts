import type { Fault } from './errors.ts'

/**
 * Rule for every text that somebody sends: U+0000 ends a text in C programs, and half of a surrogate pair is no
 * character, which UTF-8 cannot hold.
 */
export const PLAIN_TEXT_RULE = 'must not contain U+0000 or half of a surrogate pair'

const NOT_PLAIN = /[\0\p{Surrogate}]/u

export function isPlainText(text: string): boolean {
  return !NOT_PLAIN.test(text)
}

/** Such characters in the source of JSON, where only escapes can stand for them. */
const ESCAPED = /\\u(?:0000|d[89a-f])/i

/** Returns whether the source of JSON may hold a text that is not plain; if not, it need not be searched. */
export function mayBeNotPlain(source: string): boolean {
  return ESCAPED.test(source)
}

/**
 * Returns a fault for each text of a JSON value that is not plain, also for names of fields.
 *
 * @param name of the value, for a text that is all of it
 */
export function plainTextFaults(json: unknown, name: string): Fault[] {
  const faults: Fault[] = []
  const check = (text: string, path: string) => {
    if (!isPlainText(text)) faults.push({ parameter: path || name, rule: PLAIN_TEXT_RULE, value: shownText(text) })
  }
  // Without recursion, since JSON may be deep.
  const open: [unknown, string][] = [[json, '']]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, path] = next
    if (typeof value === 'string') check(value, path)
    if (typeof value !== 'object' || value === null) continue
    for (const [key, inner] of Object.entries(value)) {
      check(key, path)
      open.push([inner, path === '' ? key : `${path}.${key}`])
    }
  }
  return faults.reverse()
}

const SHOWN_MAX = 40

/** Shows a text with its forbidden characters as escapes, as in JSON. */
function shownText(text: string): string {
  return JSON.stringify(text.slice(0, SHOWN_MAX)).slice(1, -1)
}
