import { createHash } from 'node:crypto'
import { type FileHandle, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { addFileProblem, type Problems, refusal } from '../../model/bundle-problems.ts'
import { ServiceError } from '../../model/errors.ts'
import { SIZE_BYTES_MAX, sizeFault } from '../../model/picture-size.ts'
import { isCode } from '../../model/system-errors.ts'
import { VideoFault } from '../../model/video/reader.ts'
import { isVideoName } from '../../model/video/video-facts.ts'
import { sha256Of } from '../../snapshot/snapshot-id.ts'
import { RECORDINGS_FILE } from '../../snapshot/table-columns.ts'
import { stateOf } from '../../storage/files/file-state.ts'
import { hashOpenFile } from '../../storage/files/hash-file.ts'
import { NotPlain, PLAIN_RULE, readPlain, withPlain } from '../../storage/files/plain-file.ts'
import { videoNamed } from '../../storage/files/video-file.ts'
import { inMib, pictureLimit, type SampleLimits, STUDY_JSON_MAX_BYTES } from './bundle-limits.ts'
import { type CsvDigest, openBundleFile } from './open-bundle-file.ts'

/**
 * A study bundle: a directory with study.json, participants.csv, tests.csv, samples.csv or samples.parquet, and maybe
 * validations.csv, events.csv and images/ (docs/bundle.md). Every CSV may be gzipped, with `.gz` added to its
 * name. Other files are left alone.
 *
 * Columns stand in any order; cells may be empty except ids and t_ms, and a column whose cells may be empty may be
 * missing. The rules of the cells:
 *
 * | column | rule |
 * |---|---|
 * | participant_id, test_id, item_id | UUID, in any case; participants and tests once each, references known |
 * | created_at | RFC 3339 with offset |
 * | age | whole number, 0 to 150 |
 * | gender | 0 female, 1 male, 2 other |
 * | quality_grade, quality_grade_item | whole number, 1 to 6 |
 * | is_completed, has_finished_on_click, is_click | true, false, 1 or 0; empty is false |
 * | display_order, click_count | whole number, 0 to 1,000,000,000 |
 * | duration_ms | 0 to 86,400,000, kept to the µs |
 * | browser_width_px, browser_height_px, item_display_width_px, item_display_height_px | 1 to 100,000 |
 * | item_display_left_px, item_display_top_px | −10,000,000 to 10,000,000; all four item_display cells or none |
 * | t_ms | −86,400,000 to 86,400,000, kept to the µs; never missing |
 * | gaze_x_px, gaze_y_px, scroll_y_px, mouse_x_px, mouse_y_px, target_x_px, target_y_px | −10,000,000 to 10,000,000 |
 * | left_gaze_x_px and so on, left_pupil, right_pupil, left_eye_distance_mm, right_eye_distance_mm | as gaze; above 0 |
 * | name | text of an event, not empty |
 * | external_id, display_name, display_gender, finished_on_key, notes, value, external_data_* | any text |
 * | tags | at most 64, of at most 64 characters, between commas |
 *
 * A test has at most 4,000,000 samples.
 */
export type BundleFiles = {
  directory: string
  /** Names of the files in the directory; null for missing ones. */
  study: string | null
  participants: string | null
  tests: string | null
  samples: string | null
  validations: string | null
  events: string | null
  /** Recordings file of a bundle that was converted from recordings; it does not influence the snapshot's id. */
  recordings: string | null
  /** Regular files in images/. */
  images: string[]
  /** State of each file when it was found, by name: see `checkUnchanged`. */
  states: Record<string, string>
  /** Size of each file, in bytes. */
  sizes: Record<string, number>
}

const CHOICES = {
  study: ['study.json'],
  participants: ['participants.csv', 'participants.csv.gz'],
  tests: ['tests.csv', 'tests.csv.gz'],
  samples: ['samples.csv', 'samples.csv.gz', 'samples.parquet'],
  validations: ['validations.csv', 'validations.csv.gz'],
  events: ['events.csv', 'events.csv.gz', 'events.parquet'],
  recordings: [RECORDINGS_FILE],
}

/**
 * Finds a bundle's files.
 *
 * @param directory absolute
 * @param problems gets files that exist in two forms
 * @throws ServiceError not_found if the directory does not exist, usage if it is not a directory or not a bundle,
 *   invalid_bundle for a link, device or pipe in place of a file
 */
export async function findBundleFiles(directory: string, problems: Problems): Promise<BundleFiles> {
  const names = await listDirectory(directory)
  const find = (choices: string[]) => {
    const found = choices.filter((name) => names.includes(name))
    for (const extra of found.slice(1)) {
      const rule = `must not be there beside ${found[0]}`
      addFileProblem(problems, extra, rule)
    }
    return found[0] ?? null
  }
  const files = {
    study: find(CHOICES.study),
    participants: find(CHOICES.participants),
    tests: find(CHOICES.tests),
    samples: find(CHOICES.samples),
    validations: find(CHOICES.validations),
    events: find(CHOICES.events),
  }
  if (Object.values(files).every((name) => name === null))
    throw new ServiceError('usage', 'the directory is not a study bundle: it has neither study.json nor tests.csv')
  const recordings = find(CHOICES.recordings)
  const images = names.includes('images') ? await picturesIn(join(directory, 'images')) : []
  const all = { ...files, recordings }
  return { directory, ...all, images, ...(await lookAt(directory, all, images)) }
}

/** Lists the files of a bundle without opening any. @throws ServiceError invalid_bundle */
async function lookAt(
  directory: string,
  { study, participants, tests, samples, validations, events, recordings }: Pick<BundleFiles, keyof typeof CHOICES>,
  images: string[],
): Promise<Pick<BundleFiles, 'states' | 'sizes'>> {
  const names = [study, participants, tests, samples, validations, events, recordings].filter((name) => name !== null)
  const states: Record<string, string> = {}
  const sizes: Record<string, number> = {}
  for (const name of [...names, ...images.map((image) => `images/${image}`)]) {
    const found = await lstat(join(directory, name), { bigint: true })
    if (!found.isFile()) throw refusal(name, PLAIN_RULE)
    states[name] = stateOf(found)
    sizes[name] = Number(found.size)
  }
  return { states, sizes }
}

/**
 * Compares the bundle's files with their state when they were found, after all have been read.
 *
 * @throws ServiceError invalid_bundle if one has changed, since old and new content would be mixed
 */
export async function checkUnchanged(files: BundleFiles): Promise<void> {
  const { states: now } = await lookAt(files.directory, files, files.images)
  const changed = Object.keys(now).filter((name) => now[name] !== files.states[name])
  if (changed.length === 0) return
  const rule = 'must not change while it is imported'
  const problems = changed.map((file) => ({ file, line: null, column: null, value: null, rule }))
  throw new ServiceError('invalid_bundle', `${changed.join(', ')} ${rule}, and nothing was published`, { problems })
}

async function listDirectory(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (isCode(error, 'ENOENT')) throw new ServiceError('not_found', 'there is no such directory', { cause: error })
    if (isCode(error, 'ENOTDIR'))
      throw new ServiceError('usage', 'a study bundle is a directory, not a file', { cause: error })
    if (isCode(error, 'EACCES', 'EPERM'))
      throw new ServiceError('usage', 'the directory cannot be read', { cause: error })
    throw error
  }
}

/** Lists the pictures, and links, which are refused when they are looked at. @throws ServiceError invalid_bundle */
async function picturesIn(directory: string): Promise<string[]> {
  const found = await lstat(directory)
  if (found.isSymbolicLink()) throw refusal('images', 'must be a folder, not a link')
  if (!found.isDirectory()) return []
  const entries = await readdir(directory, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .sort()
}

/** Reports the files that are missing from a bundle that must be complete. */
export function checkComplete(files: BundleFiles, problems: Problems): void {
  for (const part of ['study', 'participants', 'tests', 'samples'] as const) {
    if (files[part] !== null) continue
    const rule = part === 'samples' ? 'is missing, and so is samples.parquet' : 'is missing'
    addFileProblem(problems, CHOICES[part][0], rule)
  }
}

/**
 * Computes the SHA-256, in hex, of the uncompressed files of a bundle, by name without `.gz`.
 *
 * @param images those images that belong to items
 * @param limits of the uncompressed size of gzip files
 * @param samplesRead of the samples, if they have already been read
 * @throws AbortError if `signal` aborts; ServiceError invalid_bundle for a picture that is too large
 */
export async function hashBundle(
  files: BundleFiles,
  images: string[],
  limits: SampleLimits,
  signal: AbortSignal,
  samplesRead: Promise<CsvDigest> | null = null,
): Promise<Record<string, string>> {
  for (const name of images.map((image) => `images/${image}`)) await checkPicture(files, name, limits)
  const { study, participants, tests, samples, validations, events } = files
  const names = [study, participants, tests, samples, validations, events].filter((name) => name !== null)
  const hashes: Record<string, string> = {}
  const hashOf = async (name: string) =>
    name === samples && samplesRead !== null
      ? (await samplesRead).sha256
      : hashPlain(join(files.directory, name), limits, signal)
  for (const name of [...names, ...images.map((image) => `images/${image}`)])
    hashes[name.replace(/\.csv\.gz$/, '.csv')] = await hashOf(name)
  return hashes
}

/** Returns the hashes of a bundle whose study gets another project than its study.json names. */
export function hashesIn(project: string | undefined, hashes: Record<string, string>): Record<string, string> {
  return project === undefined ? hashes : { ...hashes, 'study.json': sha256Of([hashes['study.json'], project]) }
}

/** Checks size and type of a picture. @throws ServiceError invalid_bundle if it is too large, or shows nothing */
async function checkPicture({ directory, sizes }: BundleFiles, name: string, limits: SampleLimits): Promise<void> {
  const { mostBytes, rule } = pictureLimit(name, limits)
  if (sizes[name] > mostBytes) throw refusal(name, rule)
  if (!isVideoName(name)) {
    const fault = sizeFault(await withPlain(join(directory, name), readBeginning))
    if (fault !== null) throw refusal(name, fault)
    return
  }
  await videoNamed(join(directory, name), name).catch((error: unknown) => {
    throw error instanceof VideoFault || error instanceof NotPlain ? refusal(name, error.message) : error
  })
}

async function readBeginning(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SIZE_BYTES_MAX), 0, SIZE_BYTES_MAX, 0)
  return buffer.subarray(0, bytesRead)
}

async function hashPlain(path: string, limits: SampleLimits, signal: AbortSignal): Promise<string> {
  if (!path.endsWith('.gz')) return withPlain(path, (file) => hashOpenFile(file, signal))
  const hash = createHash('sha256')
  for await (const chunk of openBundleFile(path, limits)) {
    signal.throwIfAborted()
    hash.update(chunk)
  }
  return hash.digest('hex')
}

/** Checks the size of a file before it is read. @throws ServiceError invalid_bundle */
export async function readStudyFile({ directory, study, sizes }: BundleFiles): Promise<Buffer> {
  if (sizes[study!] > STUDY_JSON_MAX_BYTES) throw refusal(study!, `must have at most ${inMib(STUDY_JSON_MAX_BYTES)}`)
  return readPlain(join(directory, study!), STUDY_JSON_MAX_BYTES)
}

/** Returns the pictures that belong to an item; others are ignored. */
export function countedImages({ images }: BundleFiles, { items }: { items: { filename: string }[] }): string[] {
  const named = new Set(items.map(({ filename }) => filename))
  return images.filter((name) => named.has(name))
}
