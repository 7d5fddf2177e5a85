/** Minimum length of a secret; a shorter one would occur in ordinary words. */
const LEAST_CHARACTERS = 4

/**
 * Returns the secrets in an address such as QUEUE_URL: the address itself, and its password in each possible encoding.
 */
export function secretsOf(url: string): string[] {
  const [, userInfo = ''] = /^[^:]+:\/\/(.*)@/s.exec(url) ?? []
  const password = userInfo.slice(userInfo.indexOf(':') + 1)
  const spellings = [userInfo && url, userInfo, password, decoded(password), encodeURIComponent(decoded(password))]
  const written = spellings.flatMap((each) => [each, JSON.stringify(each).slice(1, -1)])
  const secrets = [...new Set(written)].filter(({ length }) => length >= LEAST_CHARACTERS)
  return secrets.sort((a, b) => b.length - a.length)
}

/** Redacts known secrets from a text, whatever printed it. */
export function redact(text: string, secrets: string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
