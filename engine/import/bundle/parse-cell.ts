import { isInstant } from '../../model/instant.ts'
import { UUID } from '../../model/parameters.ts'
import { isPlainText } from '../../model/plain-text.ts'
import { hasAtMost, INSTANT_MAX, NAME_MAX, PROSE_MAX } from './bundle-limits.ts'

/**
 * A rule for CSV cells. Types are given, never inferred (docs/bundle.md, "Rules for all files"): `parse` returns the
 * value, null if it is missing, and undefined if the text breaks the rule.
 */
export type Cell<T> = { rule: string; parse: (text: string) => T | undefined }
export type CellValue<C> = C extends Cell<infer T> ? T : never

const NUMBER = /^ *[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)? *$/i

export const MAX_PX = 1e7
export const MAX_SIZE_PX = 1e5
export const DAY_MS = 86_400_000

function isMissing(text: string): boolean {
  return text === '' || text === 'NA' || text === 'NaN' || text === 'nan'
}

/**
 * Returns the rule for a text of at most so many characters, without U+0000, which would end the text in C programs.
 */
function textOf(max: number): Cell<string> {
  return {
    rule: `must be text of at most ${max.toLocaleString('en')} characters, without U+0000`,
    parse: (given) => (hasAtMost(given, max) && isPlainText(given) ? given : undefined),
  }
}
export const name = textOf(NAME_MAX)
export const prose = textOf(PROSE_MAX)

export const uuid: Cell<string> = {
  rule: 'must be a UUID',
  parse: (given) => (UUID.test(given) ? given.toLowerCase() : undefined),
}

export const instant: Cell<string> = {
  rule: 'must be a time as in RFC 3339, with offset, like 2024-05-31T12:30:00+02:00, or empty',
  parse: (given) => (isMissing(given) ? '' : given.length <= INSTANT_MAX && isInstant(given) ? given : undefined),
}

export const flagCell: Cell<boolean | null> = {
  rule: 'must be true, false, 1 or 0, or empty',
  parse: (given) => {
    if (isMissing(given)) return null
    if (given === 'true' || given === '1') return true
    return given === 'false' || given === '0' ? false : undefined
  },
}

export function numberCell(min: number, max: number, what = 'a number'): Cell<number | null> {
  return {
    rule: `must be ${what} from ${min} to ${max}, or empty`,
    parse: (given) => {
      if (isMissing(given)) return null
      const value = NUMBER.test(given) ? Number(given) + 0 : Number.NaN
      return value >= min && value <= max ? value : undefined
    },
  }
}

/** Parses a size: a number above 0. */
export function size(max: number): Cell<number | null> {
  const { parse } = numberCell(0, max)
  return {
    rule: `must be a number above 0, up to ${max}, or empty`,
    parse: (given) => {
      const value = parse(given)
      return value === 0 ? undefined : value
    },
  }
}

/**
 * Parses a whole number within a range. Accepts 5.0, since tables with missing values often have whole numbers like
 * that.
 */
export function wholeNumber(min: number, max: number): Cell<number | null> {
  const { rule, parse } = numberCell(min, max, 'a whole number')
  return {
    rule,
    parse: (given) => {
      const value = parse(given)
      return value === null || Number.isInteger(value) ? value : undefined
    },
  }
}

export function required<T>({ rule, parse }: Cell<T | null>): Cell<T> {
  return { rule: rule.replace(', or empty', ''), parse: (given) => parse(given) ?? undefined }
}
