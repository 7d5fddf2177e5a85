import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { ServiceError } from '../../engine/model/errors.ts'
import { isCode, nullIfGone } from '../../engine/model/system-errors.ts'
import { makeDirectory, replaceDurably, syncDirectory } from '../../engine/storage/files/durable.ts'
import { stateOf } from '../../engine/storage/files/file-state.ts'
import { holderText, takeLock } from '../../engine/storage/files/lock.ts'
import { isThere } from '../../engine/storage/files/optional-files.ts'

/** Entry of the folder, and its state when it was last checked. */
export type Entry = { name: string; state: string }

/** An entry whose import was about to be published; the note stays until the entry is moved. */
type Intent = Entry & { studyId: string; snapshotId: string }

const OUTCOMES = ['done', 'refused'] as const
type Outcome = (typeof OUTCOMES)[number]

/** A folder that only this process watches. */
export type WatchedFolder = {
  path: string
  /** Lists the entries that have not changed for `settleMs`, by name. */
  settled: () => Promise<Entry[]>
  /** Returns true if an entry has not changed. */
  isSame: (entry: Entry) => Promise<boolean>
  /** Writes the report, then moves the entry beside it. Returns its new path, relative to the folder. */
  move: (entry: Entry, outcome: Outcome, report: string) => Promise<string>
  note: (intent: Intent) => Promise<void>
  noted: () => Promise<Intent | null>
  close: () => Promise<void>
}

const LOCK = '.gazette-watch.lock'
const INTENT = '.gazette-watch.json'
/** Name patterns of files that programs are still writing, besides names that begin with a dot. */
const UNFINISHED = /(\.(part|partial|tmp|crdownload|filepart|download)|~)$/i

/**
 * Opens a folder for watching, and creates `done` and `refused` in it.
 *
 * @param settleMs time without a change after which an entry counts as complete
 * @param dataDir which must lie outside: everything in a watched folder is moved
 * @throws ServiceError usage, not_found, and busy if another process watches it
 */
export async function openWatchedFolder(given: string, settleMs: number, dataDir: string): Promise<WatchedFolder> {
  const path = resolve(given)
  await needFolder(path, given)
  await refuseData(path, given, dataDir)
  const lock = await takeLock(join(path, LOCK))
  if (lock === null)
    throw new ServiceError('busy', `another gazette watch${await holderText(join(path, LOCK))} works on ${given}`)
  for (const outcome of OUTCOMES) await makeDirectory(join(path, outcome))
  let seen = new Map<string, { state: string; sinceMs: number }>()
  return {
    path,
    settled: async () => {
      const now = performance.now()
      const present = new Map<string, { state: string; sinceMs: number }>()
      for (const name of await namesPutIn(path)) {
        const state = await stateOfTree(join(path, name))
        if (state === null) continue
        const before = seen.get(name)
        present.set(name, before?.state === state ? before : { state, sinceMs: now })
      }
      const complete = [...present].filter(([name, { sinceMs }]) => seen.has(name) && now - sinceMs >= settleMs)
      seen = present
      return complete.map(([name, { state }]) => ({ name, state }))
    },
    isSame: async ({ name, state }) => (await stateOfTree(join(path, name))) === state,
    move: (entry, outcome, report) => move(path, entry, outcome, report),
    note: (intent) => replaceDurably(join(path, INTENT), `${JSON.stringify(intent)}\n`),
    noted: () => readIntent(join(path, INTENT)),
    close: () => lock.release(),
  }
}

async function needFolder(path: string, given: string): Promise<void> {
  const found = await lstat(path).catch((error) => {
    if (isCode(error, 'ENOENT')) throw new ServiceError('not_found', `there is no folder ${given}`)
    throw error
  })
  if (!found.isDirectory()) throw new ServiceError('usage', `${given} must be a folder`)
}

/** Refuses a folder that holds the data directory or lies in it. @throws ServiceError usage */
async function refuseData(path: string, given: string, dataDir: string): Promise<void> {
  const [watched, data] = await Promise.all([realPath(path), realPath(resolve(dataDir))])
  const isWithin = (inner: string, outer: string) => relative(outer, inner).split(sep)[0] !== '..'
  if (!isWithin(data, watched) && !isWithin(watched, data)) return
  const how = data === watched ? 'is the' : isWithin(data, watched) ? 'holds the' : 'lies in the'
  throw new ServiceError(
    'usage',
    `${given} ${how} data directory ${dataDir}, and everything in a watched folder is moved: choose another folder`,
  )
}

/** Resolves the links of a path of which the last parts may not exist yet. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!isCode(error, 'ENOENT') || dirname(path) === path) throw error
    return join(await realPath(dirname(path)), basename(path))
  }
}

async function namesPutIn(path: string): Promise<string[]> {
  const isOwn = (name: string) => name.startsWith('.') || OUTCOMES.some((outcome) => outcome === name)
  return (await readdir(path)).filter((name) => !isOwn(name) && !UNFINISHED.test(name)).sort()
}

/**
 * Returns a fingerprint that differs whenever a file below a path has changed; null if the path is gone or holds no
 * file.
 */
async function stateOfTree(path: string): Promise<string | null> {
  const states: string[] = []
  const look = async (at: string): Promise<void> => {
    const found = await lstat(at, { bigint: true })
    if (!found.isDirectory()) states.push(`${at} ${stateOf(found)}`)
    else for (const name of (await readdir(at)).sort()) await look(join(at, name))
  }
  try {
    await look(path)
  } catch (error) {
    // Files are being moved.
    return nullIfGone(error)
  }
  return states.length === 0 ? null : createHash('sha256').update(states.join('\n')).digest('hex')
}

async function move(path: string, { name }: Entry, outcome: Outcome, report: string): Promise<string> {
  const directory = join(path, outcome)
  let to = name
  for (let n = 2; await isThere(join(directory, to)); n++) to = `${name} (${n})`
  await writeFile(join(directory, `${to}.report.txt`), report)
  await rename(join(path, name), join(directory, to))
  await syncDirectory(directory)
  await syncDirectory(path)
  await rm(join(path, INTENT), { force: true })
  return `${outcome}/${to}`
}

async function readIntent(path: string): Promise<Intent | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Intent
  } catch {
    return null
  }
}
