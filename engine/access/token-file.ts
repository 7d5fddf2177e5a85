import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { ServiceError } from '../model/errors.ts'
import type { Reach } from '../model/projects.ts'
import { isCode, isDiskFull, isShortage } from '../model/system-errors.ts'
import { RECORD_ROLES, type RecordRole } from '../model/token-roles.ts'
import { stopwatch } from '../storage/concurrency/intervals.ts'
import { makeDirectory, replaceDurably } from '../storage/files/durable.ts'
import { takeLockWithin } from '../storage/files/lock.ts'
import { readSealed, seal } from '../storage/files/sealed-json.ts'
import { Link } from './link.ts'

/** A token as it is stored: not the token itself, but its `sha256` (hex). */
export type TokenRecord = {
  /** Short id, safe in file names and logs. */
  id: string
  name: string
  role: RecordRole
  /** Studies and projects that it is for. */
  studies: Reach
  /** Time of creation, RFC 3339. */
  createdAt: string
  /** Expiry, RFC 3339; null for never. */
  expiresAt: string | null
  sha256: string
  /**
   * Identity of a person who signed in at a provider. Nobody has the secret of such a token; it only starts sessions.
   */
  issuer?: string
  /** Content that a token with the role `link` may show. The secret of the link belongs to it. */
  link?: Link
  /** Project on which the rights of a link's creator depend: the link shows nothing once its study has left it. */
  project?: string
}

/**
 * A token in a request.
 *
 * @property studies ids of the studies that are in its reach now, or all
 * @property reach studies and projects that it is for, as stored
 */
export type AdmittedToken = Omit<TokenRecord, 'studies'> & { studies: string[] | 'all'; reach: Reach }

/** The file tokens.json, which several processes read and change. */
type TokenFile = {
  /** Reads the file. @throws ServiceError corrupt */
  read: () => Promise<TokenRecord[]>
  /** Returns its records by `sha256`, at most CHECK_EVERY_MS old. @throws ServiceError corrupt */
  byHash: () => Promise<Map<string, TokenRecord>>
  /**
   * Applies `edit` to its records under a lock across processes; if `edit` returns the same array, nothing is written.
   *
   * @throws ServiceError busy if it stays locked, disk_full, corrupt
   */
  change: <T>(edit: (records: TokenRecord[]) => { records: TokenRecord[]; result: T }) => Promise<T>
}

const FILE = z.object({
  tokens: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      role: z.enum(RECORD_ROLES),
      studies: z.union([z.literal('all'), z.array(z.string())]),
      createdAt: z.string(),
      expiresAt: z.string().nullable(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      issuer: z.string().optional(),
      link: Link.optional(),
      project: z.string().optional(),
    }),
  ),
})

/** Content that the checksum of tokens.json covers; earlier versions wrote no checksum. */
const SUBJECT = 'tokens'

/** Throttle for checking the file on disk. */
const CHECK_EVERY_MS = 400
const LOCK_WAIT_MS = 5000

/** Opens tokens.json. @param forget called with the id of each removed token */
export function openTokenFile(dataDir: string, forget: (id: string) => Promise<void>): TokenFile {
  const path = join(dataDir, 'tokens.json')
  let known = { version: '', byHash: new Map<string, TokenRecord>() }
  let checkedMs: () => number = () => Number.POSITIVE_INFINITY
  let checking: Promise<void> | null = null

  async function reread(): Promise<void> {
    const sinceMs = stopwatch()
    const version = await fileVersion(path)
    if (version !== known.version) {
      const records = await readTokens(path)
      known = { version, byHash: new Map(records.map((record) => [record.sha256, record])) }
    }
    checkedMs = sinceMs
  }

  return {
    read: () => readTokens(path),
    byHash: async () => {
      if (checkedMs() >= CHECK_EVERY_MS) {
        checking ??= reread().finally(() => {
          checking = null
        })
        await checking
      }
      return known.byHash
    },
    change: async (edit) => {
      await makeDirectory(dataDir)
      return withLock(`${path}.lock`, async () => {
        const before = await readTokens(path)
        const { records, result } = edit(before)
        if (records !== before) await replaceTokens(path, records)
        const stay = new Set(records.map(({ id }) => id))
        for (const gone of before.filter(({ id }) => !stay.has(id))) await forget(gone.id)
        checkedMs = () => Number.POSITIVE_INFINITY
        return result
      })
    },
  }
}

/** Returns a fingerprint that changes whenever the file is replaced; '' without a file. */
async function fileVersion(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return `${ino}-${size}-${mtimeNs}-${ctimeNs}`
  } catch (error) {
    if (isCode(error, 'ENOENT')) return ''
    throw error
  }
}

async function readTokens(path: string): Promise<TokenRecord[]> {
  try {
    const file = await readSealed(path, SUBJECT, (content) => Object.keys(content).join() === 'tokens')
    return file === null ? [] : FILE.parse(file).tokens
  } catch (cause) {
    if (isShortage(cause)) throw cause
    throw new ServiceError('corrupt', 'tokens.json is damaged: restore it, or delete it and create new tokens', {
      cause,
    })
  }
}

/** Rewrites tokens.json, atomically and readable only by its owner. @throws ServiceError disk_full */
async function replaceTokens(path: string, tokens: TokenRecord[]): Promise<void> {
  try {
    await replaceDurably(path, seal({ tokens }, SUBJECT), 0o600)
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause
    throw new ServiceError('disk_full', 'the disk is full: tokens.json was not written', { cause })
  }
}

/** Runs `work` under the lock, after removing what killed processes left behind. */
async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = await takeLockWithin(path, LOCK_WAIT_MS)
  if (lock === null) throw new ServiceError('busy', 'another process is changing tokens.json: try again')
  try {
    const isLeftover = /^tokens\.json\.[0-9a-f]{12}\.tmp$/
    for (const name of (await readdir(dirname(path))).filter((name) => isLeftover.test(name))) {
      await rm(join(dirname(path), name), { force: true })
    }
    return await work()
  } finally {
    await lock.release()
  }
}
