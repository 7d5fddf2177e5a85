import { BlockList, isIP } from 'node:net'
import type { RequestHandler } from 'express'
import type { Config } from '../../engine/model/settings.ts'
import { ProblemError } from './problems.ts'

/** Returns TRUST_PROXY as Express takes it: false, a hop count, or addresses and networks. */
export function readTrustProxy(setting: string): false | number | string[] {
  if (setting === '') return false
  return /^\d$/.test(setting) ? Number(setting) : setting.split(',')
}

/**
 * Refuses what came over plain HTTP where that is not loopback: what the proxy says came so, and, when the proxies are
 * known by address, whatever comes past them.
 */
export function requireHttps({ trustProxy, tlsCertFile }: Config): RequestHandler {
  if (trustProxy === '' || tlsCertFile !== '') return (_req, _res, next) => next()
  const byAddress = !/^\d$/.test(trustProxy)
  return (req, _res, next) => {
    const address = req.socket.remoteAddress
    const isProxy = req.app.get('trust proxy fn')(address, 0) === true
    const saysPlain =
      isProxy && (req.get('x-forwarded-proto') ?? '').split(',').some((proto) => proto.trim() === 'http')
    const wentPast = byAddress && !isProxy && !isLoopback(address ?? '')
    if (saysPlain || wentPast) throw new ProblemError('https_required')
    next()
  }
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Returns whether an address (not a name) is loopback. IPv4 within IPv6 counts as IPv4. */
export function isLoopback(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && LOOPBACK.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
