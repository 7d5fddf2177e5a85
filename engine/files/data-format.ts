import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../model/errors.ts'
import { isCode, replaceDurably } from './durable.ts'
import { seal, unseal } from './sealed-json.ts'

/**
 * The format of what lies in a data directory. It rises when a file changes its meaning, so that an earlier version
 * would misread it; each snapshot names the one that it was written in.
 */
export const FORMAT_VERSION = 5

/**
 * The format of a snapshot with columns of eyes or events, which earlier versions would drop when they rewrite it. They
 * refuse to read it instead.
 */
export const FORMAT_WITH_EYES = 6

export function isReadable(formatVersion: number): boolean {
  return formatVersion === FORMAT_VERSION || formatVersion === FORMAT_WITH_EYES
}

const NAME = 'format.json'
const SUBJECT = 'format of the data directory'

/**
 * Refuses a data directory that a later version of Gazette has served; before anything in it is touched. One without a
 * mark is of an earlier version, or new.
 *
 * @throws ServiceError other_format, corrupt
 */
export function checkDataFormat(dataDir: string): void {
  const format = readMark(dataDir)
  if (format === null || format <= FORMAT_VERSION) return
  throw new ServiceError(
    'other_format',
    `${dataDir} has format ${format}, of a later version of Gazette; this one knows formats up to ${FORMAT_VERSION}, and left everything as it is: use that version`,
  )
}

/** Returns the format that all of a data directory has; null where it is not marked. @throws ServiceError corrupt */
export async function dataFormat(dataDir: string): Promise<number | null> {
  return readMark(dataDir)
}

/** Marks a data directory: all that lies in it has this version's format. */
export async function markDataFormat(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  await replaceDurably(join(dataDir, NAME), seal({ format: FORMAT_VERSION }, SUBJECT))
}

function readMark(dataDir: string): number | null {
  try {
    return unseal<{ format: number }>(readFileSync(join(dataDir, NAME), 'utf8'), NAME, SUBJECT).format
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return null
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError(
      'corrupt',
      `the file \`${NAME}\` in the data directory is damaged: delete it and start again`,
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
    `study ${studyId} is stored in format ${formatVersion}, of ${whose} version of Gazette, and this one reads format ${FORMAT_VERSION}: ${advice}`,
  )
}
