import { randomUUID } from 'node:crypto'
import type { RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import type { Audited, AuditLog } from '../../engine/access/audit-log.ts'
import { FILE_SECRET } from '../../engine/access/link.ts'

/**
 * Gives every request an id, which is in its answer and in the log, and logs one line when the answer has ended. Fields
 * are named as by pino's own middleware, which would need two loggers for each request. A line names the token by its
 * id and the data that was sent. It has no headers and no query, so it has no secrets. Access to data of a study also
 * goes to the audit log.
 */
export function logRequests(log: Logger, audit: AuditLog): RequestHandler {
  return (req, res, next) => {
    const requestId = randomUUID()
    const startedMs = performance.now()
    // A closed connection no longer knows its address.
    const from = req.socket.remoteAddress
    const client = req.headers['x-forwarded-for'] === undefined ? from : req.ip
    res.locals.requestId = requestId
    res.setHeader('X-Request-Id', requestId)
    res.once('close', () => {
      const { statusCode, writableFinished, locals } = res
      const sent: SentData | undefined = req.method === 'HEAD' || statusCode >= 400 ? undefined : locals.sent
      const line = {
        requestId,
        req: { method: req.method, path: pathOf(req.originalUrl), from, ...(client === from ? {} : { client }) },
        ...(locals.token ? { token: locals.token.id } : {}),
        res: { statusCode },
        ...(sent ? { sent } : {}),
        // Milliseconds, with the field name of pino's middleware.
        responseTime: Math.round(performance.now() - startedMs),
      }
      const message = writableFinished ? 'request completed' : 'request aborted'
      if (statusCode >= 500) log.warn(line, message)
      else log.info(line, message)
      if (sent === undefined) return
      const { study, export: exportName, job, bytes } = sent
      const event = job !== undefined && bytes !== undefined ? 'download' : 'export'
      const what = { event, study, export: exportName, job, bytes, complete: writableFinished, requestId } as const
      audit.write({ ...what, by: { token: locals.token.id } }, new Date())
    })
    next()
  }
}

/**
 * Facts about the data in an answer, for the logs. `bytes` is the length of its body, absent for a promised job; an
 * aborted request may have sent fewer.
 */
type SentData = { study: string; export: string; plan: string; job?: string; bytes?: number }

export function noteSent(res: Response, sent: SentData): void {
  res.locals.sent = sent
}

/** Records an action of the request's token in the audit log. */
export function noteDeed(audit: AuditLog, res: Response, deed: Omit<Audited, 'by' | 'requestId'>): void {
  audit.write({ ...deed, by: { token: res.locals.token.id }, requestId: requestIdOf(res) }, new Date())
}

export function requestIdOf(res: Response): string {
  return String(res.locals.requestId)
}

/** Secrets of links to exports, wherever they are in a path, also where one of both is mistyped. */
const FILE_SECRETS = new RegExp(`(?<=/shared/)[^/]+|${FILE_SECRET}[^/]*`, 'gi')

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return (end < 0 ? url : url.slice(0, end)).replace(FILE_SECRETS, '…')
}
