import { distinctNames } from '../../text/distinct-names.ts'

/** Maximum characters of a name: two names and a measure stay below the 64 bytes of SPSS. */
const LENGTH_MAX = 24

/**
 * Returns unique names that R, JASP, jamovi and SPSS accept for variables: letters without marks, digits and single
 * `_`, beginning with a letter; uniqueness ignores case.
 *
 * @param kind replaces a name without such a letter, together with its number from 1, and precedes a leading digit
 */
export function variableNames(texts: string[], kind: string): string[] {
  const bases = texts.map((text, i) => {
    const plain = text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
    return plain === '' ? `${kind}${i + 1}` : /^\d/.test(plain) ? `${kind}_${plain}` : plain
  })
  return distinctNames(bases, (base, n) => {
    const suffix = n === 1 ? '' : `_${n}`
    return base.slice(0, LENGTH_MAX - suffix.length).replace(/_+$/, '') + suffix
  })
}
