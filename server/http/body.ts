import express, { type Request, type RequestHandler, type Response } from 'express'
import { ServiceError } from '../../engine/model/errors.ts'
import { invalidBody, ProblemError } from './problems.ts'

/**
 * Reads a body whole, unpacked if it is gzipped, and stops at the limit, however little came over the wire.
 *
 * @param types that the path takes
 * @throws ProblemError unsupported_type, body_too_large, bad_request for a broken or half-sent one
 */
export async function readBody(req: Request, res: Response, types: string[], maxBytes: number): Promise<Buffer> {
  const encoding = req.get('content-encoding')?.toLowerCase() ?? 'identity'
  if (!types.includes(contentType(req)) || !['identity', 'gzip'].includes(encoding))
    throw new ProblemError('unsupported_type', { detail: `This path takes ${types.join(', ')}, plain or gzipped.` })
  const read = express.raw({ type: () => true, limit: maxBytes })
  await new Promise<void>((resolve, reject) => {
    read(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(bodyProblem(error, maxBytes))))
  })
  // Without a body, the reader leaves none.
  return Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0)
}

/** Returns the media type of a body, without its parameters. */
export function contentType(req: Request): string {
  return (req.get('content-type') ?? '').split(';')[0].trim().toLowerCase()
}

function bodyProblem(cause: unknown, maxBytes: number): ProblemError {
  const { status } = cause as { status?: number }
  // The rest is not read, so that the connection is of no more use.
  const headers = { Connection: 'close' }
  if (status === 413)
    return new ProblemError('body_too_large', {
      detail: `The body has more than ${maxBytes} bytes, unpacked.`,
      headers,
      cause,
    })
  if (status === 415) return new ProblemError('unsupported_type', { cause })
  return new ProblemError('bad_request', { detail: 'The body is broken, or did not come whole.', headers, cause })
}

/** Answers what is wrong with the data of a body as its problem, with all places of it. */
export function checkingBody(handler: (req: Request, res: Response) => Promise<void>): RequestHandler {
  return async (req, res) => {
    try {
      await handler(req, res)
    } catch (error) {
      throw error instanceof ServiceError && error.code === 'invalid_bundle' ? invalidBody(error) : error
    }
  }
}

const SMALL_MAX_BYTES = 64 * 1024

/** Refuses bodies where nothing reads one: a small one is not worth an error, a large one not worth reading. */
export const refuseBodies: RequestHandler = (req, _res, next) => {
  const isRead =
    ['POST', 'PUT', 'PATCH'].includes(req.method) && /^\/api2\/(studies|uploads|imports)(\/|$|\?)/.test(req.url)
  if (!isRead && Number(req.get('content-length') ?? 0) > SMALL_MAX_BYTES)
    throw new ProblemError('body_too_large', { headers: { Connection: 'close' } })
  next()
}
