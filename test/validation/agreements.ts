import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

/** Comparison of numbers with those of a program that nobody here wrote, or a script on its functions. */
type Agreement = {
  /** Compared quantity, and its page in docs. */
  what: string
  page: string
  reference: string
  data: string
  /** Numbers of Gazette, and those of the reference. */
  own: number[]
  known: number[]
}

/**
 * Notes how far numbers are from those of a reference, if `npm run validate` asks for it.
 *
 * @returns the largest difference, relative to the reference where that is above 1
 */
export function noteAgreement({ own, known, ...about }: Agreement): number {
  const largest = own.reduce((most, value, i) => Math.max(most, differenceOf(value, known[i])), 0)
  const folder = process.env.VALIDATION_DIR
  if (folder !== undefined)
    appendFileSync(join(folder, 'agreements.ndjson'), `${JSON.stringify({ ...about, n: own.length, largest })}\n`)
  return largest
}

/** Returns 0 for two numbers that are both missing, and infinity where one is. */
function differenceOf(own: number, known: number | undefined): number {
  if (known === undefined || Number.isNaN(own) !== Number.isNaN(known)) return Number.POSITIVE_INFINITY
  return Number.isNaN(own) ? 0 : Math.abs(own - known) / Math.max(1, Math.abs(known))
}

/** Returns the version of R, such as `R 4.5.0`. */
export function versionOfR(): string {
  const said = spawnSync('Rscript', ['-e', 'cat(R.version$major, R.version$minor, sep = ".")'], { encoding: 'utf8' })
  return `R ${said.stdout.trim()}`
}

/** Runs lines of R that print numbers, and returns these. */
export function numbersOfR(lines: string[]): number[] {
  const script = ['options(digits = 15, warn = -1)', ...lines].join('\n')
  return execFileSync('Rscript', ['-'], { input: script, encoding: 'utf8' }).trim().split(/\s+/).map(Number)
}
