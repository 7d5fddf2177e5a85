import type { MethodsTexts } from './describe-methods.ts'

/** Formats of the methods section, and their media types. */
export const METHODS_FORMATS = {
  json: 'application/json',
  text: 'text/plain',
  markdown: 'text/markdown',
  bibtex: 'application/x-bibtex',
} as const
export type MethodsFormat = keyof typeof METHODS_FORMATS
export const METHODS_FORMAT_NAMES = Object.keys(METHODS_FORMATS) as MethodsFormat[]

const GUIDELINE = 'To be added, as the reporting guideline asks (Dunn et al., 2023)'

/** Formats a methods section; every format ends with a line break. */
export function printMethods(methods: MethodsTexts, format: MethodsFormat): string {
  const { paragraph, toAdd, sources } = methods
  if (format === 'json') return `${JSON.stringify(methods, null, 2)}\n`
  if (format === 'bibtex') return sources.map(({ bibtex }) => bibtex).join('\n')
  const references = sources.map(({ reference, doi }) => `${reference} https://doi.org/${doi}`)
  if (format === 'text') {
    const list = (title: string, lines: string[]) => `${title}:\n${lines.map((line) => `- ${line}\n`).join('')}`
    return [`${paragraph}\n`, list(GUIDELINE, toAdd), list('References', references)].join('\n')
  }
  const list = (title: string, lines: string[]) =>
    `### ${title}\n\n${lines.map((line) => `- ${escapeMarkdown(line)}\n`).join('')}`
  return [`## Methods\n\n${escapeMarkdown(paragraph)}\n`, list(GUIDELINE, toAdd), list('References', references)].join(
    '\n',
  )
}

/** Escapes names and filters for Markdown and HTML. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>~#|&]/g, '\\$&')
}
