/** Term of the glossary; `meaning`, `formula` and `source` are HTML. */
export type Word = {
  word: string
  meaning: string
  formula: string
  source: string
  columns: { export: string; column: string }[]
}

/** Finds a term by its name, or by a column that holds it. */
export function findWord(words: Word[], of: string): Word | undefined {
  return (
    words.find(({ word }) => word === of) ?? words.find(({ columns }) => columns.some(({ column }) => column === of))
  )
}
