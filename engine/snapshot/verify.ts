import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../model/errors.ts'
import { stateOf } from '../storage/files/file-state.ts'
import { readFault } from '../storage/files/read-fault.ts'

/**
 * Cache of the files that this thread has verified, by hash and file state, wherever they lie, since several snapshots
 * may share one. Only a hash detects damage: Parquet needs no checksums of pages, and most bits of a sample may flip
 * and still give a number.
 */
const verified = new LRUCache<string, true>({ max: 10_000 })
const PIECE = new Uint8Array(1 << 18)

/**
 * Compares a sample file's bytes with its manifest's hash, unless this thread has done so since the file last changed.
 * About 0.5 ms a MiB, once; then one look at the file.
 *
 * @param sha256 in hex
 * @throws ServiceError corrupt when they differ or cannot be read, overloaded when too many files are open
 */
export function verifyFile(path: string, sha256: string): void {
  const file = basename(path)
  try {
    if (verified.has(`${sha256} ${stateOf(statSync(path, { bigint: true }))}`)) return
    const { state, found } = hashOf(path)
    if (found !== sha256) throw new ServiceError('corrupt', `${file} is not what its manifest promises`)
    verified.set(`${sha256} ${state}`, true)
  } catch (error) {
    throw readFault(error, `${file} cannot be read`)
  }
}

/** Hashes a file that was just written, and trusts it until it changes. */
export function hashAndTrust(path: string): string {
  const { state, found } = hashOf(path)
  verified.set(`${found} ${state}`, true)
  return found
}

/**
 * Hashes a file. The returned state is the one before the first byte was read, so a file that changes meanwhile is
 * hashed again.
 */
function hashOf(path: string): { state: string; found: string } {
  const descriptor = openSync(path, 'r')
  try {
    const state = stateOf(fstatSync(descriptor, { bigint: true }))
    const hash = createHash('sha256')
    for (let n = readSync(descriptor, PIECE); n > 0; n = readSync(descriptor, PIECE)) hash.update(PIECE.subarray(0, n))
    return { state, found: hash.digest('hex') }
  } finally {
    closeSync(descriptor)
  }
}
