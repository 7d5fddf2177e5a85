/** Returns the secret in the fragment of an address; null for none. */
export function secretOf(hash: string): string | null {
  return /^#link=([0-9a-f-]{36})$/i.exec(hash)?.[1] ?? null
}
