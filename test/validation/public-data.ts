import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { PYTHON } from '../programs.ts'

/** Clone of a public repository in the folder that `npm run validate -- <folder>` names. */
export type Clone = { folder: string; repository: string; version: string }

const DATA = process.env.VALIDATION_DATA

/**
 * Returns the clone of a repository, such as `jwcarr/drift`, which the folder has by its name alone; null if it is not
 * there.
 */
export function cloneOf(repository: string): Clone | null {
  const folder = join(DATA ?? '', repository.split('/')[1])
  if (DATA === undefined || !existsSync(folder)) return null
  const git = (...words: string[]) => spawnSync('git', ['-C', folder, ...words], { encoding: 'utf8' })
  const commit = git('log', '-1', '--format=%h, %cs').stdout.trim() || 'of unknown version'
  const mended = git('diff', '--name-only').stdout.trim() === '' ? '' : ', mended'
  return { folder, repository, version: `${repository} (${commit}${mended})` }
}

/** Comparison on public data: a table of its own, or a row of the table of all. */
type PublicResult = { what: string; page: string; data: string; reference: string; result: string }

/** Notes the result of a comparison on public data for docs/validation.md. */
export function noteResult(result: PublicResult): void {
  note('results', result)
}

/** Notes a table of results that are more than a sentence, with its header. @param about sentence above it */
export function noteTable(about: string, rows: string[][]): void {
  note('tables', { about, rows })
}

/** How a table was guessed by its names and values, and by its values alone: '' for right, '?' for left open. */
type Guess = {
  what: string
  samples: number
  lost: number
  named: string
  bare: string
  /** First reason of the guess, and what is called gaze and does not move so; '' for nothing. */
  reason: string
  overruled: string
}

/** Notes how a public table was guessed for docs/guesses.md. */
export function noteGuess(guess: Guess): void {
  note('guesses', guess)
}

/** Notes what was left out because a repository, or a program, is missing. */
export function noteMissing(what: string, needs: string): void {
  note('missing', { what, needs })
}

function note(kind: string, value: unknown): void {
  const folder = process.env.VALIDATION_DIR
  if (folder !== undefined) appendFileSync(join(folder, `${kind}.ndjson`), `${JSON.stringify(value)}\n`)
}

/** Runs a script of this folder in Python and returns the JSON that it prints. */
export function inPython(script: string, args: string[], input: unknown = null): unknown {
  const path = new URL(script, import.meta.url).pathname
  const said = execFileSync(PYTHON, [path, ...args], { input: JSON.stringify(input), maxBuffer: 2 ** 30 })
  return JSON.parse(said.toString())
}

/** Runs a script of this folder in R and returns the JSON that it prints. */
export function inR(script: string, args: string[], input: unknown = null): unknown {
  const path = new URL(script, import.meta.url).pathname
  const said = execFileSync('Rscript', [path, ...args], { input: JSON.stringify(input), maxBuffer: 2 ** 30 })
  return JSON.parse(said.toString())
}
