/** What a spreadsheet begins a formula with, also in full width; at the start of a cell, or behind what some take for one's end. */
const FORMULA = /(?<=^|[;\t\r\n])(?=[=+\-@＝＋－＠])|^(?=[\t\r\n])/g
const NUMBER = /^-?\d+(\.\d+)?$/

/** As in the exports: commas, quotes only where needed, and a ' before what would be a formula. */
export function csvOf(columns: string[], rows: (string | number | null)[][]): string {
  const cell = (value: string | number | null) => {
    const given = value === null ? '' : String(value)
    const text = NUMBER.test(given) ? given : given.replace(FORMULA, "'")
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return `${[columns, ...rows].map((row) => row.map(cell).join(',')).join('\n')}\n`
}
