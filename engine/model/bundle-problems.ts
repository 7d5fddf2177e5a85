import { type BundleProblem, ServiceError } from './errors.ts'

/** Largest number of problems in a report; the rest are only counted. */
export const LISTED_MAX = 100
const VALUE_MAX = 200

/** Problems of one file of a bundle: the first 100, and their number. */
export type Problems = { listed: BundleProblem[]; count: number }

export function noProblems(): Problems {
  return { listed: [], count: 0 }
}

/** Counts a problem, and records it if it is among the first. Long values are truncated. */
export function addProblem(problems: Problems, problem: BundleProblem): void {
  problems.count++
  if (problems.listed.length >= LISTED_MAX) return
  const { value } = problem
  const isLong = value !== null && value.length > VALUE_MAX
  problems.listed.push(isLong ? { ...problem, value: `${value.slice(0, VALUE_MAX)}…` } : problem)
}

/** Counts a problem of a whole file. */
export function addFileProblem(problems: Problems, file: string, rule: string): void {
  addProblem(problems, { file, line: null, column: null, value: null, rule })
}

/**
 * Refuses a bundle because of a whole file, before anything else is checked.
 *
 * @param column name of the field that breaks the rule; null for the file itself
 */
export function refusal(
  file: string,
  rule: string,
  { column = null, cause }: { column?: string | null; cause?: unknown } = {},
): ServiceError {
  const problems = [{ file, line: null, column, value: null, rule }]
  const subject = column === null ? file : `${file}: ${column}`
  return new ServiceError('invalid_bundle', `${subject} ${rule}, and nothing was published`, { problems, cause })
}

/** Problems of a whole bundle, by file, in the order of the report. */
export type Report = Record<
  'bundle' | 'study' | 'participants' | 'tests' | 'samples' | 'validations' | 'events',
  Problems
>

export function newReport(): Report {
  return {
    bundle: noProblems(),
    study: noProblems(),
    participants: noProblems(),
    tests: noProblems(),
    samples: noProblems(),
    validations: noProblems(),
    events: noProblems(),
  }
}

export function isClean(report: Report): boolean {
  return Object.values(report).every(({ count }) => count === 0)
}

/**
 * Throws all problems of a bundle at once, if there are any.
 *
 * @param what subject of the message
 * @throws ServiceError invalid_bundle
 */
export function throwReport(
  { bundle, study, participants, tests, samples, validations, events }: Report,
  what = 'the bundle',
): void {
  const files = [bundle, study, participants, tests, samples, validations, events]
  const count = files.reduce((total, file) => total + file.count, 0)
  if (count === 0) return
  const problems = files.flatMap(({ listed }) => listed).slice(0, LISTED_MAX)
  const found = count === 1 ? '1 problem' : `${count} problems`
  const shown = count > problems.length ? `; the first ${problems.length} are listed` : ''
  throw new ServiceError('invalid_bundle', `${what} has ${found}${shown}, and nothing was published`, { problems })
}

/** @throws ServiceError invalid_bundle if there are problems of one file, or of a request's body */
export function throwProblems(problems: Problems, what: string): void {
  throwReport({ ...newReport(), bundle: problems }, what)
}
