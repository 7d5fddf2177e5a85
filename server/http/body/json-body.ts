import express, { type Request, type Response } from 'express'
import type { z } from 'zod'
import { jsonFaults } from '../../../engine/model/json-faults.ts'
import { plainTextFaults } from '../../../engine/model/plain-text.ts'
import { invalidParameters, ProblemError } from '../problems.ts'

/**
 * Returns middleware that reads a JSON body of at most so many bytes into `req.body`, and throws ProblemError
 * bad_request or body_too_large.
 *
 * @returns what throws ProblemError bad_request, body_too_large
 */
export function jsonReader(limitBytes: number): (req: Request, res: Response) => Promise<void> {
  const read = express.json({ limit: limitBytes, strict: true, inflate: false })
  const problemOf = (error: unknown) => {
    const { type = '', status = 0 } = error as { type?: string; status?: number }
    if (type === 'entity.too.large') {
      const detail = `The body must have at most ${limitBytes} bytes.`
      return new ProblemError('body_too_large', { detail, headers: { Connection: 'close' } })
    }
    const detail = 'The body must be JSON, whole, in UTF-8 and not compressed.'
    return status >= 400 && status < 500 ? new ProblemError('bad_request', { detail, cause: error }) : error
  }
  return (req, res) =>
    new Promise((resolve, reject) => {
      read(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(problemOf(error))))
    })
}

/** Parses a body by a schema. @throws ProblemError invalid_param with every rule that it breaks */
export function checkedBody<T>(req: Request, schema: z.ZodType<T>): T {
  if (req.body === undefined) {
    const detail = 'The request needs a JSON object as its body, with Content-Type: application/json.'
    throw new ProblemError('bad_request', { detail })
  }
  const faults = plainTextFaults(req.body, 'the body')
  if (faults.length > 0) throw invalidParameters(faults)
  const parsed = schema.safeParse(req.body)
  if (parsed.success) return parsed.data
  throw invalidParameters(jsonFaults(parsed.error.issues, req.body, 'the body'))
}
