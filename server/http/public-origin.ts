import type { Application, Request } from 'express'
import { ProblemError } from './problems.ts'

const SETTING = 'public origin'

/** Stores the address at which people reach this app. @param publicUrl an origin; '' if each request gives it */
export function setPublicOrigin(app: Application, publicUrl: string): void {
  app.set(SETTING, publicUrl)
}

/**
 * Returns the origin at which people reach this server: PUBLIC_URL or, without it, the Host of the request, which
 * anybody can forge.
 */
export function publicOrigin(req: Request): string {
  return req.app.get(SETTING) || `${req.protocol}://${req.host}`
}

/** Returns whether people reach this server over HTTPS. */
export function isSecure(req: Request): boolean {
  return publicOrigin(req).startsWith('https:')
}

/** Returns whether a request names the host of that origin; under another host, a page may not be ours. */
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
