import type { Import } from '../../core/api.ts'
import { countOf, dateTime, wholeText } from '../../core/number-texts.ts'
import type { AskedImport } from './choices/choices.ts'

/** Result of an import with its choices, as the content of a report. */
type ReportOf = { view: Import; asked: AskedImport; notes: string[]; studyName: string }

/** Characters with a meaning in Markdown. */
const MARKUP = /[\\`*_{}[\]<>#|]/g

/** Returns the report of an import as Markdown. */
export function reportMarkdown({ view, asked, notes, studyName }: ReportOf): string {
  const { report, uploads, finishedAt, append } = view
  if (report === null) return ''
  const plain = (text: string) => text.replace(/\s+/g, ' ').replace(MARKUP, '\\$&')
  const { conversion, counts } = report
  const list = (title: string, lines: string[]) =>
    lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines.map((line) => `- ${plain(line)}`)]
  return [
    `# ${append ? 'Recordings added to' : 'Imported:'} ${plain(studyName)}`,
    '',
    `- Study: \`${report.study.id}\``,
    `- Snapshot: \`${report.snapshot}\``,
    `- When: ${finishedAt === null ? '' : dateTime(finishedAt)} (${finishedAt})`,
    `- Sent: ${plain(uploads.map(({ name }) => name).join(', '))}`,
    `- Read as: ${conversion === null ? 'a study bundle' : plain(conversion.title)}`,
    `- The study now has: ${countOf(counts.participants, 'participant')}, ${countOf(counts.items, 'item')}, ${countOf(counts.tests, 'test')}, ${countOf(counts.samples, 'sample')}`,
    ...(report.nothingNew === null ? [] : [`- Nothing to import: ${plain(report.nothingNew)}`]),
    ...list('Please check', conversion?.check ?? []),
    ...list('Assumed', conversion?.assumed ?? []),
    ...list('Left out', [...(conversion?.left ?? []), ...report.left, ...notes]),
    ...(conversion === null
      ? []
      : [
          '',
          `## Participants (${wholeText(conversion.participants.length)})`,
          '',
          '| participant | files |',
          '|---|---|',
          ...conversion.participants.map(({ name, files }) => `| ${plain(name)} | ${plain(files.join(', '))} |`),
          ...list(`Items (${wholeText(conversion.items.length)})`, conversion.items),
        ]),
    ...(Object.keys(asked).length === 0
      ? []
      : ['', '## Choices for these files', '', '```json', JSON.stringify(asked, null, 2), '```']),
    '',
  ].join('\n')
}

/** Returns the report as JSON, as the server sent it. */
export function reportJson({ view, asked, notes }: ReportOf): string {
  return `${JSON.stringify({ import: view, asked, notSent: notes }, null, 2)}\n`
}
