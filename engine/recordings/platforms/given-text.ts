import { UUID } from '../../model/parameters.ts'

/** Removes the leading `'` that keeps spreadsheets from evaluating text as a formula. */
export function unguarded(text: string): string {
  return /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text
}

export function uuidOr(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null
}

export function httpOr(url: string): string {
  return /^https?:\/\/.+/i.test(url) && URL.canParse(url) ? url : ''
}
