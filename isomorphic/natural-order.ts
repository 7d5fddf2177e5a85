let collator: Intl.Collator | undefined

/**
 * Compares names in natural order: numbers by value, so `item 2` comes before `item 10`, and letters regardless of
 * case.
 */
export function compareNames(a: string, b: string): number {
  collator ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  return collator.compare(a, b)
}
