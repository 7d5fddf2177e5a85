import type { RequestHandler } from 'express'

/**
 * Lets pages of other sites send participants with a token of their own (CORS). A browser never sends the session's
 * cookie with such a request.
 *
 * @param origins of those sites, separated by commas; `*` for all, '' for none
 */
export function allowPages(origins: string): RequestHandler {
  const allowed = origins.split(',')
  return (req, res, next) => {
    const origin = req.get('origin')
    const isAllowed = origin !== undefined && (origins === '*' || allowed.includes(origin))
    if (origin !== undefined) res.vary('Origin')
    if (isAllowed && (req.method === 'OPTIONS' || (req.method === 'POST' && req.get('x-auth-token') !== undefined))) {
      res.setHeader('Access-Control-Allow-Origin', origin)
      res.setHeader('Access-Control-Expose-Headers', 'Location, Retry-After, X-Request-Id')
    }
    if (req.method !== 'OPTIONS') return next()
    if (isAllowed) {
      res.setHeader('Access-Control-Allow-Methods', 'POST')
      res.setHeader('Access-Control-Allow-Headers', 'X-Auth-Token, Idempotency-Key, Content-Type, Content-Encoding')
      res.setHeader('Access-Control-Max-Age', '7200')
    }
    res.status(204).end()
  }
}
