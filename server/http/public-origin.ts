import type { Application, Request } from 'express'
import { ProblemError } from './problems.ts'

const SETTING = 'public origin'

/** Stores the address at which people reach this app. @param publicUrl an origin; '' where each request says it */
export function setPublicOrigin(app: Application, publicUrl: string): void {
  app.set(SETTING, publicUrl)
}

/**
 * Returns the origin at which people reach this server: PUBLIC_URL; without it, what the request says, which anybody
 * may write.
 */
export function publicOrigin(req: Request): string {
  return req.app.get(SETTING) || `${req.protocol}://${req.host}`
}

/** Returns whether a request came to the host of that origin: under another, a page may not be ours. */
export function isAtPublicOrigin(req: Request): boolean {
  const { protocol, host } = new URL(publicOrigin(req))
  const asked = `${protocol}//${req.host}`
  return URL.canParse(asked) && new URL(asked).host === host
}

/** Refuses a request under another host. @throws ProblemError bad_request */
export function requirePublicOrigin(req: Request): void {
  if (!isAtPublicOrigin(req))
    throw new ProblemError('bad_request', {
      detail: `People sign in at ${publicOrigin(req)}, and under no other host.`,
    })
}
