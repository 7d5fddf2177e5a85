import { createRequire } from 'node:module'
import { z } from 'zod'
import { didYouMean, nearest } from '../../model/nearest.ts'
import type { About } from '../../model/study.ts'

/** `about` of study.json (docs/bundle.md): description, authors, and terms of use and citation of a study. */

const require = createRequire(import.meta.url)
const LICENSES: string[] = require('spdx-license-ids')

const NAME_LENGTH_MAX = 200
const PROSE_LENGTH_MAX = 2000
const AUTHORS_MAX = 1000
const LINES_MAX = 100
const DESCRIPTION_LENGTH_MAX = 5000
const KEYWORDS_MAX = 50

const textOf = (max: number) => {
  const error = `must be text of 1 to ${max} characters`
  return z.string({ error }).trim().min(1, error).max(max, error)
}
const name = textOf(NAME_LENGTH_MAX).nullish()

/** Verifies the check digit of an ORCID iD by ISO 7064 MOD 11-2. */
function isOrcid(text: string): boolean {
  const digits = text.replaceAll('-', '')
  let sum = 0
  for (const digit of digits.slice(0, -1)) sum = (sum + Number(digit)) * 2
  const check = (12 - (sum % 11)) % 11
  return digits.at(-1) === (check === 10 ? 'X' : String(check))
}

const ORCID = 'must be an ORCID iD such as 0000-0002-1825-0097'
const orcid = z
  .string({ error: ORCID })
  .regex(/^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/, { error: ORCID, abort: true })
  .refine(isOrcid, 'is no ORCID iD: its last digit does not fit the others')

const isGiven = (text: string | null | undefined) => text !== null && text !== undefined

const author = z
  .strictObject(
    { givenName: name, familyName: name, name, orcid: orcid.nullish(), affiliation: name },
    { error: 'must be an object' },
  )
  .refine(({ familyName, name }) => isGiven(familyName) || isGiven(name), 'must have a familyName or a name')
  .refine(
    ({ familyName, name }) => !(isGiven(familyName) && isGiven(name)),
    'must have a familyName or a name, not both',
  )
  .refine(
    ({ givenName, familyName }) => !isGiven(givenName) || isGiven(familyName),
    'must have a familyName beside givenName',
  )

function areDistinct(authors: { orcid?: string | null }[]): boolean {
  const given = authors.flatMap(({ orcid }) => orcid ?? [])
  return new Set(given).size === given.length
}

const license = z
  .string({ error: 'must be an SPDX licence identifier such as CC-BY-4.0' })
  .refine((id) => LICENSES.includes(id), {
    error: ({ input }) => {
      const near = nearest(String(input), LICENSES).nearest
      return `must be an SPDX licence identifier such as CC-BY-4.0${didYouMean(near)}`
    },
  })

const doi = z
  .string({ error: 'must be a DOI such as 10.1000/182' })
  .max(PROSE_LENGTH_MAX, `must have at most ${PROSE_LENGTH_MAX} characters`)
  .regex(/^10\.\d{4,9}\/[^\s\p{C}]+$/u, 'must be a DOI such as 10.1000/182, without https://doi.org/')

const lines = z
  .array(textOf(PROSE_LENGTH_MAX), { error: 'must be a list of texts' })
  .max(LINES_MAX, `must have at most ${LINES_MAX} texts`)
  .nullish()

/**
 * Schema of `about`. Missing facts may be absent or null, lists may be empty; if everything is missing, there is no
 * `about`.
 */
export const about = z
  .strictObject(
    {
      description: textOf(DESCRIPTION_LENGTH_MAX).nullish(),
      keywords: z
        .array(textOf(NAME_LENGTH_MAX), { error: 'must be a list of texts' })
        .max(KEYWORDS_MAX, `must have at most ${KEYWORDS_MAX} keywords`)
        .refine((given) => new Set(given).size === given.length, 'must name each keyword once')
        .nullish(),
      authors: z
        .array(author, { error: 'must be a list of authors' })
        .max(AUTHORS_MAX, `must have at most ${AUTHORS_MAX} authors`)
        .refine(areDistinct, 'must not have two authors with one ORCID iD')
        .nullish(),
      license: license.nullish(),
      doi: doi.nullish(),
      funding: lines,
      ethics: lines,
      references: lines,
    },
    { error: 'must be an object' },
  )
  .nullish()
  .transform((given): About | undefined => {
    const known = withoutNothing({ ...given, authors: given?.authors?.map(withoutNothing) })
    return Object.keys(known).length === 0 ? undefined : known
  })

function withoutNothing<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], null> } {
  const isKnown = ([, value]: [string, unknown]) =>
    value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(given).filter(isKnown)) as never
}
