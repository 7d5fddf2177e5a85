import { appendFile, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode } from '../storage/files/durable.ts'

/** Amounts that a token has created so far. */
export type Usage = { studies: number; participants: number; bytes: number }

export type Usages = {
  of: (tokenId: string) => Promise<Usage>
  add: (tokenId: string, created: Partial<Usage>) => Promise<void>
}

/**
 * Opens the counters of what tokens have created: one file for each token, to which all processes append. So processes
 * share the counts, and a restart loses none.
 *
 * @param dataDir absolute
 */
export function openUsages(dataDir: string): Usages {
  const folder = join(dataDir, 'usage')
  const known = new Map<string, Usage & { offset: number }>()
  const pathOf = (tokenId: string) => join(folder, tokenId)

  async function of(tokenId: string): Promise<Usage> {
    const usage = known.get(tokenId) ?? { studies: 0, participants: 0, bytes: 0, offset: 0 }
    known.set(tokenId, usage)
    const file = await open(pathOf(tokenId), 'r').catch((error: unknown) => {
      if (isCode(error, 'ENOENT')) return null
      throw error
    })
    try {
      const size = (await file?.stat())?.size ?? 0
      // Skip bytes that a concurrent call has already counted.
      const { offset } = usage
      const bytes = Buffer.alloc(Math.max(0, size - offset))
      await file?.read(bytes, 0, bytes.length, offset)
      const end = bytes.lastIndexOf(10) + 1
      if (usage.offset !== offset) return usage
      for (const line of bytes.toString('utf8', 0, end).split('\n')) {
        const [studies, participants, size] = line.split(' ').map(Number)
        if (line === '') continue
        usage.studies += studies
        usage.participants += participants
        usage.bytes += size
      }
      usage.offset += end
    } finally {
      await file?.close()
    }
    return usage
  }

  return {
    of,
    add: async (tokenId, { studies = 0, participants = 0, bytes = 0 }) => {
      const line = `${studies} ${participants} ${bytes}\n`
      try {
        await appendFile(pathOf(tokenId), line)
      } catch (error) {
        if (!isCode(error, 'ENOENT')) throw error
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await appendFile(pathOf(tokenId), line)
      }
    },
  }
}
