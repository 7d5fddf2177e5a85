import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../model/errors.ts'
import type { Manifest, TableLayer } from '../model/study.ts'
import { isCode, isDiskFull } from '../model/system-errors.ts'
import { replaceDurably, syncDirectory, syncFile } from '../storage/files/durable.ts'
import { sharedPath, temporaryPath } from '../storage/files/layout.ts'
import { isThere } from '../storage/files/optional-files.ts'
import { readSealed, seal } from '../storage/files/sealed-json.ts'
import { checkStoredNames } from '../storage/files/stored-names.ts'
import { type LayerFiles, writeMerged } from './merge-layers.ts'
import { openSnapshot } from './snapshots.ts'
import { EVENTS_FILE, PARTICIPANTS_FILE, TESTS_FILE, VALIDATIONS_FILE } from './table-columns.ts'
import { hashAndTrust, verifyFile } from './verify.ts'

/**
 * Locates a snapshot's tables. A study that has grown has them in layers, so growing costs what was added, not what
 * exists. The first reader merges the layers into files beside the manifest, which are like those of any other
 * snapshot.
 */

/** A snapshot's directory, and the hashes of its tables. */
export type TableFiles = { directory: string; manifest: Pick<Manifest, 'files' | 'participantColumns'> }

/** Name of the folder, in a snapshot's directory, for merged tables. */
export const MERGED = 'folded'
export const SUMS_FILE = 'sums.json'

/** Cache of the SHA-256 of merged tables, by the snapshot's directory. */
const known = new LRUCache<string, Promise<Record<string, string>>>({ max: 16 })

/**
 * Returns the path of a verified table; null if the snapshot has none of that name.
 *
 * @param name TESTS_FILE, PARTICIPANTS_FILE, VALIDATIONS_FILE or EVENTS_FILE
 * @throws ServiceError corrupt, not_found when the snapshot has gone, disk_full, overloaded
 */
export async function tablePath({ directory, manifest: { files } }: TableFiles, name: string): Promise<string | null> {
  const isMerged = !(TESTS_FILE in files)
  const sums = isMerged ? await mergedSums(directory) : files
  if (!(name in sums)) return null
  const path = isMerged ? join(directory, MERGED, name) : join(directory, name)
  verifyFile(path, sums[name])
  return path
}

const LAYER_OF = {
  participants: PARTICIPANTS_FILE,
  tests: TESTS_FILE,
  validations: VALIDATIONS_FILE,
  events: EVENTS_FILE,
} as const

/** A snapshot's directory, and its tables or their layers, or some of these. */
type Layered = { directory: string; manifest: Pick<Manifest, 'files' | 'layers'> }

/** Returns the files that hold the rows of a snapshot's table: itself, or its layers. @throws ServiceError corrupt */
export function layerPaths({ directory, manifest: { files, layers } }: Layered, table: keyof TableLayer): string[] {
  const name = LAYER_OF[table]
  const own = name in files ? [[join(directory, name), files[name]]] : []
  const shas = layers?.flatMap((layer) => layer[table] ?? []) ?? []
  const all = [...own, ...shas.map((sha256) => [sharedPath(dirname(directory), sha256), sha256])]
  for (const [path, sha256] of all) verifyFile(path, sha256)
  return all.map(([path]) => path)
}

/** Returns the files that hold the rows of all tables. */
export function layerFiles(snapshot: Layered): LayerFiles {
  const of = (table: keyof TableLayer) => layerPaths(snapshot, table)
  return { participants: of('participants'), tests: of('tests'), validations: of('validations'), events: of('events') }
}

/** Returns the SHA-256 of the merged tables of a snapshot's layers, by name; merges them unless that was done. */
async function mergedSums(directory: string): Promise<Record<string, string>> {
  const merging = known.get(directory) ?? readMerged(directory).then((sums) => sums ?? mergeTables(directory))
  known.set(directory, merging)
  try {
    const sums = await merging
    if (await isThere(join(directory, MERGED, SUMS_FILE))) return sums
    // That of a bucket goes once it is not used, and may come again.
    if (known.get(directory) === merging) known.delete(directory)
    return await ((await readMerged(directory)) ?? mergeTables(directory))
  } catch (error) {
    known.delete(directory)
    throw error
  }
}

/** Reads the SHA-256 of merged tables; null if there are none. @throws ServiceError corrupt */
export async function readMerged(directory: string): Promise<Record<string, string> | null> {
  const sums = await readSealed<Record<string, string>>(join(directory, MERGED, SUMS_FILE), sumsSubject(directory))
  if (sums !== null) checkStoredNames(SUMS_FILE, Object.entries(sums))
  return sums
}

function sumsSubject(directory: string): string {
  return `tables of ${basename(directory)}`
}

async function mergeTables(directory: string): Promise<Record<string, string>> {
  const temporary = temporaryPath(directory, MERGED)
  try {
    const snapshot = await openSnapshot(directory)
    await mkdir(temporary)
    const names = await writeMerged(snapshot, layerFiles(snapshot), temporary)
    const sums: Record<string, string> = {}
    for (const name of names) {
      await syncFile(join(temporary, name))
      sums[name] = hashAndTrust(join(temporary, name))
    }
    await replaceDurably(join(temporary, SUMS_FILE), seal(sums, sumsSubject(directory)))
    await rename(temporary, join(directory, MERGED))
    await syncDirectory(directory)
    return sums
  } catch (error) {
    // Another process was faster.
    const sums = isCode(error, 'ENOTEMPTY', 'EEXIST') ? await readMerged(directory) : null
    if (sums !== null) return sums
    if (isDiskFull(error)) throw new ServiceError('disk_full', 'the disk is full', { cause: error })
    if (isCode(error, 'EACCES', 'EROFS', 'EPERM')) {
      const sentence =
        'the study is growing, and whoever reads it first has to write its tables, which is not allowed here'
      throw new ServiceError('overloaded', sentence, { cause: error })
    }
    throw error
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined)
  }
}
