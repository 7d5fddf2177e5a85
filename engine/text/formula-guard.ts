/**
 * Guards text that a spreadsheet would run as a formula by a leading `'`; text that looks guarded gets one more, so
 * that removing one restores the original. Also used by the dashboard, so it must not import Node.
 */
export function guardFormula(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
}
