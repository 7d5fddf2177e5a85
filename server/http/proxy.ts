import type { RequestHandler } from 'express'
import { holds, networksOf } from '../../engine/model/networks.ts'
import type { Config } from '../../engine/model/settings.ts'
import { ProblemError } from './problems.ts'

const LOOPBACK = networksOf(['127.0.0.0/8', '::1'], 'TRUST_PROXY')
const PRIVATE = networksOf(
  '127.0.0.0/8,::1,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7,169.254.0.0/16,fe80::/10'.split(','),
  'TRUST_PROXY',
)

/**
 * Returns Express's trust function, which tells whose X-Forwarded-* headers are trusted: peers in the networks of
 * TRUST_PROXY or, with a hop count, only private addresses, up to so many hops. Anybody else who reaches the port might
 * forge them.
 *
 * @returns a function of an address and its distance in hops, 0 for the peer itself
 * @throws ServiceError invalid_setting
 */
export function trustedProxy(setting: string): (address: string, hops: number) => boolean {
  if (setting === '') return () => false
  if (/^\d$/.test(setting)) return (address, hops) => hops < Number(setting) && (hops > 0 || holds(PRIVATE, address))
  const proxies = networksOf(setting.split(','), 'TRUST_PROXY')
  return (address) => holds(proxies, address)
}

/**
 * Refuses requests over plain HTTP, except from loopback: those that a proxy reports as plain HTTP, and all that bypass
 * the proxies.
 */
export function requireHttps({ trustProxy, tlsCertFile }: Config): RequestHandler {
  if (trustProxy === '' || tlsCertFile !== '') return (_req, _res, next) => next()
  const isTrusted = trustedProxy(trustProxy)
  return (req, _res, next) => {
    const address = req.socket.remoteAddress ?? ''
    const isProxy = isTrusted(address, 0)
    const saysPlain =
      isProxy && (req.get('x-forwarded-proto') ?? '').split(',').some((proto) => proto.trim() === 'http')
    const wentPast = !isProxy && !isLoopback(address)
    if (saysPlain || wentPast) throw new ProblemError('https_required')
    next()
  }
}

export function isLoopback(address: string): boolean {
  return holds(LOOPBACK, address)
}
