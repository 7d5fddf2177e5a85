/**
 * Makes names unique, ignoring case.
 *
 * @param nameOf returns the nth candidate for a text, from 1; texts with the same first candidate have all the same
 *   candidates
 */
export function distinctNames(texts: string[], nameOf: (text: string, n: number) => string): string[] {
  const taken = new Set<string>()
  /** First number to try for each candidate, for thousands of equal texts. */
  const next = new Map<string, number>()
  return texts.map((text) => {
    const first = nameOf(text, 1).toLowerCase()
    let n = next.get(first) ?? 1
    while (taken.has(nameOf(text, n).toLowerCase())) n++
    next.set(first, n + 1)
    const name = nameOf(text, n)
    taken.add(name.toLowerCase())
    return name
  })
}
