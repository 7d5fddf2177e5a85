import { randomUUID } from 'node:crypto'
import type { RequestHandler, Response } from 'express'
import type { Logger } from 'pino'

/**
 * Gives every request an id, which is in its answer and in the log, and logs a line when its answer has ended: as pino's own
 * middleware names things, but without two loggers a request. It has no header and no query, so no secret.
 */
export function logRequests(log: Logger): RequestHandler {
  return (req, res, next) => {
    const requestId = randomUUID()
    const startedMs = performance.now()
    // A connection that was broken off does not know any more.
    const from = req.socket.remoteAddress
    res.locals.requestId = requestId
    res.setHeader('X-Request-Id', requestId)
    res.once('close', () => {
      const { statusCode, writableFinished } = res
      const line = {
        requestId,
        req: { method: req.method, path: pathOf(req.originalUrl), from },
        res: { statusCode },
        // Milliseconds, under the name that readers of pino's lines know.
        responseTime: Math.round(performance.now() - startedMs),
      }
      const message = writableFinished ? 'request completed' : 'request aborted'
      if (statusCode >= 500) log.warn(line, message)
      else log.info(line, message)
    })
    next()
  }
}

export function requestIdOf(res: Response): string {
  return String(res.locals.requestId)
}

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
