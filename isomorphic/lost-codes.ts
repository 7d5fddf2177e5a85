/** Two numbers that mark lost gaze together, as a guess of a mapping writes them. */
const CODE_PAIR = /^\((\S+), (\S+)\)$/

/**
 * Returns a predicate for lost gaze: a code in x or y, but 0, and the numbers of a pair, only in both.
 *
 * @param missing numbers, and pairs of them in parentheses
 */
export function openLostCodes(missing: string[]): (x: number, y: number) => boolean {
  const codes = missing.map(Number).filter((code) => !Number.isNaN(code))
  const pairs = missing.flatMap((text) => {
    const [, x, y] = CODE_PAIR.exec(text) ?? []
    return x === undefined ? [] : [{ codeX: Number(x), codeY: Number(y) }]
  })
  const isSingle = (x: number, y: number) =>
    codes.some((code) => (code === 0 ? x === 0 && y === 0 : x === code || y === code))
  if (pairs.length === 0) return isSingle
  return (x, y) => isSingle(x, y) || pairs.some(({ codeX, codeY }) => x === codeX && y === codeY)
}

/** Splits codes at the commas between them, not at those within a pair. */
export function splitCodes(text: string): string[] {
  const codes = text.match(/\([^()]*\)|[^,()]+/g) ?? []
  return codes.map((code) => code.trim().replace(/\s*,\s*/, ', ')).filter((code) => code !== '')
}

/** Returns whether a text is a number, or a pair of numbers in parentheses. */
export function isLostCode(code: string): boolean {
  const [, x = code, y = x] = CODE_PAIR.exec(code) ?? []
  return !Number.isNaN(Number(x)) && !Number.isNaN(Number(y))
}
