const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Compares names as people order them: numbers by value, so `item 2` before `item 10`, and letters without case. */
export function compareNames(a: string, b: string): number {
  return collator.compare(a, b)
}
