/** Place of a word in a text, and the text after it. */
type WordName = { line: number; place: number; text: string }

const WORD_NAME = /^(\d{1,6})\.(\d{1,6})(?: (.*)|$)/su

/** Reads the name of a word: `1.2 quick` is the second word of the first line; null for other names. */
export function readWordName(name: string): WordName | null {
  const found = WORD_NAME.exec(name)
  return found === null ? null : { line: Number(found[1]), place: Number(found[2]), text: found[3] ?? '' }
}
