import { randomBytes } from 'node:crypto'
import { FORMATS, formatOf } from '../../formats/formats.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Job } from './job.ts'
import type { FileKind } from './state.ts'

/**
 * Builds the names of the files of jobs: in exports/<job id>/ plan.json, by/<token id>.<attempt>, and of each attempt
 * <attempt>.tries, <attempt>.csv (or another format's), <attempt>.csv.gz and <attempt>.end.json. If the files of a job
 * are its parts, each of them is <attempt>.<random>.csv instead.
 */
export const JOBS = 'exports'

/** Location of jobs. */
export type JobPlace = { storage: Storage }

/** Part of an attempt that is computed separately (job-parts.ts); its number counts from 1. */
export type AttemptPart = { number: number; of: number }

/**
 * Files of one try at an attempt, while they are written; no two tries share them. The gzip
 * file is not created if there is none.
 */
export type PartFiles = Record<FileKind, string>

const EXTENSIONS = `(${FORMATS.map(({ extension }) => extension.replace('.', '\\.')).join('|')}|zip)(\\.gz)?`
/** Names in a job's directory that are files for clients. */
export const FILE_NAME = new RegExp(`^\\d+\\.([0-9a-f]{12}\\.)?${EXTENSIONS}$`)
/** Names of files of a job in parts. */
export const PART_FILE_NAME = new RegExp(`^\\d+\\.[0-9a-f]{12}\\.${EXTENSIONS}$`)

const JOB_ID = /^x[0-9a-f]{64}$/

export function isJobId(name: string): boolean {
  return JOB_ID.test(name)
}

/** Returns the name of a file of a job. @param names within the job's folder, none for the folder itself */
export function jobPath(id: string, ...names: string[]): string {
  return [JOBS, id, ...names].join('/')
}

export function planPath(id: string): string {
  return jobPath(id, 'plan.json')
}

export function endPath(id: string, attempt: number): string {
  return jobPath(id, `${attempt}.end.json`)
}

export function triesPath(id: string, attempt: number, part?: AttemptPart): string {
  return jobPath(id, `${attempt}.${part ? `${part.number}-of-${part.of}.` : ''}tries`)
}

export function filePath({ id, attempt, plan }: Job, kind: FileKind): string {
  return jobPath(id, `${attempt}.${formatOf(plan).extension}${kind === 'gzip' ? '.gz' : ''}`)
}

/** Returns new names for the files of a try at an attempt, in the job's folder. */
export function newPartFiles(id: string, attempt: number): PartFiles {
  const name = `${attempt}.${randomBytes(6).toString('hex')}`
  return { plain: jobPath(id, `${name}.part`), gzip: jobPath(id, `${name}.gz.part`) }
}
