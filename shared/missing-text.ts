/** Texts that trackers and statistics programs write for missing values. */
const MISSING = new Set(['', 'na', 'n/a', 'nan', 'null', 'none', 'undefined', '.', '-', 'inf', '-inf', 'infinity'])

/** Returns whether a text only says that there is nothing. */
export function isMissing(text: string): boolean {
  return MISSING.has(text.toLowerCase())
}
