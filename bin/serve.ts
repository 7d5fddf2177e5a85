import type { Config } from '../engine/config.ts'
import { openTokens } from '../engine/store/tokens.ts'
import { VERSION } from '../engine/version.ts'
import { startServer } from '../server/listen.ts'
import { needQueueUrl, openHouse, untilStopped } from './house.ts'

/** `gazette serve`: HTTP, until it is stopped. */
export async function serve(config: Config): Promise<void> {
  needQueueUrl(config, 'serve')
  const stopped = untilStopped()
  const house = await openHouse(config)
  try {
    const server = await startServer({ ...house, version: VERSION, tokens: openTokens(config.dataDir) })
    console.log(`listening on ${server.url}`)
    await stopped
    await server.close(config.shutdownGraceMs)
  } finally {
    await house.close()
  }
}
