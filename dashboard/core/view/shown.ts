/**
 * Reads which of several a link shows, such as the figure of a page; the first without one.
 *
 * @param names those there are, in order
 */
export function readShown<Name extends string>(query: URLSearchParams, parameter: string, names: Name[]): Name {
  return names.find((name) => name === query.get(parameter)) ?? names[0]
}

/** Returns the names of a table of words, in order. */
export function namesOf<Name extends string>(words: Readonly<Record<Name, string>>): Name[] {
  return Object.keys(words) as Name[]
}
