import type { Left, Notes } from './draft.ts'

/** Largest number of names to list; the others are counted. */
const NAMES_MAX = 3

/** Lists the first few names, and the number of the others. */
export function shortened(names: string[], separator = ', '): string {
  const more = names.length - NAMES_MAX
  return (
    names.slice(0, NAMES_MAX).join(separator) + (more > 0 ? `${separator}and ${more.toLocaleString('en')} more` : '')
  )
}

/** Formats omissions as texts, each with its count if known, the files and an example. */
export function leftTexts({ left }: Notes): { what: string; count: number | null }[] {
  return [...left].map(([what, one]) => ({ what: leftText(what, one), count: one.count }))
}

function leftText(what: string, { files, first }: Left): string {
  return what + filesText(files) + (first === '' ? '' : `; the first is ${first}`)
}

export function assumedTexts({ assumed }: Notes): string[] {
  return [...assumed].map(([sentence, files]) => sentence + filesText(files))
}

export function countedText({ what, count }: { what: string; count: number | null }): string {
  return count === null ? what : `${count.toLocaleString('en')} ${what}`
}

function filesText(files: Set<string>): string {
  if (files.size === 0) return ''
  const names = [...files].slice(0, NAMES_MAX).join(', ')
  return files.size > NAMES_MAX ? ` (${files.size.toLocaleString('en')} files: ${names}, …)` : ` (${names})`
}
