import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openSessions } from '../../engine/access/sessions.ts'
import { openTokens } from '../../engine/access/tokens.ts'
import type { Config } from '../../engine/model/settings.ts'
import { isDiskFull } from '../../engine/model/system-errors.ts'
import { replaceDurably } from '../../engine/storage/files/durable.ts'
import { audit } from './audit.ts'

const NAME = 'gazette start'
export const TOKEN_DAYS = 7

/** The token of one `gazette start`: valid until it stops, and written to no log. */
export type StartToken = {
  /** File with the token as a header for curl, readable only by the service's user. */
  path: string
  /** Address that signs in to the dashboard once. */
  code: string
  /** Revokes the token and deletes the file. */
  end: () => Promise<void>
}

/** Returns the path of the file with the token of `gazette start`. */
function startTokenPath(dataDir: string): string {
  return join(dataDir, 'start-token')
}

/** Creates the token and its file. @returns null if the disk is full */
export async function makeStartToken({ dataDir, queueUrl }: Config, now: Date): Promise<StartToken | null> {
  const tokens = openTokens(dataDir)
  const path = startTokenPath(dataDir)
  const revoke = async (id: string) => {
    await tokens.revoke(id)
    await audit(dataDir, { event: 'token revoked', token: id })
  }
  try {
    // With the embedded queue, only one process uses the data directory, so a leftover token belongs to a killed one.
    if (queueUrl === '') for (const { id, name } of await tokens.list()) if (name === NAME) await revoke(id)
    const expiresAt = new Date(now.getTime() + TOKEN_DAYS * 86_400_000).toISOString()
    const { id, token } = await tokens.create({ name: NAME, role: 'ops', studies: 'all', expiresAt, now })
    await audit(dataDir, { event: 'token made', token: id })
    const header = `X-AUTH-TOKEN: ${token}\n`
    await replaceDurably(path, header, 0o600)
    return {
      path,
      code: await openSessions(dataDir).createCode(id, now),
      end: async () => {
        // With QUEUE_URL, several processes may run here; the file then has the token of the last one to start.
        if ((await readFile(path, 'utf8').catch(() => '')) === header) await rm(path, { force: true })
        await revoke(id)
      },
    }
  } catch (error) {
    if (!isDiskFull(error)) throw error
    return null
  }
}
