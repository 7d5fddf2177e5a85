import { basename } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { VERSION } from '../../model/version.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { seal } from '../../storage/files/sealed-json.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Job } from './job.ts'
import { filesOfPart, publishedPaths } from './job-files.ts'
import { type AttemptPart, type JobPlace, jobPath, newPartFiles, PART_FILE_NAME } from './job-paths.ts'
import type { FinishedPart } from './state.ts'

/**
 * The parts of a large job, which any workers compute: <attempt>.<number>-of-<parts>.json marks a part as there, is
 * created once, and names the file <attempt>.<random>.shards that has its bytes. What there is of an attempt is seen
 * from these names alone.
 *
 * Where files can be copied within a store, and the part is deflated, <attempt>.<random>.plain.shards has the same
 * bytes inflated, as they are in the job's file.
 *
 * Of a job whose files are its parts, the marker names these files (job-files.ts) instead.
 */

/**
 * Content of a marker: `samples`, `rows` and `bytes` of the job's file or, without `shards`, of the `part` that is one
 * of the job's files.
 */
export type PartMarker = { version: string; samples: number; rows: number; bytes: number } & (
  | { shards: PartShards; part?: undefined }
  | { shards?: undefined; part: FinishedPart; hasNotes: boolean }
)

/** File of a part to be composed; `indexSha256`, of its index; whether it is also stored uncompressed. */
type PartShards = { file: string; indexSha256: string; hasPlain: boolean }

/** Number of markers that are read in parallel. */
const AT_ONCE = 16

const MARKER_NAME = /^(\d{1,9})\.(\d{1,4})-of-(\d{1,4})\.json$/
/** Names of all files of parts that are composed: markers, bytes, tries. */
const PART_NAME = /^\d{1,9}\.(\d{1,4}-of-\d{1,4}\.(json|tries)|[0-9a-f]{12}(\.plain)?\.shards)$/

type Attempt = Pick<Job, 'id' | 'attempt' | 'plan'>

/** Returns a new name for the file of a try at a part, in the job's folder. */
export function newPartPath({ id, attempt }: Pick<Job, 'id' | 'attempt'>): string {
  return newPartFiles(id, attempt).plain
}

/**
 * Lists the finished parts of an attempt, by number. Removes a marker that is damaged or of another version: its part
 * is not finished.
 */
export async function partsThere(jobs: JobPlace, job: Attempt, of: number): Promise<Map<number, PartMarker>> {
  const { attempt } = job
  const markers = (await jobs.storage.names(jobPath(job.id))).map((name) => MARKER_NAME.exec(name)?.map(Number))
  const numbers = markers.flatMap((marker) => (marker?.[1] === attempt && marker[3] === of ? [marker[2]] : []))
  const there = new Map<number, PartMarker>()
  await forEach(numbers, AT_ONCE, async (number) => {
    const found = await readMarker(jobs, job, { number, of })
    if (found !== null) there.set(number, found)
  })
  return there
}

/** Returns true if a part of an attempt is finished. */
export async function isPartThere(jobs: JobPlace, attempt: Attempt, part: AttemptPart): Promise<boolean> {
  return (await readMarker(jobs, attempt, part)) !== null
}

async function readMarker({ storage }: JobPlace, attempt: Attempt, part: AttemptPart): Promise<PartMarker | null> {
  const path = markerPath(attempt, part)
  try {
    const marker = await storage.readSealed<PartMarker>(path, subjectOf(attempt, part))
    if (marker === null || marker.version === VERSION) return marker
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'corrupt') throw error
  }
  await storage.remove(path)
  return null
}

/** Returns the final name of a part's file. @param path as `newPartPath` made it up */
export function keptPath(path: string): string {
  return path.replace(/\.part$/, '.shards')
}

/** Returns the name of a part's uncompressed file. @param path of the part's file, by either name */
export function plainPath(path: string): string {
  return path.replace(/\.(part|shards)$/, '.plain.$1')
}

/** A marker to be written. */
export type NewMarker = PartMarker extends infer M ? (M extends unknown ? Omit<M, 'version'> : never) : never

/** Marks a part as finished, or removes its files if it is finished already, with the same bytes. */
export async function publishPart(
  { storage }: JobPlace,
  attempt: Attempt,
  part: AttemptPart,
  made: NewMarker,
): Promise<void> {
  const isFirst = await storage.create(markerPath(attempt, part), markerText(attempt, part, made))
  if (!isFirst) await removeFiles(storage, attempt, made)
}

/** Replaces a finished part by another, and removes the files of the former. */
export async function replacePart(jobs: JobPlace, attempt: Attempt, part: AttemptPart, made: NewMarker): Promise<void> {
  const { storage } = jobs
  const former = await readMarker(jobs, attempt, part)
  await storage.replace(markerPath(attempt, part), markerText(attempt, part, made))
  if (former !== null) await removeFiles(storage, attempt, former)
}

function markerText(attempt: Attempt, part: AttemptPart, made: NewMarker): string {
  return seal({ version: VERSION, ...made }, subjectOf(attempt, part))
}

/** Removes an incomplete part, so that it is computed again. */
export async function dropPart(jobs: JobPlace, attempt: Attempt, part: AttemptPart): Promise<void> {
  const { storage } = jobs
  const marker = await readMarker(jobs, attempt, part)
  await storage.remove(markerPath(attempt, part))
  if (marker !== null) await removeFiles(storage, attempt, marker)
}

async function removeFiles(storage: Storage, attempt: Attempt, marker: NewMarker): Promise<void> {
  for (const path of markedPaths(attempt, marker)) await storage.remove(path)
}

/** Returns the paths of the files of a part. */
function markedPaths(attempt: Attempt, { shards, part }: NewMarker): string[] {
  if (shards === undefined) return filesOfPart(attempt, part).map(({ path }) => path)
  const path = jobPath(attempt.id, shards.file)
  return shards.hasPlain ? [path, plainPath(path)] : [path]
}

/**
 * Removes all files of parts up to an attempt, which has ended, except those that it has published.
 *
 * @param job as it is now
 * @param names in the job's directory, if they are known
 */
export async function removePartsOf({ storage }: JobPlace, job: Job, attempt: number, names?: string[]): Promise<void> {
  const published = publishedPaths(job)
  for (const name of names ?? (await storage.names(jobPath(job.id)))) {
    const path = jobPath(job.id, name)
    const isOfPart = PART_NAME.test(name) || PART_FILE_NAME.test(name)
    if (isOfPart && Number.parseInt(name, 10) <= attempt && !published.has(path)) await storage.remove(path)
  }
}

/** Returns the names of the files that the markers of an attempt name. @param names in the job's directory */
export async function namedByMarkers(jobs: JobPlace, attempt: Attempt, names: string[]): Promise<Set<string>> {
  const named = new Set<string>()
  for (const name of names) {
    const [, of, number, parts] = MARKER_NAME.exec(name) ?? []
    if (Number(of) !== attempt.attempt) continue
    const marker = await readMarker(jobs, attempt, { number: Number(number), of: Number(parts) })
    for (const path of marker === null ? [] : markedPaths(attempt, marker)) named.add(basename(path))
  }
  return named
}

function markerPath({ id, attempt }: Attempt, { number, of }: AttemptPart): string {
  return jobPath(id, `${attempt}.${number}-of-${of}.json`)
}

function subjectOf({ id, attempt }: Attempt, { number, of }: AttemptPart): string {
  return `part ${number} of ${of} of ${id} ${attempt}`
}
