import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Request, Response } from 'express'

const compress = promisify(gzip)

/** A handler of Express and of the table of routes. */
export type FixedAnswer = (req: Request, res: Response) => Promise<void>

/**
 * Returns a handler with the same answer for everybody. It makes the answer once, when a client first asks for it, and
 * compresses it once, when a client first accepts gzip.
 */
export function fixedAnswer(headers: Record<string, string>, body: string | Buffer | (() => string)): FixedAnswer {
  let made: Buffer | null = null
  let zipped: Promise<Buffer> | null = null
  return async (req, res) => {
    made ??= Buffer.from(typeof body === 'function' ? body() : body)
    const plain = made
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    res.setHeader('Vary', 'Accept-Encoding')
    if (!acceptsGzip(req)) return sendWhole(req, res, plain)
    zipped ??= compress(plain)
    res.setHeader('Content-Encoding', 'gzip')
    sendWhole(req, res, await zipped)
  }
}

/** Returns whether a client accepts gzip and does not prefer plain. */
export function acceptsGzip(req: Request): boolean {
  const coding = req.acceptsEncodings('gzip', 'x-gzip', 'identity')
  return coding === 'gzip' || coding === 'x-gzip'
}

function sendWhole(req: Request, res: Response, body: Buffer): void {
  res.setHeader('Content-Length', String(body.byteLength))
  res.end(req.method === 'HEAD' ? undefined : body)
}
