/** A token of a filter. `at` is its position in the text, in UTF-16 units; the text of a literal has no quotes. */
export type Token = { kind: 'word' | 'number' | 'text' | 'sign' | 'end'; text: string; at: number }

/** A fault of a filter: the rule, and the position at which the text breaks it. */
export class FilterError extends Error {
  readonly at: number
  readonly nearest: string | undefined
  constructor(rule: string, at: number, nearest?: string) {
    super(rule)
    this.name = 'FilterError'
    this.at = at
    this.nearest = nearest
  }
}

const WORD = '[A-Za-z_][A-Za-z0-9_]*'
const NUMBER = '-?[0-9]{1,15}(?:\\.[0-9]{1,9})?(?![A-Za-z0-9_.])'
/** Quoted text; a doubled quote stands for a quote. */
const TEXT = "'((?:[^']|'')*)'(?!')"
const SIGN = '<=|>=|<>|[=<>(),]'
const TOKEN = new RegExp(` *(?:(${WORD})|(${NUMBER})|${TEXT}|(${SIGN}))`, 'y')

/**
 * Splits the text of a filter into tokens.
 *
 * @param text without trailing spaces
 * @returns the tokens, and one for the end
 * @throws FilterError at the first character that begins no token
 */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (let from = 0; from < text.length; ) {
    TOKEN.lastIndex = from
    const match = TOKEN.exec(text)
    if (match === null) throw strangeSign(text, from)
    from = TOKEN.lastIndex
    const [all, word, number, quoted, sign] = match
    const at = from - all.replace(/^ +/, '').length
    if (word !== undefined) tokens.push({ kind: 'word', text: word, at })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, at })
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replaceAll("''", "'"), at })
    else tokens.push({ kind: 'sign', text: sign, at })
  }
  tokens.push({ kind: 'end', text: '', at: text.length })
  return tokens
}

function strangeSign(text: string, from: number): FilterError {
  let at = from
  while (text[at] === ' ') at++
  if (text[at] === "'") return new FilterError('must close this quote; a quote inside of text is doubled', at)
  if (/[-0-9]/.test(text[at]))
    return new FilterError('must have numbers like -12.5: up to 15 digits, and up to 9 behind a point', at)
  return new FilterError('must be made of words, numbers, text in single quotes, = <> < <= > >= ( ) and ,', at)
}
