import type { RequestHandler } from 'express'

/**
 * Lets pages of other sites send participants with a token of their own (CORS); a browser never sends the session's cookie along
 * with it.
 */
export const allowPages: RequestHandler = (req, res, next) => {
  if (req.method === 'OPTIONS' || (req.method === 'POST' && req.get('x-auth-token') !== undefined)) {
    res.setHeader('Access-Control-Allow-Origin', '*')
    res.setHeader('Access-Control-Expose-Headers', 'Location, Retry-After, X-Request-Id')
  }
  if (req.method !== 'OPTIONS') return next()
  res.setHeader('Access-Control-Allow-Methods', 'POST')
  res.setHeader('Access-Control-Allow-Headers', 'X-Auth-Token, Idempotency-Key, Content-Type, Content-Encoding')
  res.setHeader('Access-Control-Max-Age', '7200')
  res.status(204).end()
}
