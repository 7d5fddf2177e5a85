import { BlockList, isIP } from 'node:net'
import type { RequestHandler } from 'express'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { ProblemError } from './problems.ts'

const LOOPBACK = networks(['127.0.0.0/8', '::1'])
const PRIVATE = networks(
  '127.0.0.0/8,::1,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7,169.254.0.0/16,fe80::/10'.split(','),
)

/**
 * Says of which peers the X-Forwarded-* headers are believed, as Express asks it: of the networks in TRUST_PROXY, or, where that is a
 * hop count, of private addresses alone, as many hops on. Whoever else reaches the port might forge them.
 *
 * @returns by address and how many hops it is away, from 0 for the peer itself
 * @throws ServiceError invalid_setting
 */
export function trustedProxy(setting: string): (address: string, hops: number) => boolean {
  if (setting === '') return () => false
  if (/^\d$/.test(setting)) return (address, hops) => hops < Number(setting) && (hops > 0 || holds(PRIVATE, address))
  const proxies = networks(setting.split(','))
  return (address) => holds(proxies, address)
}

/** Refuses what came over plain HTTP where that is not loopback: what the proxy says came so, and whatever comes past the proxies. */
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

function networks(list: string[]): BlockList {
  const networks = new BlockList()
  for (const each of list) {
    const [address, bits] = each.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    try {
      if (bits === undefined) networks.addAddress(address, family)
      else networks.addSubnet(address, Number(bits), family)
    } catch (cause) {
      throw new ServiceError('invalid_setting', `TRUST_PROXY names no network by ${each}`, { cause })
    }
  }
  return networks
}

/** Returns whether a list has an address (not a name). IPv4 within IPv6 counts as IPv4. */
function holds(list: BlockList, address: string): boolean {
  const family = isIP(address)
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
