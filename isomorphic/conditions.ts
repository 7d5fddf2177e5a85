/** Tokens: words, quoted texts and single signs, with their positions. */
const TOKENS = /'(?:[^']|'')*'|[A-Za-z_][A-Za-z0-9_]*|[^\s]/g

/**
 * Splits a filter at its outermost ANDs; a filter with an OR at that level is one part. An invalid filter is returned
 * unchanged.
 */
export function splitConditions(filter: string): string[] {
  const cuts: [start: number, end: number][] = []
  let [depth, isBetween] = [0, false]
  for (const { 0: token, index } of filter.matchAll(TOKENS)) {
    if (token === '(') depth++
    else if (token === ')') depth--
    if (depth !== 0) continue
    const word = token.toUpperCase()
    if (word === 'OR') return [filter.trim()]
    if (word === 'BETWEEN') isBetween = true
    else if (word === 'AND' && isBetween) isBetween = false
    else if (word === 'AND') cuts.push([index, index + token.length])
  }
  const starts = [0, ...cuts.map(([, end]) => end)]
  const ends = [...cuts.map(([start]) => start), filter.length]
  return starts.map((start, i) => filter.slice(start, ends[i]).trim()).filter((part) => part !== '')
}

/** Splits a filter like `partsOf`, and also the parts in parentheses. */
export function conjunctsOf(filter: string): string[] {
  const parts = splitConditions(filter)
  return parts.flatMap((part) => {
    const inner = insideOf(part)
    if (inner !== null) return conjunctsOf(inner)
    return parts.length === 1 ? [part] : conjunctsOf(part)
  })
}

/** Returns the text inside parentheses that enclose all of it; null if there are none. */
function insideOf(text: string): string | null {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === '(') depth++
    else if (token === ')') depth--
    if (depth === 0) return token === ')' && index === text.length - 1 ? text.slice(1, -1) : null
  }
  return null
}

/** Joins two conditions with AND; null stands for no condition. */
export function bothOf(one: string | null, other: string | null): string | null {
  const [a, b] = [one?.trim() ?? '', other?.trim() ?? '']
  return a && b ? `(${a}) AND (${b})` : a || b || null
}
