import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip, type InputType, type ZlibOptions } from 'node:zlib'
import type { Request, Response } from 'express'
import type { ChartRun } from '../../engine/analysis/charts/answer-chart.ts'
import type { EnginePool } from '../../engine/run/pool/pool.ts'
import { tokenOf } from '../access/authorize.ts'
import { namesTag } from '../exports/send-file.ts'
import { acceptsGzip } from '../http/fixed-answer.ts'
import { leaving } from '../http/leaving.ts'
import { createFairSemaphore } from '../http/waiting/fair-semaphore.ts'
import { shareWork } from '../http/waiting/shared-work.ts'

/** Format of a computed answer, made from its JSON. Each format of one key has an entity tag of its own. */
export type SentFormat = {
  name: string
  contentType: string
  /** File name for saving. */
  fileName?: string
  print: (json: string) => string | Promise<Buffer>
}

/**
 * Answers with the result of `compute`, from the cache or computed in the token's turn, as JSON or in the given format.
 * Texts are compressed if the client accepts that.
 */
export type SendComputed = (
  req: Request,
  res: Response,
  key: string,
  compute: (run: ChartRun) => Promise<unknown>,
  format?: SentFormat,
) => Promise<void>

const QUEUE_MAX = 64
const CACHED_CHARACTERS_MAX = 8 * 2 ** 20

/** Shorter answers fit in one packet of a network anyway. */
const COMPRESSED_LENGTH_MIN = 1200
const FAST = { level: 1 }
const compress = promisify<InputType, ZlibOptions, Buffer>(gzip)

/** Creates the cache and the fair queue for charts, previews and methods. */
export function sendingComputed(pool: EnginePool): SendComputed {
  const semaphore = createFairSemaphore({ slots: pool.threads + 1, waitingMax: QUEUE_MAX })
  const work = shareWork<string>({ semaphore, sizeOf: (text) => text.length, cachedEachMax: CACHED_CHARACTERS_MAX })
  return async (req, res, key, compute, format) => {
    const takesGzip = acceptsGzip(req)
    const tagged = [key, ...(format ? [format.name] : []), ...(takesGzip ? ['gzip'] : [])].join(' ')
    const tag = `"${createHash('sha256').update(tagged).digest('base64url').slice(0, 22)}"`
    res.setHeader('Cache-Control', 'private, no-cache')
    res.vary('Accept-Encoding')
    res.setHeader('ETag', tag)
    if (namesTag(req, tag)) return void res.status(304).end()
    const { value, release } = await work.ask({
      keys: [key],
      owner: tokenOf(res).id,
      signal: leaving(res),
      compute: async (signal) => JSON.stringify(await compute({ pool, signal })),
    })
    res.once('close', release)
    if (res.closed) return release()
    const body = format ? await format.print(value) : value
    res.setHeader('Content-Type', format?.contentType ?? 'application/json; charset=utf-8')
    if (format?.fileName) res.setHeader('Content-Disposition', `attachment; filename="${format.fileName}"`)
    if (!takesGzip || typeof body !== 'string' || body.length < COMPRESSED_LENGTH_MIN) return void res.send(body)
    const compressed = await compress(body, FAST)
    res.setHeader('Content-Encoding', 'gzip')
    res.send(compressed)
  }
}
