import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Response } from 'express'
import { ProblemError, sendProblem } from '../problems.ts'

/**
 * Timeout of a body. Node's own timeout is the same for all requests, and would cut off honest clients with a slow
 * line.
 */
type BodyTimes = {
  withinMs: number
  /** Minimum rate of a body that may take longer. */
  bytesPerSecond: number
}

/** Timeout of such bodies. */
const patience = new WeakMap<IncomingMessage, number>()

/**
 * Extends the timeout of a request's body while bytes keep arriving, for tokens that may send one and paths that limit
 * its size.
 */
export function waitForBody(req: IncomingMessage, mostMs: number): void {
  patience.set(req, mostMs)
}

/**
 * Returns a listener that answers requests whose bodies come too slowly with a problem, and closes their connections.
 */
export function boundBodies(listener: RequestListener, times: BodyTimes): RequestListener {
  return (req, res) => {
    if (req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0)
      watch(req, res, times)
    listener(req, res)
  }
}

/** Bytes that may arrive together with the headers. */
const FIRST_MAX_BYTES = 64 * 1024

function watch(req: IncomingMessage, res: ServerResponse, { withinMs, bytesPerSecond }: BodyTimes): void {
  const { socket } = req
  const [startMs, startBytes] = [performance.now(), Math.max(0, socket.bytesRead - FIRST_MAX_BYTES)]
  const look = () => {
    const earnedMs = ((socket.bytesRead - startBytes) / bytesPerSecond) * 1000
    const mostMs = Math.max(withinMs, Math.min(patience.get(req) ?? 0, withinMs + earnedMs))
    const leftMs = startMs + mostMs - performance.now()
    if (leftMs > 0) timer = setTimeout(look, Math.max(leftMs, withinMs / 10))
    else giveUp(req, res)
  }
  let timer = setTimeout(look, withinMs)
  req.once('close', () => clearTimeout(timer))
}

function giveUp(req: IncomingMessage, res: ServerResponse): void {
  const { locals } = res as Response
  // A request that waits for its turn, or is already answered.
  if (locals === undefined || res.headersSent) return void req.socket.destroy()
  sendProblem(req as never, res as Response, new ProblemError('request_timeout', { headers: { Connection: 'close' } }))
}
