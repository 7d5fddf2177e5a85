import { randomBytes } from 'node:crypto'
import { appendFile, open } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode, nullIfAbsent } from '../model/system-errors.ts'
import { makeDirectory } from '../storage/files/durable.ts'

/** Amounts that a token has created so far. */
export type Usage = { studies: number; participants: number; bytes: number }

export type Usages = {
  of: (tokenId: string) => Promise<Usage>
  /**
   * Counts what is about to be created, before it is, so that concurrent requests cannot exceed a limit together.
   *
   * @returns all that was counted up to and with it, and a function that takes it back
   */
  reserve: (tokenId: string, created: Partial<Usage>) => Promise<{ sum: Usage; takeBack: () => Promise<void> }>
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
    // Skip bytes that a concurrent call has already counted.
    const { offset } = usage
    const text = await textFrom(pathOf(tokenId), offset)
    if (usage.offset !== offset) return usage
    for (const line of linesOf(text)) addLine(usage, line)
    usage.offset += Buffer.byteLength(text)
    return usage
  }

  async function append(tokenId: string, line: string): Promise<void> {
    try {
      await appendFile(pathOf(tokenId), line)
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error
      await makeDirectory(folder, 0o700)
      await appendFile(pathOf(tokenId), line)
    }
  }

  return {
    of,
    reserve: async (tokenId, { studies = 0, participants = 0, bytes = 0 }) => {
      const { offset, ...sum } = { offset: 0, ...(await of(tokenId)) }
      const own = `${studies} ${participants} ${bytes} ${randomBytes(6).toString('hex')}`
      await append(tokenId, `${own}\n`)
      // The order of the lines is the order in which requests are served, in all processes.
      for (const line of linesOf(await textFrom(pathOf(tokenId), offset))) {
        addLine(sum, line)
        if (line === own) break
      }
      return { sum, takeBack: () => append(tokenId, `${-studies} ${-participants} ${-bytes}\n`) }
    },
  }
}

/** Reads the whole lines of a file from an offset on; none if it does not exist. */
async function textFrom(path: string, offset: number): Promise<string> {
  const file = await open(path, 'r').catch(nullIfAbsent)
  try {
    const size = (await file?.stat())?.size ?? 0
    const bytes = Buffer.alloc(Math.max(0, size - offset))
    await file?.read(bytes, 0, bytes.length, offset)
    return bytes.toString('utf8', 0, bytes.lastIndexOf(10) + 1)
  } finally {
    await file?.close()
  }
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

/** Adds a line: its studies, participants and bytes, and maybe a name, by which it is found again. */
function addLine(usage: Usage, line: string): void {
  const [studies, participants, bytes] = line.split(' ').map(Number)
  usage.studies += studies
  usage.participants += participants
  usage.bytes += bytes
}
