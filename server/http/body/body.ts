import { setTimeout as sleep } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import type { Request, RequestHandler, Response } from 'express'
import { ServiceError } from '../../../engine/model/errors.ts'
import { invalidBody, ProblemError } from '../problems.ts'
import type { BodyPlace } from './body-room.ts'
import { waitForBody } from './body-time.ts'

/**
 * Reads a whole body, and decompresses it if it is gzipped. Stops at the limit, before or after decompression. Call it
 * in a handler of `checkingBody`.
 *
 * @param types media types that the path accepts
 * @param place receives the bytes, and is released when the handler has ended
 * @returns a view of memory of the place
 * @throws ProblemError unsupported_type, body_too_large, overloaded, bad_request for a malformed or incomplete body
 */
export async function readBody(
  req: Request,
  res: Response,
  { types, maxBytes, place }: { types: readonly string[]; maxBytes: number; place: BodyPlace },
): Promise<Buffer> {
  const { isPacked, length } = announced(req, types, maxBytes)
  waitForBody(req, SLOW_MAX_MS)
  places.set(res, place)
  // Joining a large body at the end would block the event loop.
  let body = place.take(length)
  let size = 0
  for await (const piece of piecesOf(req, isPacked)) {
    if (size + piece.length > maxBytes) throw tooLarge(maxBytes)
    const waitMs = place.grow(piece.length)
    if (waitMs > 0) await sleep(waitMs)
    if (size + piece.length > body.length) {
      const larger = place.take(Math.min(maxBytes, Math.max(2 * body.length, size + piece.length)))
      body.copy(larger, 0, 0, size)
      body = larger
    }
    size += piece.copy(body, size)
  }
  return body.subarray(0, size)
}

/**
 * Streams a body that is too large for memory, decompresses it if it is gzipped, and stops at the limit.
 *
 * @throws ProblemError unsupported_type, body_too_large, bad_request for a malformed or incomplete body
 */
export async function* streamBody(
  req: Request,
  { types, maxBytes }: { types: readonly string[]; maxBytes: number },
): AsyncGenerator<Buffer> {
  const { isPacked } = announced(req, types, maxBytes)
  waitForBody(req, STREAM_MAX_MS)
  let size = 0
  for await (const piece of piecesOf(req, isPacked)) {
    size += piece.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    yield piece
  }
}

/**
 * Returns the media type, encoding and length of a body from its headers.
 *
 * @throws ProblemError unsupported_type, body_too_large
 */
function announced(req: Request, types: readonly string[], maxBytes: number): { isPacked: boolean; length: number } {
  const encoding = req.get('content-encoding')?.toLowerCase() ?? 'identity'
  if (!types.includes(contentType(req)) || !['identity', 'gzip'].includes(encoding))
    throw new ProblemError('unsupported_type', { detail: `This path accepts ${types.join(', ')}, plain or gzipped.` })
  const length = encoding === 'identity' ? Number(req.get('content-length') ?? FIRST_BYTES) : FIRST_BYTES
  if (length > maxBytes) throw tooLarge(maxBytes)
  return { isPacked: encoding === 'gzip', length }
}

/**
 * Timeout of a streamed body: a gigabyte at 2.5 Mbit/s takes about an hour. A streamed body takes no memory meanwhile.
 */
const STREAM_MAX_MS = 3_600_000

/** Memory of requests whose bodies are being read or used. */
const places = new WeakMap<Response, BodyPlace>()
/** Timeout of a body in memory, which takes room that others may need. */
const SLOW_MAX_MS = 300_000
/** Assumed length of a body without Content-Length. */
const FIRST_BYTES = 64 * 1024

/** Reads the body. The connection stays open for an answer. @throws ProblemError bad_request */
async function* piecesOf(req: Request, isPacked: boolean): AsyncGenerator<Buffer> {
  const source = isPacked ? req.pipe(createGunzip()) : req
  if (isPacked) {
    // All of it may have arrived without having been read.
    req.once('close', () => req.readableEnded || source.destroy(new Error('the client left')))
    // After a body is refused, its stream has no listener, but piped bytes are still being decompressed: an error in
    // them would end the process.
    source.on('error', () => undefined)
  }
  try {
    yield* source.iterator({ destroyOnReturn: false })
  } catch (cause) {
    throw new ProblemError('bad_request', {
      detail: 'The body is broken, or did not come whole.',
      headers: CLOSING,
      cause,
    })
  } finally {
    // The rest of a refused body is read and discarded: otherwise a client that still sends would be disconnected
    // before the answer arrives.
    req.unpipe().resume()
    if (isPacked) source.destroy()
  }
}

/** Returns the media type of a body, without its parameters. */
export function contentType(req: Request): string {
  return (req.get('content-type') ?? '').split(';')[0].trim().toLowerCase()
}

/** Answers without reading the rest of the body, so the connection must be closed. */
const CLOSING = { Connection: 'close' }

function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError('body_too_large', {
    detail: `The body has more than ${maxBytes} bytes, unpacked.`,
    headers: CLOSING,
  })
}

/** Maps `invalid_bundle` to a 400 that lists every location, and releases the body when the handler has ended. */
export function checkingBody(handler: (req: Request, res: Response) => Promise<void>): RequestHandler {
  return async (req, res) => {
    try {
      await handler(req, res)
    } catch (error) {
      throw error instanceof ServiceError && error.code === 'invalid_bundle' ? invalidBody(error) : error
    } finally {
      places.get(res)?.leave()
    }
  }
}

const SMALL_MAX_BYTES = 64 * 1024

/** Refuses large bodies of requests that need none; small ones are ignored. */
export const refuseBody: RequestHandler = (req, _res, next) => {
  if (Number(req.get('content-length') ?? 0) > SMALL_MAX_BYTES)
    throw new ProblemError('body_too_large', { headers: { Connection: 'close' } })
  next()
}

/** Refuses bodies outside /api2, where each route declares whether it reads one. */
export const refuseBodies: RequestHandler = (req, res, next) =>
  /^\/api2(\/|$|\?)/.test(req.url) ? next() : refuseBody(req, res, next)
