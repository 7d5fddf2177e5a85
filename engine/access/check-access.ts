import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../model/errors.ts'
import type { FileFault } from '../storage/files/file-fault.ts'
import { namesIn } from '../storage/files/optional-files.ts'
import { isSessionFile, sessionsDirectory } from './sessions.ts'
import { openTokens } from './tokens.ts'

/**
 * Verifies tokens.json by its checksum, and the files of sessions, which must be empty.
 *
 * @returns number of checked files
 */
export async function checkAccess(dataDir: string, tell: (fault: FileFault) => Promise<void>): Promise<number> {
  await openTokens(dataDir)
    .list()
    .catch(async (error) => {
      if (!(error instanceof ServiceError) || error.code !== 'corrupt') throw error
      await tell({ sentence: `${error.message}.`, mend: null })
    })
  let files = 1
  const directory = sessionsDirectory(dataDir)
  for (const tokenId of await namesIn(directory)) {
    for (const name of await namesIn(join(directory, tokenId))) {
      files++
      const path = join(directory, tokenId, name)
      const size = await stat(path).then(
        ({ size }) => size,
        () => 0,
      )
      if (isSessionFile(name) && size === 0) continue
      const mend = () => rm(path, { force: true }).then(() => 'It is removed: who was signed in by it signs in again.')
      await tell({ sentence: `sessions/${tokenId}/${name} is not what was written.`, mend })
    }
  }
  return files
}
