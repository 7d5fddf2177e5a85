import { createHash, randomBytes } from 'node:crypto'
import { access, readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode, nullIfGone } from '../model/system-errors.ts'
import { createDurably, makeDirectory } from '../storage/files/durable.ts'

/**
 * Browser sessions. Each is an empty file in a folder of its token, named after its expiry and the SHA-256 of its
 * secret. So all processes on a data directory share sessions, they survive restarts, a reader of the disk cannot use
 * them, and no file must be read to find or delete one.
 */
export type Sessions = {
  /**
   * Starts a session; if the token already has SESSIONS_PER_TOKEN, its oldest session ends. The secret is for the
   * cookie and stored nowhere.
   */
  begin: (tokenId: string, now: Date) => Promise<{ secret: string; expiresAt: Date }>
  /** Returns the id of the token that started the session; null for malformed, unknown, ended and expired sessions. */
  find: (secret: string, now: Date) => Promise<string | null>
  end: (secret: string) => Promise<void>
  /** Creates a code that signs in once, within CODE_MINUTES. */
  createCode: (tokenId: string, now: Date) => Promise<string>
  /** Returns the id of the code's token, to the first caller; null to all others. */
  redeem: (code: string, now: Date) => Promise<string | null>
  /** Records that a sign-in at a provider was used; false if any process used it before. @param until its expiry */
  useSignIn: (secret: string, until: Date) => Promise<boolean>
}

export const SESSION_HOURS = 12
export const CODE_MINUTES = 30
export const SESSIONS_PER_TOKEN = 1000
const TRIES_MAX = 3
const SWEEP_EVERY_MS = 3_600_000

type Kind = 'session' | 'code'
/** Prefix of a secret: the token's id and the expiry, in ms and base 36; random characters follow. */
const SECRET = /^([\w-]{1,64})\.([0-9a-z]{8})\.[\w-]{43}$/
const FILE = /^(session|code)-([0-9a-z]{8})-[0-9a-f]{64}/

export function sessionsDirectory(dataDir: string): string {
  return join(dataDir, 'sessions')
}

/** Returns whether a file name is that of a session or a code. */
export function isSessionFile(name: string): boolean {
  return FILE.test(name)
}

/** Folder of used sign-ins at a provider, with names like those of codes; no token has this id. */
const SIGN_INS = 'sign-ins'

/** Opens the sessions of a data directory. @param dataDir absolute */
export function openSessions(dataDir: string): Sessions {
  const directory = sessionsDirectory(dataDir)
  let sweptMs = Number.NEGATIVE_INFINITY

  /** Deletes expired sessions of all tokens, at most once an hour, in the background. */
  function sweep(now: Date): void {
    // To either side, since a clock may be set back.
    if (Math.abs(now.getTime() - sweptMs) < SWEEP_EVERY_MS) return
    sweptMs = now.getTime()
    void sweepAll(directory, now).catch(() => undefined)
  }

  return {
    begin: async (tokenId, now) => {
      sweep(now)
      await clear(join(directory, tokenId), now, SESSIONS_PER_TOKEN - 1)
      const lastsMs = SESSION_HOURS * 3_600_000
      return {
        secret: await create(directory, 'session', tokenId, now, lastsMs),
        expiresAt: new Date(now.getTime() + lastsMs),
      }
    },
    find: async (secret, now) => {
      const place = locate(directory, 'session', secret, now)
      return place === null ? null : access(place.path).then(() => place.tokenId, nullIfGone)
    },
    end: async (secret) => {
      const place = locate(directory, 'session', secret, new Date(0))
      if (place !== null) await rm(place.path, { force: true })
    },
    useSignIn: async (secret, until) => {
      const hash = createHash('sha256').update(secret).digest('hex')
      await makeDirectory(join(directory, SIGN_INS), 0o700)
      return createDurably(join(directory, SIGN_INS, `code-${until.getTime().toString(36)}-${hash}`), '')
    },
    createCode: (tokenId, now) => create(directory, 'code', tokenId, now, CODE_MINUTES * 60_000),
    redeem: async (code, now) => {
      const place = locate(directory, 'code', code, now)
      // Two requests may come at once; only one of them can remove it.
      return place === null ? null : unlink(place.path).then(() => place.tokenId, nullIfGone)
    },
  }
}

/** Returns the file and the token of a secret; null if the secret is malformed or expired. */
function locate(directory: string, kind: Kind, secret: string, now: Date): { path: string; tokenId: string } | null {
  const [, tokenId, end] = SECRET.exec(secret) ?? []
  if (tokenId === undefined || Number.parseInt(end, 36) <= now.getTime()) return null
  const hash = createHash('sha256').update(secret).digest('hex')
  return { path: join(directory, tokenId, `${kind}-${end}-${hash}`), tokenId }
}

/** Creates a session or a code, and returns its secret. */
async function create(directory: string, kind: Kind, tokenId: string, now: Date, lastsMs: number): Promise<string> {
  const end = (now.getTime() + lastsMs).toString(36)
  const secret = `${tokenId}.${end}.${randomBytes(32).toString('base64url')}`
  const place = locate(directory, kind, secret, now)
  if (place === null) throw new Error(`no session can be made for the token ${tokenId}`)
  for (let tries = 1; ; tries++)
    try {
      await makeDirectory(join(directory, tokenId), 0o700)
      await createDurably(place.path, '')
      return secret
    } catch (error) {
      // A sweep may have removed the empty folder in between.
      if (!isCode(error, 'ENOENT') || tries === TRIES_MAX) throw error
    }
}

/** Removes expired entries from a token's folder and, of its sessions, all but those that expire last. */
async function clear(folder: string, now: Date, sessionsMax: number): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => FILE.test(name))
  const endOf = (name: string) => Number.parseInt(FILE.exec(name)![2], 36)
  const over = names.filter((name) => endOf(name) <= now.getTime())
  const sessions = names.filter((name) => name.startsWith('session') && endOf(name) > now.getTime())
  const tooMany = sessions.sort((a, b) => endOf(b) - endOf(a)).slice(sessionsMax)
  for (const name of [...over, ...tooMany]) await rm(join(folder, name), { force: true })
}

async function sweepAll(directory: string, now: Date): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) {
      await clear(path, now, Number.POSITIVE_INFINITY)
      // Removes the folder only if it is empty.
      await rmdir(path).catch(() => undefined)
    } else await rm(path, { force: true })
  }
}
