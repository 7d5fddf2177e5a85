/** Numbers from 1,000 to 99,999 with this mark, which have three decimals if it is the decimal mark. */
const GROUPED = { ',': /^\s*[+-]?[1-9]\d?,\d{3}\s*$/, '.': /^\s*[+-]?[1-9]\d?\.\d{3}\s*$/ }
const BELOW_1000 = /^\s*[+-]?\d{1,3}\s*$/
/** Least number of cells from 1,000 on, and of cells below, that tell. */
const CELLS_LEAST = 3
/** Least median of the cells below 1,000: whole numbers beside decimals of this size would be as large. */
const MEDIAN_LEAST = 100

/**
 * Returns whether a mark groups the thousands of a column: `986` is followed by `1,002`, and not by `987.5`. Its
 * numbers are whole and below 1,000, or have the mark before their last three digits.
 */
export function groupsThousands(cells: string[], mark: ',' | '.'): boolean {
  const numbers = cells.filter((cell) => /^\s*[+-]?\d/.test(cell))
  const grouped = numbers.filter((cell) => GROUPED[mark].test(cell)).length
  if (grouped < CELLS_LEAST) return false
  const below = numbers.filter((cell) => BELOW_1000.test(cell)).map((cell) => Math.abs(Number(cell)))
  if (below.length < CELLS_LEAST || grouped + below.length < numbers.length) return false
  return below.sort((a, b) => a - b)[below.length >> 1] >= MEDIAN_LEAST
}

/**
 * Returns whether a text that is no number may be one that is written in another way: with marks between its thousands,
 * another decimal mark or a unit. Programs for statistics write `1.#QNAN` for none.
 */
export function isOddNumber(text: string): boolean {
  return /\d/.test(text) && !/#|nan|inf/i.test(text)
}
