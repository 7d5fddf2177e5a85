import type { About, Author } from './study.ts'

/** Authors, licences and DOIs as text, for other formats. */

/** Returns the name of an author as one text: given name first. */
export function authorName({ givenName, familyName, name }: Author): string {
  if (familyName === undefined) return name ?? ''
  return givenName === undefined ? familyName : `${givenName} ${familyName}`
}

/** Returns the names of all authors as one text; null without authors. */
export function authorNames({ authors = [] }: About): string | null {
  const names = authors.map(authorName)
  if (names.length < 2) return names[0] ?? null
  return `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`
}

export function orcidUrl(orcid: string): string {
  return `https://orcid.org/${orcid}`
}

export function doiUrl(doi: string): string {
  return `https://doi.org/${doi}`
}

/** Returns the page of an SPDX licence. */
export function licenseUrl(license: string): string {
  return `https://spdx.org/licenses/${license}.html`
}
