import { orcidUrl } from '../../model/about.ts'
import type { Author } from '../../model/study.ts'
import { authorsOf, dayOf, keywordsOf, type PackageFacts, yamlText } from './package-facts.ts'

/** Describes a package as a Citation File Format 1.2.0 file: title, authors, subject, and the digest of each file. */
export function citation(facts: PackageFacts): string {
  const { studyId, title, description, methods, snapshotId, version, tables, about } = facts
  const identifiers = [
    { value: `urn:uuid:${studyId}`, description: 'The study' },
    ...tables.map(({ path, bytes, rows, sha256, settings }) => ({
      value: `sha256:${sha256}`,
      description: `${path}: ${bytes} bytes, ${rows} rows; ${settings}`,
    })),
  ]
  const lines = [
    'cff-version: 1.2.0',
    'type: dataset',
    `message: ${yamlText('If you use these data, please cite them as below.')}`,
    `title: ${yamlText(title)}`,
    `abstract: ${yamlText(`${description} ${methods}`)}`,
    'authors:',
    ...(about.authors ?? [{ name: authorsOf(facts) }]).flatMap(authorLines),
    ...(about.license === undefined ? [] : [`license: ${yamlText(about.license)}`]),
    ...(about.doi === undefined ? [] : [`doi: ${yamlText(about.doi)}`]),
    `version: ${yamlText(snapshotId)}`,
    `date-released: ${yamlText(dayOf(facts))}`,
    'keywords:',
    ...keywordsOf(facts).map((word) => `  - ${yamlText(word)}`),
    'identifiers:',
    ...identifiers.flatMap(({ value, description }) => [
      '  - type: other',
      `    value: ${yamlText(value)}`,
      `    description: ${yamlText(description)}`,
    ]),
    'references:',
    '  - type: software',
    '    title: Gazette',
    '    authors:',
    '      - name: The authors of Gazette',
    `    version: ${yamlText(version)}`,
    `    notes: ${yamlText('It computed the tables.')}`,
  ]
  return `${lines.join('\n')}\n`
}

/** Formats a person or a group as an entry of a list. */
function authorLines({ givenName, familyName, name, orcid, affiliation }: Author): string[] {
  const facts = {
    'given-names': givenName,
    'family-names': familyName,
    name,
    // A group may have no given name.
    affiliation: familyName === undefined ? undefined : affiliation,
    orcid: orcid === undefined ? undefined : orcidUrl(orcid),
  }
  const lines = Object.entries(facts).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${yamlText(value)}`],
  )
  return lines.map((line, i) => `${i === 0 ? '  - ' : '    '}${line}`)
}
