import express, { type Request, type RequestHandler } from 'express'
import type { z } from 'zod'
import { jsonFaults } from '../../../engine/model/json-faults.ts'
import { invalidParameters, ProblemError } from '../problems.ts'

/**
 * Returns a handler that reads a JSON body of at most so many bytes.
 *
 * @throws ProblemError bad_request, body_too_large
 */
export function readJson(limitBytes: number): RequestHandler {
  const read = express.json({ limit: limitBytes, strict: true, inflate: false })
  return (req, res, next) => {
    read(req, res, (error?: unknown) => {
      if (error === undefined) return next()
      const { type = '', status = 0 } = error as { type?: string; status?: number }
      if (type === 'entity.too.large') {
        const detail = `The body must have at most ${limitBytes} bytes.`
        return next(new ProblemError('body_too_large', { detail, headers: { Connection: 'close' } }))
      }
      const detail = 'The body must be JSON, whole, in UTF-8 and not compressed.'
      next(status >= 400 && status < 500 ? new ProblemError('bad_request', { detail, cause: error }) : error)
    })
  }
}

/** Returns the body as a schema has it. @throws ProblemError invalid_param with every rule that it breaks */
export function bodyOf<T>(req: Request, schema: z.ZodType<T>): T {
  if (req.body === undefined) {
    const detail = 'The request needs a JSON object as its body, with Content-Type: application/json.'
    throw new ProblemError('bad_request', { detail })
  }
  const parsed = schema.safeParse(req.body)
  if (parsed.success) return parsed.data
  throw invalidParameters(jsonFaults(parsed.error.issues, req.body, 'the body'))
}
