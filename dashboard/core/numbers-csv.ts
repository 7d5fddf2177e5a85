export type NumberCell = string | number | null
export type Numbers = { columns: string[]; rows: NumberCell[][] }

/**
 * Positions before a character that starts a formula in a spreadsheet (also in full width), with what is before: the
 * start of a cell, or a character that some programs take for a cell separator. Without a lookbehind, which older
 * browsers cannot parse.
 */
const FORMULA = /(^|[;\t\r\n])(?=[=+\-@＝＋－＠])/g
const SEPARATOR_FIRST = /^(?=[\t\r\n])/
const NUMBER = /^-?\d+(\.\d+)?$/

/**
 * Formats a chart's numbers as CSV. Quotes appear only where needed; a ' precedes text that a spreadsheet would run.
 */
export function csvOf({ columns, rows }: Numbers): string {
  return `${[columns, ...rows].map((row) => row.map(cellText).join(',')).join('\n')}\n`
}

/** Formats a chart's numbers as a Markdown table (GitHub's, CommonMark with tables). */
export function markdownOf({ columns, rows }: Numbers): string {
  const line = (cells: NumberCell[]) => `| ${cells.map((cell) => plain(cell).replace(MARKS, MARKED)).join(' | ')} |\n`
  const rule = columns.map((_, c) => (rows.every((row) => typeof row[c] !== 'string') ? '---:' : '---'))
  return `${line(columns)}| ${rule.join(' | ')} |\n${rows.map(line).join('')}`
}

/** Characters with a meaning in Markdown, and line breaks, which would end the row. */
const MARKS = /[\\`*_[\]<>|#~]|\r?\n|\r/g
const MARKED = (mark: string) => (/[\r\n]/.test(mark) ? ' ' : `\\${mark}`)

/** Formats a chart's numbers as an HTML table, which spreadsheets paste from the clipboard. */
export function htmlOf({ columns, rows }: Numbers): string {
  const escaped = (cell: NumberCell) => plain(cell).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
  const line = (cells: NumberCell[]) => `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`
  return `<table>${[columns, ...rows].map(line).join('')}</table>`
}

/** Escapes the text of a cell against formulas in spreadsheets. */
function plain(value: NumberCell): string {
  if (value === null) return ''
  const given = String(value)
  return NUMBER.test(given) ? given : given.replace(FORMULA, "$1'").replace(SEPARATOR_FIRST, "'")
}

function cellText(value: NumberCell): string {
  const text = plain(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
