/**
 * Disarms text that a spreadsheet would take for a formula by a `'` before it; text that looks like disarmed text gets
 * one more, so that whoever takes one off has what it was. Also the dashboard's: nothing here needs Node.
 */
export function guardFormula(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
}
