import { basename } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { VERSION } from '../../model/version.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { seal } from '../../storage/files/sealed-json.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Job } from './job.ts'
import { type JobPart, type JobPlace, jobPath, newPartFiles } from './job-paths.ts'

/**
 * The parts of a large job, which any workers compute: <attempt>.<number>-of-<parts>.json marks a part as there, is
 * created once, and names the file <attempt>.<random>.shards that has its bytes. What there is of an attempt is seen
 * from these names alone.
 *
 * Where files can be copied within a store, and the part is deflated, <attempt>.<random>.plain.shards has the same
 * bytes inflated, as they are in the job's file.
 */

/**
 * Content of a part: `samples`, `rows` and `bytes` of the job's file; `indexSha256`, of its own file's index; whether
 * it is also stored uncompressed.
 */
export type PartMarker = {
  file: string
  version: string
  samples: number
  rows: number
  bytes: number
  indexSha256: string
  hasPlain: boolean
}

/** Number of markers that are read in parallel. */
const AT_ONCE = 16

const MARKER_NAME = /^(\d{1,9})\.(\d{1,4})-of-(\d{1,4})\.json$/
/** Names of all files of parts: markers, bytes, tries. */
const PART_NAME = /^\d{1,9}\.(\d{1,4}-of-\d{1,4}\.(json|tries)|[0-9a-f]{12}(\.plain)?\.shards)$/

type Attempt = Pick<Job, 'id' | 'attempt'>

/** Returns a new name for the file of a try at a part, in the job's folder. */
export function newPartPath({ id, attempt }: Attempt): string {
  return newPartFiles(id, attempt).plain
}

/**
 * Lists the finished parts of an attempt, by number. Removes a marker that is damaged or of another version: its part
 * is not finished.
 */
export async function partsThere(
  jobs: JobPlace,
  { id, attempt }: Attempt,
  of: number,
): Promise<Map<number, PartMarker>> {
  const markers = (await jobs.storage.names(jobPath(id))).map((name) => MARKER_NAME.exec(name)?.map(Number))
  const numbers = markers.flatMap((marker) => (marker?.[1] === attempt && marker[3] === of ? [marker[2]] : []))
  const there = new Map<number, PartMarker>()
  await forEach(numbers, AT_ONCE, async (number) => {
    const found = await readMarker(jobs, { id, attempt }, { number, of })
    if (found !== null) there.set(number, found)
  })
  return there
}

/** Returns true if a part of an attempt is finished. */
export async function isPartThere(jobs: JobPlace, attempt: Attempt, part: JobPart): Promise<boolean> {
  return (await readMarker(jobs, attempt, part)) !== null
}

async function readMarker({ storage }: JobPlace, attempt: Attempt, part: JobPart): Promise<PartMarker | null> {
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

/**
 * Returns the final name of a part's file.
 *
 * @param path as `newPartPath` made it up
 */
export function keptPath(path: string): string {
  return path.replace(/\.part$/, '.shards')
}

/** Returns the name of a part's uncompressed file. @param path of the part's file, by either name */
export function plainPath(path: string): string {
  return path.replace(/\.(part|shards)$/, '.plain.$1')
}

/**
 * Marks a part as finished, or removes its files if it is finished already, with the same bytes.
 *
 * @param path of its file, by its kept name
 */
export async function publishPart(
  { storage }: JobPlace,
  attempt: Attempt,
  part: JobPart,
  path: string,
  made: Omit<PartMarker, 'file' | 'version'>,
): Promise<void> {
  const marker: PartMarker = { file: basename(path), version: VERSION, ...made }
  const isFirst = await storage.create(markerPath(attempt, part), seal(marker, subjectOf(attempt, part)))
  if (!isFirst) await removeFiles(storage, path, made.hasPlain)
}

/** Removes an incomplete part, so that it is computed again. */
export async function dropPart(jobs: JobPlace, attempt: Attempt, part: JobPart): Promise<void> {
  const { storage } = jobs
  const marker = await readMarker(jobs, attempt, part)
  await storage.remove(markerPath(attempt, part))
  if (marker !== null) await removeFiles(storage, jobPath(attempt.id, marker.file), marker.hasPlain)
}

async function removeFiles(storage: Storage, path: string, hasPlain: boolean): Promise<void> {
  await storage.remove(path)
  if (hasPlain) await storage.remove(plainPath(path))
}

/**
 * Removes all files of parts up to an attempt, which has ended.
 *
 * @param names in the job's directory, if they are known
 */
export async function removePartsOf(
  { storage }: JobPlace,
  id: string,
  attempt: number,
  names?: string[],
): Promise<void> {
  for (const name of names ?? (await storage.names(jobPath(id))))
    if (PART_NAME.test(name) && Number.parseInt(name, 10) <= attempt) await storage.remove(jobPath(id, name))
}

/** Returns the names of the files that the markers of an attempt name. @param names in the job's directory */
export async function namedByMarkers(jobs: JobPlace, attempt: Attempt, names: string[]): Promise<Set<string>> {
  const named = new Set<string>()
  for (const name of names) {
    const [, of, number, parts] = MARKER_NAME.exec(name) ?? []
    if (Number(of) !== attempt.attempt) continue
    const marker = await readMarker(jobs, attempt, { number: Number(number), of: Number(parts) })
    if (marker !== null) named.add(marker.file).add(plainPath(marker.file))
  }
  return named
}

function markerPath({ id, attempt }: Attempt, { number, of }: JobPart): string {
  return jobPath(id, `${attempt}.${number}-of-${of}.json`)
}

function subjectOf({ id, attempt }: Attempt, { number, of }: JobPart): string {
  return `part ${number} of ${of} of ${id} ${attempt}`
}
