import type { PackageFacts } from './package-facts.ts'

/** Tells people what lies in a package, and what they have to add before they publish it. */
export function readme({ title, description, snapshotId, version, tables, texts }: PackageFacts): string {
  const row = (cells: string[]) => `| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |`
  const lines = [
    `# ${title.replace(/\s+/g, ' ')}`,
    '',
    description,
    '',
    row(['file', 'holds', 'rows']),
    '|---|---|---|',
    ...tables.map(({ path, title: about, description: rowPer, rows }) =>
      row([path, `${about}: ${rowPer}`, String(rows)]),
    ),
    '',
    ...texts.map(({ path, description: about }) => `- \`${path}\`: ${about}`),
    '- `ro-crate-metadata.json`: all of this for RO-Crate 1.3',
    '',
    `Computed with Gazette ${version} from snapshot \`${snapshotId}\`.`,
    '',
    'Before you publish it, add who the authors are and under which licence the data may be used: both are marked as missing in',
    '`CITATION.cff`, `croissant.json` and `ro-crate-metadata.json`. A change of those files does not change the digests of the tables.',
  ]
  return `${lines.join('\n')}\n`
}
