/** Disarms text that a spreadsheet would take for a formula. Also the dashboard's: nothing here needs Node. */
export function guardFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}
