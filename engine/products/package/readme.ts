import { citationOf, type PackageFacts } from './package-facts.ts'

/** Writes the README of a package: its files, and what to add before publishing. */
export function readme(facts: PackageFacts): string {
  const { title, description, snapshotId, version, tables, texts } = facts
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
    ...aboutLines(facts),
  ]
  return `${lines.join('\n')}\n`
}

/** Describes citation and licence, and names what is missing. */
function aboutLines(facts: PackageFacts): string[] {
  const { authors, license, doi, funding = [], ethics = [], references = [] } = facts.about
  const listed = (title: string, texts: string[]) =>
    texts.length === 0 ? [] : [`${title}:`, '', ...texts.map((text) => `- ${text.replace(/\s+/g, ' ')}`), '']
  const known = [
    ...(authors === undefined && doi === undefined ? [] : [`Cite as: ${citationOf(facts)}`, '']),
    ...(license === undefined ? [] : [`Licence: ${license}`, '']),
    ...listed('Funding', funding),
    ...listed('Ethics', ethics),
    ...listed('References', references),
  ]
  if (authors !== undefined && license !== undefined) return known.slice(0, -1)
  const missing =
    license !== undefined
      ? 'who the authors are, which is marked'
      : authors !== undefined
        ? 'under which licence the data may be used, which is marked'
        : 'who the authors are and under which licence the data may be used: both are marked'
  return [
    ...known,
    `Before you publish it, add ${missing} as missing in`,
    '`CITATION.cff`, `croissant.json` and `ro-crate-metadata.json`. A change of those files does not change the digests of the tables.',
  ]
}
