import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { isCode } from '../../model/system-errors.ts'
import { VERSION } from '../../model/version.ts'
import { makeDirectory, replaceDurably } from './durable.ts'
import { seal, unseal } from './sealed-json.ts'

/**
 * Format of a data directory. It rises when the meaning of a file changes, so that an earlier version would misread it.
 * Each snapshot names the format in which it was written.
 */
export const FORMAT_VERSION = 5

/**
 * Format of a snapshot with columns of eyes or events. Earlier versions would drop these when they rewrite it, so they
 * refuse to read it.
 */
export const FORMAT_WITH_EYES = 6

export function isReadable(formatVersion: number): boolean {
  return formatVersion === FORMAT_VERSION || formatVersion === FORMAT_WITH_EYES
}

export const FORMAT_FILE = 'format.json'
const SUBJECT = 'format of the data directory'

/**
 * Refuses a data directory that a later version of Gazette has served, before anything in it is changed. One without a
 * mark is new, or of an earlier version.
 *
 * @throws ServiceError other_format, corrupt
 */
export function checkDataFormat(dataDir: string): void {
  refuseLater(dataDir, readMark(dataDir))
}

/** A mark: the format, and the version of Gazette that wrote it first, which earlier versions left out. */
type Mark = { format: number; version?: string }

/** Returns the text of this version's mark. */
export function markText(): string {
  return seal({ format: FORMAT_VERSION, version: VERSION } satisfies Mark, SUBJECT)
}

/** Returns the mark in a text. @throws ServiceError corrupt */
export function markIn(text: string): Mark {
  return unseal<Mark>(text, FORMAT_FILE, SUBJECT)
}

/**
 * Refuses what a later version has written.
 *
 * @param name of the directory, or of the bucket
 * @throws ServiceError other_format
 */
export function refuseLater(name: string, mark: Mark | null): void {
  if (mark === null || mark.format <= FORMAT_VERSION) return
  const writer = mark.version === undefined ? 'a later version of Gazette' : `Gazette ${mark.version}`
  throw new ServiceError(
    'other_format',
    `${name} has format ${mark.format}, of ${writer}; this one, ${VERSION}, knows formats up to ${FORMAT_VERSION}, and left everything as it is: use that version`,
  )
}

/**
 * Returns the format in which everything in a data directory is written; null without a mark.
 *
 * @throws ServiceError corrupt
 */
export async function dataFormat(dataDir: string): Promise<number | null> {
  return readMark(dataDir)?.format ?? null
}

/** Marks a data directory as written in this version's format. */
export async function markDataFormat(dataDir: string): Promise<void> {
  await makeDirectory(dataDir)
  await replaceDurably(join(dataDir, FORMAT_FILE), markText())
}

function readMark(dataDir: string): Mark | null {
  try {
    return markIn(readFileSync(join(dataDir, FORMAT_FILE), 'utf8'))
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return null
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError(
      'corrupt',
      `the file \`${FORMAT_FILE}\` in the data directory is damaged: delete it and start again`,
    )
  }
}

/** Returns the error of a study that is stored in another format. */
export function otherFormat(studyId: string, formatVersion: number): ServiceError {
  const [whose, advice] =
    formatVersion < FORMAT_VERSION
      ? ['an earlier', 'import its bundle again, or read it with that version']
      : ['a later', 'read it with that version']
  return new ServiceError(
    'other_format',
    `study ${studyId} is stored in format ${formatVersion}, of ${whose} version of Gazette, and this one reads formats ${FORMAT_VERSION} and ${FORMAT_WITH_EYES}: ${advice}`,
  )
}
