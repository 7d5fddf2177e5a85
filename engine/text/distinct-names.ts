/**
 * Names texts so that no two names are the same, also where case does not count.
 *
 * @param nameOf returns the nth name that a text may have, from 1; texts with the same first one have all the same
 */
export function distinctNames(texts: string[], nameOf: (text: string, n: number) => string): string[] {
  const taken = new Set<string>()
  /** For thousands of equal texts: the numbers below are taken. */
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
