export type Cell = string | number | null
export type Numbers = { columns: string[]; rows: Cell[][] }

/** The characters by which a spreadsheet begins a formula, also in full width: at the start of a cell, or behind what some take for the end of one. */
const FORMULA = /(?<=^|[;\t\r\n])(?=[=+\-@＝＋－＠])|^(?=[\t\r\n])/g
const NUMBER = /^-?\d+(\.\d+)?$/

/** Returns a chart's numbers as CSV: commas, quotes only where needed, and a ' before text that a spreadsheet would run. */
export function csvOf({ columns, rows }: Numbers): string {
  return `${[columns, ...rows].map((row) => row.map(cellText).join(',')).join('\n')}\n`
}

function cellText(value: Cell): string {
  if (value === null) return ''
  const given = String(value)
  const text = NUMBER.test(given) ? given : given.replace(FORMULA, "'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
