import type { RequestHandler } from 'express'
import { FILE_SECRET } from '../../engine/access/link.ts'
import { ProblemError } from '../http/problems.ts'
import type { SHARED_ROUTES } from '../routes/links.ts'
import type { Answers } from '../routes/route.ts'
import type { Failures } from './failures.ts'
import type { FindTokens } from './reach.ts'

type Parts = { tokens: FindTokens; failures: Failures }

/**
 * Returns the handlers of links to exports: they find the link by the secret in the path, and lead the request on to
 * the route of the export, which answers it like any other of that link.
 */
export function sharedRoutes({ tokens, failures }: Parts): Answers<typeof SHARED_ROUTES> {
  const lead: RequestHandler = async (req, res, next) => {
    const secret = String(req.params.secret)
    const record = secret.startsWith(FILE_SECRET)
      ? await tokens.find(secret.slice(FILE_SECRET.length), new Date())
      : null
    if (record?.link?.page !== 'export') return failures.refuse(req, {}, ENDED, 'not_found')
    if (req.url.includes('?')) throw new ProblemError('bad_request', { detail: HAS_SETTINGS })
    res.locals.token = record
    req.url = record.link.path.slice('/api2'.length)
    next('route')
  }
  return { getSharedFile: [lead], headSharedFile: [lead] }
}

const ENDED = 'The link is mistyped, or has expired or been revoked.'
const HAS_SETTINGS = 'A link to an export has its settings: it takes no parameters.'
