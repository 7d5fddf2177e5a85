import type { NumberSummary } from './methods-facts.ts'
import type { SourceKey } from './sources.ts'

/** Adds a source to the references, and returns its name in a sentence. */
export type Cite = (key: SourceKey) => string

/** Formats values over tests or participants: a median and a range, if they differ. */
export function spread({ n, median, min, max }: NumberSummary, unit: string, over = 'test'): string {
  if (n === 1) return `${short(median)}${unit} (1 ${over})`
  if (short(min) === short(max)) return `${short(median)}${unit} (the same for ${n} ${over}s)`
  return `${short(median)}${unit} (median over ${countPhrase(n, over)}; range ${short(min)} to ${short(max)})`
}

export function countPhrase(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

/** Formats a number with three significant digits. */
export function short(value: number): string {
  return Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

/** Removes line breaks and other control characters from a bundle's text. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').trim()
}

/** Joins phrases: `a`, `a and b`, `a, b and c`. */
export function joined(phrases: string[]): string {
  return phrases.length < 2 ? phrases.join() : `${phrases.slice(0, -1).join(', ')} and ${phrases.at(-1)}`
}
