import { guardFormula } from '../../../engine/text/formula-guard.ts'

export type Cell = string | number | null
export type Numbers = { columns: string[]; rows: Cell[][] }

/** A chart's numbers as a file, as in the exports: commas, quotes only where needed, no text that a spreadsheet would run. */
export function csvOf({ columns, rows }: Numbers): string {
  return `${[columns, ...rows].map((row) => row.map(cellText).join(',')).join('\n')}\n`
}

function cellText(value: Cell): string {
  if (value === null) return ''
  const text = typeof value === 'number' ? String(value) : guardFormula(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
