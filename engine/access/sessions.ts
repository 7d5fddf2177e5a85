import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createDurably, isCode } from '../files/durable.ts'

/**
 * Browser sessions: who signed in with which token. Each is a small file named after the SHA-256 of its secret, so that
 * every process on a data directory knows it, a restart ends none, and a reader of the disk can use none.
 */
export type Sessions = {
  /** Begins one. The secret is for the cookie; it is known nowhere else. */
  begin: (tokenId: string, now: Date) => Promise<{ secret: string; expiresAt: Date }>
  /** The id of the token that the session was begun with; null for malformed, unknown, ended and expired ones. */
  find: (secret: string, now: Date) => Promise<string | null>
  end: (secret: string) => Promise<void>
  /** A code that signs in once, within CODE_MINUTES. */
  createCode: (tokenId: string, now: Date) => Promise<string>
  /** The id of the code's token, for the first who asks; null for everybody else. */
  redeem: (code: string, now: Date) => Promise<string | null>
}

export const SESSION_HOURS = 12
export const CODE_MINUTES = 30
const SECRET = /^[A-Za-z0-9_-]{43}$/

type Kind = 'session' | 'code'

/** Opens the sessions of a data directory. @param dataDir absolute */
export function openSessions(dataDir: string): Sessions {
  const directory = join(dataDir, 'sessions')
  const pathOf = (kind: Kind, secret: string) =>
    join(directory, `${kind}-${createHash('sha256').update(secret).digest('hex')}.json`)

  async function create(kind: Kind, tokenId: string, expiresAt: Date): Promise<string> {
    const secret = randomBytes(32).toString('base64url')
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await createDurably(pathOf(kind, secret), JSON.stringify({ tokenId, expiresAt: expiresAt.toISOString() }))
    return secret
  }

  return {
    begin: async (tokenId, now) => {
      await sweep(directory, now)
      const expiresAt = new Date(now.getTime() + SESSION_HOURS * 3_600_000)
      return { secret: await create('session', tokenId, expiresAt), expiresAt }
    },
    find: async (secret, now) => (SECRET.test(secret) ? readUnexpired(pathOf('session', secret), now) : null),
    end: async (secret) => {
      if (SECRET.test(secret)) await rm(pathOf('session', secret), { force: true })
    },
    createCode: (tokenId, now) => create('code', tokenId, new Date(now.getTime() + CODE_MINUTES * 60_000)),
    redeem: async (code, now) => {
      if (!SECRET.test(code)) return null
      const path = pathOf('code', code)
      const tokenId = await readUnexpired(path, now)
      try {
        // Two may have read it; only one can remove it.
        await unlink(path)
        return tokenId
      } catch (error) {
        if (isCode(error, 'ENOENT')) return null
        throw error
      }
    },
  }
}

async function readUnexpired(path: string, now: Date): Promise<string | null> {
  try {
    const { tokenId, expiresAt } = JSON.parse(await readFile(path, 'utf8')) as { tokenId: string; expiresAt: string }
    return Date.parse(expiresAt) > now.getTime() ? tokenId : null
  } catch (error) {
    // A damaged one is not accepted, and is removed with those that have expired.
    if (error instanceof SyntaxError || isCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

/** Removes expired sessions and codes, whenever a session is made. */
async function sweep(directory: string, now: Date): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names.filter((each) => each.endsWith('.json'))) {
    const path = join(directory, name)
    if ((await readUnexpired(path, now)) === null) await rm(path, { force: true })
  }
}
