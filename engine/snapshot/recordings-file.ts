import { join } from 'node:path'
import { z } from 'zod'
import { ServiceError } from '../model/errors.ts'
import type { Snapshot } from '../model/study.ts'
import { readPlain } from '../storage/files/plain-file.ts'
import { RECORDINGS_FILE } from './table-columns.ts'
import { verifyFile } from './verify.ts'

export const RECORDINGS_MAX_BYTES = 1 << 26

const pattern = z.string().max(10_000).refine(isPattern).nullable()

/** Returns whether a text is a regular expression. */
export function isPattern(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}

/**
 * Choices of an import, which `--append` takes from the study. Sizes by participant are left out, since they name
 * people.
 */
const choices = z.object({
  screen: z.object({ widthPx: z.number(), heightPx: z.number() }).nullable(),
  /** Mapping, as given to `--mapping`; its reader checks it. */
  mapping: z.unknown(),
  /** Regular expressions of messages. */
  messages: z.object({ trial: pattern, end: pattern.optional(), item: pattern, onset: pattern }).nullable(),
  /** Regular expression of the messages that are events. */
  events: z.string().optional(),
  kept: z.object({ tags: z.array(z.string()), externalData: z.array(z.string()) }),
  hasAois: z.boolean(),
  joinsNames: z.boolean().optional(),
  /** Pattern of the paths of files, as given to `--path`. */
  path: z.string().optional(),
})

export type RecordedChoices = z.output<typeof choices>

const recordings = z.object({
  /** Name of the reader, as given to `--format`. */
  format: z.string().min(1).max(100),
  /** Recorded eye, the mean of both counting as both; null if unknown or if recordings differ. */
  eye: z.enum(['left', 'right', 'both']).nullable(),
  choices: choices.optional(),
  /** Files with recordings: the SHA-256 of their bytes, and the ids of the participants whose they are. */
  files: z
    .array(z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), participants: z.array(z.uuid().toLowerCase()) }))
    .max(1_000_000),
})

export type RecordedFiles = z.output<typeof recordings>

/** Reads the recordings of a bundle or a snapshot from its bytes; null for what is no such file. */
export function parseRecordings(bytes: Buffer): RecordedFiles | null {
  try {
    return recordings.parse(JSON.parse(bytes.toString('utf8')))
  } catch {
    return null
  }
}

/**
 * Reads the recordings that a snapshot was made of; null for one that was made of a bundle alone.
 *
 * @throws ServiceError corrupt
 */
export async function readRecordings({
  directory,
  manifest,
}: Pick<Snapshot, 'directory' | 'manifest'>): Promise<RecordedFiles | null> {
  if (!(RECORDINGS_FILE in manifest.files)) return null
  const path = join(directory, RECORDINGS_FILE)
  verifyFile(path, manifest.files[RECORDINGS_FILE])
  const read = parseRecordings(await readPlain(path, RECORDINGS_MAX_BYTES))
  if (read === null) throw new ServiceError('corrupt', `${RECORDINGS_FILE} of study ${manifest.studyId} cannot be read`)
  return read
}

/** Returns the recordings of a study and of what is appended to it, each file once. */
export function mergeRecordings(old: RecordedFiles | null, added: RecordedFiles | null): RecordedFiles | null {
  if (old === null || added === null) return added ?? old
  const known = new Set(old.files.map(({ sha256 }) => sha256))
  const files = [...old.files, ...added.files.filter(({ sha256 }) => !known.has(sha256))]
  const choices = old.choices ?? (old.format === added.format ? added.choices : undefined)
  return { format: old.format, eye: old.eye === added.eye ? old.eye : null, choices, files }
}

/** Returns the recordings without a participant, whose files are forgotten. */
export function recordingsWithout(old: RecordedFiles | null, participantId: string): RecordedFiles | null {
  if (old === null) return null
  const files = old.files
    .map((file) => ({ ...file, participants: file.participants.filter((id) => id !== participantId) }))
    .filter(({ participants }) => participants.length > 0)
  return { ...old, files }
}
