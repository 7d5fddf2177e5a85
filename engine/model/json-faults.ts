import type { z } from 'zod'
import type { Fault } from './errors.ts'

type Issue = z.core.$ZodIssue

/** Types in schemas, in words. */
const KINDS: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'text',
}
/** Types with a length, and the units in which it is counted. */
const COUNTED: Record<string, string> = { array: 'entries', string: 'characters' }

/**
 * Returns the locations where a JSON value breaks its schema, each with the rule in words and the value.
 *
 * @param name of the value, for a rule about all of it
 */
export function jsonFaults(issues: Issue[], json: unknown, name: string): Fault[] {
  return issues.flatMap((issue) => {
    const value = valueAtPath(json, issue.path)
    const place = issue.path.join('.')
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        parameter: [...issue.path, key].join('.'),
        rule: `is no field of ${place || name}`,
        value: shown(valueAtPath(value, [key])),
      }))
    return [{ parameter: place || name, rule: ruleOf(issue, value), value: shown(value) }]
  })
}

function ruleOf(issue: Issue, value: unknown): string {
  if (value === undefined) return 'must be given'
  if (issue.code === 'invalid_type') return `must be ${KINDS[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  if (issue.code === 'too_small') return bound(issue.origin, 'least', issue.minimum)
  if (issue.code === 'too_big') return bound(issue.origin, 'most', issue.maximum)
  return asRule(issue.message)
}

/** Converts a message to the rule of a fault, to follow the name of its parameter. */
export function asRule(message: string): string {
  return message.startsWith('must ') ? message : `breaks its rule: ${message}`
}

function bound(origin: string, which: 'least' | 'most', limit: number | bigint): string {
  const counted = COUNTED[origin]
  if (counted === undefined) return `must be at ${which} ${limit}`
  return limit === 1 && which === 'least' ? 'must not be empty' : `must have at ${which} ${limit} ${counted}`
}

/** Returns the value at a path in JSON; undefined if there is none. */
export function valueAtPath(json: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], json)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
}
