/** Counts of messages by their first word and by their first two, listed for a person who names some by a pattern. */
export type SeenMessages = Map<string, SeenMessage & { words: Map<string, SeenMessage> }>

/** A kind of message: its count, an example, and the text with which all of its messages begin. */
export type SeenMessage = { count: number; example: string; begins: string }

const SEEN_MAX = 1000
const SECOND_MAX = 50
const WORD_MAX = 60
const LISTED_MAX = 12

export function addSeen(seen: SeenMessages, message: string): void {
  const text = message.replace(/^-?\d+\s+/, '')
  const word = text.startsWith('!V')
    ? text
        .split(/\s+/, 3)
        .filter((part) => !/^-?[\d.]+$/.test(part))
        .join(' ')
        .slice(0, WORD_MAX)
    : text.split(/[\s\d:;,=]/, 1)[0].slice(0, WORD_MAX)
  const known = seen.get(word)
  if (known) countWord(known, text)
  else if (seen.size < SEEN_MAX) seen.set(word, countWord({ ...first(text), count: 0, words: new Map() }, text))
}

function first(text: string): SeenMessage {
  const example = text.slice(0, 60)
  return { count: 1, example, begins: example }
}

function countOne(seen: SeenMessage, text: string): void {
  seen.count++
  let n = 0
  while (n < seen.begins.length && seen.begins[n] === text[n]) n++
  // Most messages of a kind begin alike.
  if (n < seen.begins.length) seen.begins = seen.begins.slice(0, n)
}

/** Counts a message also by its second word if a value follows, as in `var image cat.png`. */
function countWord<T extends SeenMessage & { words: Map<string, SeenMessage> }>(known: T, text: string): T {
  countOne(known, text)
  const second = /^[A-Za-z_]\w*\s+([A-Za-z_]\w{0,59})\s+\S/.exec(text.slice(0, 200))?.[1]
  if (second === undefined) return known
  const own = known.words.get(second)
  if (own) countOne(own, text)
  else if (known.words.size < SECOND_MAX) known.words.set(second, first(text))
  return known
}

/** Counts all messages seen. */
export function countSeen(seen: SeenMessages): number {
  return [...seen.values()].reduce((sum, { count }) => sum + count, 0)
}

/** Returns the most frequent messages. */
export function mostSeen(seen: SeenMessages): SeenMessage[] {
  const all = [...seen].flatMap(([word, one]) => apart(word, one))
  return all.sort((a, b) => b.count - a.count).slice(0, LISTED_MAX)
}

/** Lists the most frequent messages: an example of each, and its count. */
export function listSeen(seen: SeenMessages): string {
  return mostSeen(seen)
    .map(({ count, example }) => `${JSON.stringify(example)} (${count} ×)`)
    .join(', ')
}

/**
 * Splits the messages of a first word by their second words, if these are names of variables: each occurs repeatedly.
 */
function apart(word: string, { words, ...one }: SeenMessage & { words: Map<string, SeenMessage> }): SeenMessage[] {
  const counted = [...words.values()].reduce((sum, { count }) => sum + count, 0)
  const areNames = words.size > 1 && words.size < SECOND_MAX && counted === one.count && counted >= 2 * words.size
  return /^var(iable)?$/i.test(word) || areNames ? [...words.values()] : [one]
}
