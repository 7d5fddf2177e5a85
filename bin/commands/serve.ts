import { openTokens } from '../../engine/access/tokens.ts'
import type { Config } from '../../engine/model/settings.ts'
import { VERSION } from '../../engine/model/version.ts'
import { closing } from '../../engine/storage/concurrency/closing.ts'
import { startServer } from '../../server/listen.ts'

import { needOpenFiles } from '../runtime/open-files.ts'
import { needPublicUrl, needQueueUrl, openServices } from '../runtime/open-parts.ts'
import { endAfterGrace } from '../terminal/end-process.ts'
import { PROGRAM } from '../terminal/program-name.ts'
import { untilStopped } from '../terminal/until-stopped.ts'

/** Runs `gazette serve`: an HTTP server, until it is stopped. */
export async function serve(config: Config): Promise<void> {
  needQueueUrl(config, 'serve')
  needPublicUrl(config)
  needOpenFiles()
  const stopped = untilStopped(config)
  await closing(await openServices(config), async (services) => {
    const server = await startServer({
      ...services,
      version: VERSION,
      program: PROGRAM,
      tokens: openTokens(config.dataDir),
    })
    console.log(`listening on ${server.url}`)
    await stopped
    endAfterGrace(config.shutdownGraceMs)
    await server.close(config.shutdownGraceMs)
  })
}
