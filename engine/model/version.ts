import { readFileSync } from 'node:fs'

// Three folders up from dist/engine/model, two from engine/model.
const url = import.meta.url.includes('/dist/') ? '../../../package.json' : '../../package.json'

/** Gazette's version, which is in every plan and in every CSV's notes. */
export const VERSION: string = JSON.parse(readFileSync(new URL(url, import.meta.url), 'utf8')).version

/** Returns true if a version, such as `0.10.0`, is a later one than another; false if either is no version. */
export function isLaterVersion(version: string, than = VERSION): boolean {
  const numbersOf = (text: string) => /^(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number) ?? null
  const [own, other] = [numbersOf(version), numbersOf(than)]
  if (own === null || other === null) return false
  const differs = own.findIndex((number, i) => number !== other[i])
  return differs >= 0 && own[differs] > other[differs]
}
