/** Texts that trackers and statistics programs write for missing values. */
const MISSING = new Set(['', 'na', 'n/a', 'nan', 'null', 'none', 'undefined', '.', '-', 'inf', '-inf', 'infinity'])

/** Returns whether a text stands for a missing value. */
export function isMissing(text: string): boolean {
  return MISSING.has(text.toLowerCase())
}
