/**
 * Guards text that a spreadsheet would run as a formula with a leading `'`. Text that looks guarded gets one more, so
 * that removing one restores the original. The dashboard uses it, too, so it must not import Node.
 */
export function guardFormula(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
}
