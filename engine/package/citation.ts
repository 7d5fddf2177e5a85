import { KEYWORDS } from './data-package.ts'
import { authorsOf, dayOf, type PackageFacts } from './package-facts.ts'

/** Text in double quotes of JSON is the same text in YAML. */
const quoted = (text: string) => JSON.stringify(text)

/** Describes a package as a Citation File Format 1.2.0 file: what it is called, what it is of, and each file's digest. */
export function citation(facts: PackageFacts): string {
  const { studyId, title, description, methods, snapshotId, version, tables } = facts
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
    `message: ${quoted('If you use these data, please cite them as below.')}`,
    `title: ${quoted(title)}`,
    `abstract: ${quoted(`${description} ${methods}`)}`,
    'authors:',
    `  - name: ${quoted(authorsOf(facts))}`,
    `version: ${quoted(snapshotId)}`,
    `date-released: ${quoted(dayOf(facts))}`,
    'keywords:',
    ...KEYWORDS.map((word) => `  - ${quoted(word)}`),
    'identifiers:',
    ...identifiers.flatMap(({ value, description }) => [
      '  - type: other',
      `    value: ${quoted(value)}`,
      `    description: ${quoted(description)}`,
    ]),
    'references:',
    '  - type: software',
    '    title: Gazette',
    '    authors:',
    '      - name: The authors of Gazette',
    `    version: ${quoted(version)}`,
    `    notes: ${quoted('It computed the tables.')}`,
  ]
  return `${lines.join('\n')}\n`
}
