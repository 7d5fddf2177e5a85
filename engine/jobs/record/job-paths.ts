import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { FORMATS, formatOf } from '../../formats/formats.ts'
import type { Job } from './job.ts'
import type { FileKind } from './state.ts'

/**
 * Builds the paths of the files of jobs: under <root>/<job id>/ plan.json, by/<token id>.<attempt>, and of each attempt
 * <attempt>.tries, <attempt>.csv (or another format's), <attempt>.csv.gz and <attempt>.end.json.
 */

/** Part of an attempt that is computed separately (job-parts.ts); its number counts from 1. */
export type JobPart = { number: number; of: number }

/**
 * Files of one try at an attempt, while they are written; no two tries share them. The gzip
 * file is not created if there is none.
 */
export type PartFiles = Record<FileKind, string>

/** Names in a job's directory that are files for clients. */
export const FILE_NAME = new RegExp(
  `^\\d+\\.(${FORMATS.map(({ extension }) => extension.replace('.', '\\.')).join('|')}|zip)(\\.gz)?$`,
)

const JOB_ID = /^x[0-9a-f]{64}$/

export function isJobId(name: string): boolean {
  return JOB_ID.test(name)
}

/** Returns a path in a job's directory. @param names below the job's directory, none for the directory itself */
export function jobPath(root: string, id: string, ...names: string[]): string {
  return join(root, id, ...names)
}

export function planPath(root: string, id: string): string {
  return jobPath(root, id, 'plan.json')
}

export function endPath(root: string, id: string, attempt: number): string {
  return jobPath(root, id, `${attempt}.end.json`)
}

export function triesPath(root: string, id: string, attempt: number, part?: JobPart): string {
  return jobPath(root, id, `${attempt}.${part ? `${part.number}-of-${part.of}.` : ''}tries`)
}

export function filePath(root: string, { id, attempt, plan }: Job, kind: FileKind): string {
  return jobPath(root, id, `${attempt}.${formatOf(plan).extension}${kind === 'gzip' ? '.gz' : ''}`)
}

/** Makes up where one try at an attempt writes: new names each time, in the job's directory. */
export function newPartFiles(root: string, id: string, attempt: number): PartFiles {
  const name = `${attempt}.${randomBytes(6).toString('hex')}`
  return { plain: jobPath(root, id, `${name}.part`), gzip: jobPath(root, id, `${name}.gz.part`) }
}
