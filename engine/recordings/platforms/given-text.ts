import { UUID } from '../../model/parameters.ts'

/** Removes the `'` that keeps spreadsheets from taking text for a formula. */
export function unguarded(text: string): string {
  return /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text
}

export function uuidOr(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null
}

export function httpOr(url: string): string {
  return /^https?:\/\/.+/i.test(url) && URL.canParse(url) ? url : ''
}
