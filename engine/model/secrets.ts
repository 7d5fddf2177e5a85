/** A shorter one would be found in words that are no secret. */
const LEAST_CHARACTERS = 4

/**
 * Returns what of an address such as QUEUE_URL nobody may read: the address itself, and its password in each of its
 * spellings.
 */
export function secretsOf(url: string): string[] {
  const [, userInfo = ''] = /^[^:]+:\/\/(.*)@/s.exec(url) ?? []
  const password = userInfo.slice(userInfo.indexOf(':') + 1)
  const spellings = [userInfo && url, userInfo, password, decoded(password), encodeURIComponent(decoded(password))]
  const written = spellings.flatMap((each) => [each, JSON.stringify(each).slice(1, -1)])
  const secrets = [...new Set(written)].filter(({ length }) => length >= LEAST_CHARACTERS)
  return secrets.sort((a, b) => b.length - a.length)
}

/** Removes secrets by where they come from, not by where they are found: no matter who printed them. */
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
