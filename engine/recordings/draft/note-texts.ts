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
  if (count === null) return what
  return `${count.toLocaleString('en')} ${count === 1 ? singular(what) : what}`
}

/** Nouns that begin omissions, and words after them, in the plural. */
const NOUNS =
  /^((?:further |last |first |unpaired |mouse |gaze |validation )?)(test|row|sample|file|event|message|trial|point|recording|click|zone|target|picture|participant|column|entrie|group|value|object|pupil|screen|AOI|table|end|average|validation|position|time)s\b( of \w+_\w+)?/

/** Words right behind the noun, in the plural and in the singular. */
const PHRASES = [
  [' that are not samples', ' that is not a sample'],
  [' that are not numbers and so count ', ' that is not a number and so counts '],
  [' of participants who are ', ' of a participant who is '],
  [' that are ', ' that is '],
  [' that were ', ' that was '],
  [' that show ', ' that shows '],
] as const

/** Turns an omission into the singular. */
function singular(what: string): string {
  const [many, before, one, ofColumn = ''] = NOUNS.exec(what) ?? [what, what, '']
  const behind = what.slice(many.length)
  const phrase = PHRASES.find(([several]) => behind.startsWith(several))
  const rest = phrase === undefined ? behind : phrase[1] + behind.slice(phrase[0].length)
  const own = rest
    .replace(' what their ending says', ' what its ending says')
    .replace(/^ without their /, ' without its ')
  return before + (one === 'entrie' ? 'entry' : one) + ofColumn + own
}

function filesText(files: Set<string>): string {
  if (files.size === 0) return ''
  const names = [...files].slice(0, NAMES_MAX).join(', ')
  return files.size > NAMES_MAX ? ` (${files.size.toLocaleString('en')} files: ${names}, …)` : ` (${names})`
}
