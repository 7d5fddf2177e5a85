/** A term of the glossary; `meaning`, `formula` and `source` are HTML of the documentation. */
export type Word = {
  word: string
  meaning: string
  formula: string
  source: string
  columns: { export: string; column: string }[]
}

/** Returns the term of that name, or that a column holds. */
export function findWord(words: Word[], of: string): Word | undefined {
  return (
    words.find(({ word }) => word === of) ?? words.find(({ columns }) => columns.some(({ column }) => column === of))
  )
}
