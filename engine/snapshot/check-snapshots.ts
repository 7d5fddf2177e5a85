import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { ServiceError } from '../model/errors.ts'
import { UUID } from '../model/parameters.ts'
import { isCode } from '../model/system-errors.ts'
import { hashFile } from '../storage/files/hash-file.ts'
import { SHARED, studiesDirectory, TEMPORARY_PREFIX } from '../storage/files/layout.ts'
import { isThere, namesIn } from '../storage/files/optional-files.ts'
import { snapshotIdOf } from './snapshot-id.ts'
import { currentId, readManifest, snapshotIds } from './snapshots.ts'
import { MERGED, readMerged, SUMS_FILE } from './tables.ts'

/**
 * Re-hashes every file of every snapshot and compares it with its manifest, the manifest with its checksum and the
 * snapshot's id, and each `current` with the snapshots that exist.
 *
 * @param report a sentence for each file that is not what it was published as
 * @returns how many files were looked at
 */
export async function checkSnapshots(dataDir: string, report: (sentence: string) => void): Promise<number> {
  const directory = studiesDirectory(dataDir)
  let files = 0
  for (const studyId of (await namesIn(directory)).filter((name) => UUID.test(name)).sort()) {
    const ids = await snapshotIds(join(directory, studyId))
    const current = await currentId(dataDir, studyId).catch(() => '')
    if (current !== null && !ids.includes(current)) report(`Study ${studyId}: current names no snapshot of it.`)
    if (current !== null) files++
    for (const id of ids) {
      const found: string[] = []
      const tell = (file: string, what: string) => found.push(`Study ${studyId}, snapshot ${id}: ${file} ${what}.`)
      files += await checkSnapshot(join(directory, studyId, id), id, tell)
      // One that was replaced may be swept meanwhile.
      if (await isThere(join(directory, studyId, id))) found.forEach(report)
    }
  }
  return files
}

/**
 * Returns a sentence for each study, or older snapshot of one, that is stored in a format that this version does not
 * read.
 */
export async function studiesOfOtherFormats(dataDir: string): Promise<string[]> {
  const directory = studiesDirectory(dataDir)
  const sentences = new Set<string>()
  for (const studyId of (await namesIn(directory)).filter((name) => UUID.test(name)).sort())
    for (const id of await snapshotIds(join(directory, studyId)))
      await readManifest(join(directory, studyId, id)).catch((error: unknown) => {
        if (error instanceof ServiceError && error.code === 'other_format') sentences.add(capitalized(error.message))
      })
  return [...sentences]
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

async function checkSnapshot(
  directory: string,
  id: string,
  tell: (file: string, what: string) => void,
): Promise<number> {
  const expected = await readExpected(directory, id)
  if (expected === 'other format') return 1
  if (expected === null) {
    tell('manifest.json', 'is missing or damaged')
    return 1
  }
  const merged = await readMerged(directory).catch(() => tell(join(MERGED, SUMS_FILE), 'is damaged'))
  for (const [name, sha256] of Object.entries(merged ?? {})) expected.set(join(MERGED, name), sha256)
  for (const [name, sha256] of expected) {
    const found = await hashOf(join(directory, name))
    if (found === null) tell(name, 'is missing')
    else if (found !== sha256) tell(name, 'has changed')
  }
  for (const name of await filesUnder(directory))
    if (!isAside(name) && !expected.has(name)) tell(name, 'is not in the manifest')
  return expected.size + 1
}

/** Returns true for files that the manifest does not list: itself, and merged tables. */
function isAside(name: string): boolean {
  return name === 'manifest.json' || name === join(MERGED, SUMS_FILE) || name.startsWith(`${TEMPORARY_PREFIX}${MERGED}`)
}

/** Returns the expected hash of every file by name; null if the manifest is not that of this snapshot. */
async function readExpected(directory: string, id: string): Promise<Map<string, string> | 'other format' | null> {
  try {
    const manifest = await readManifest(directory)
    if (snapshotIdOf(manifest) !== id) return null
    const samples = manifest.sampleFiles.map(({ name, sha256 }) => [name, sha256] as const)
    const shared = manifest.layers?.flatMap((layer) => Object.values(layer)) ?? []
    const layers = shared.map((sha256) => [join('..', SHARED, sha256), sha256] as const)
    return new Map([...Object.entries(manifest.files), ...samples, ...layers])
  } catch (error) {
    if (isCode(error, 'EACCES', 'EIO')) throw error
    return error instanceof ServiceError && error.code === 'other_format' ? 'other format' : null
  }
}

async function hashOf(path: string): Promise<string | null> {
  try {
    return await hashFile(path)
  } catch (error) {
    if (isCode(error, 'ENOENT', 'EISDIR')) return null
    throw error
  }
}

async function filesUnder(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    // It was swept meanwhile.
    if (isCode(error, 'ENOENT')) return []
    throw error
  })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(directory, join(parentPath, name)))
}
