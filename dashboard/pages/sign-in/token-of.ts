/** Returns the token of a pasted text: the token itself, or the line of a header that holds it, as in `start-token`. */
export function tokenOf(text: string): string {
  return text.trim().replace(/^(x-auth-token\s*:|authorization\s*:\s*bearer\s|bearer\s)\s*/i, '')
}
