import { Buffer } from 'node:buffer'
import type { Fault } from '../../engine/model/errors.ts'
import { nearest } from '../../engine/model/nearest.ts'
import { invalidParameters } from './problems.ts'

/** Largest number of names in a query, several times as many as any path accepts. */
const PAIRS_MAX = 64

/**
 * Parses the query string: every name with all of its values, in order. Broken escapes stay as they are.
 *
 * @throws ProblemError invalid_param for more than PAIRS_MAX names
 */
export function queryOf(url: string): Map<string, string[]> {
  const query = new Map<string, string[]>()
  const start = url.indexOf('?')
  if (start < 0) return query
  let pairs = 0
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    if (++pairs > PAIRS_MAX)
      throw invalidParameters([{ parameter: name, rule: `is one of more than ${PAIRS_MAX} parameters`, value }])
    const values = query.get(name)
    if (values === undefined) query.set(name, [value])
    else values.push(value)
  }
  return query
}

/** Throws all faults at once, including unknown names. */
export function refuseUnknown(query: Map<string, string[]>, known: string[], faults: Fault[] = []): void {
  for (const [name, values] of query) {
    const rule = 'is not a parameter of this path'
    if (!known.includes(name)) faults.push({ parameter: name, rule, value: values.join(','), ...nearest(name, known) })
  }
  if (faults.length > 0) throw invalidParameters(faults)
}

/** Returns the value of a parameter that may be given only once. */
export function single(query: Map<string, string[]>, name: string, faults: Fault[]): string | undefined {
  const values = query.get(name) ?? []
  if (values.length > 1) faults.push({ parameter: name, rule: 'must be given once', value: values.join(',') })
  return values.length === 1 ? values[0] : undefined
}

export const PAGE_MAX = 100

/** Encodes the key of the last entry of a page as a cursor, opaque to clients. */
export function encodeCursor(key: string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** Decodes a cursor; null if it is malformed. @param length of the encoded key */
export function readCursor(value: string, length: number): string[] | null {
  try {
    const key: unknown = JSON.parse(Buffer.from(value, 'base64url').toString('utf8'))
    if (Array.isArray(key) && key.length === length && key.every((part) => typeof part === 'string')) return key
  } catch {}
  return null
}
