import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import { type BlockList, isIP, type LookupFunction } from 'node:net'
import { holds, networksOf } from '../../engine/model/networks.ts'

/**
 * Addresses outside the public Internet (IANA's registries of special-purpose addresses); for IPv6, only global unicast
 * is public.
 */
const SPECIAL = networksOf(
  [
    '0.0.0.0/8,10.0.0.0/8,100.64.0.0/10,127.0.0.0/8,169.254.0.0/16,172.16.0.0/12,192.0.0.0/24,192.0.2.0/24,192.31.196.0/24',
    '192.52.193.0/24,192.88.99.0/24,192.168.0.0/16,192.175.48.0/24,198.18.0.0/15,198.51.100.0/24,203.0.113.0/24,224.0.0.0/3',
    // Within 2000::/3: Teredo and 6to4, which lead to IPv4 addresses, and other blocks that are not global.
    '2001::/23,2001:db8::/32,2002::/16,3fff::/20',
  ].flatMap((line) => line.split(',')),
  'the list of special networks',
)
const GLOBAL_IPV6 = networksOf(['2000::/3'], 'the list of special networks')

/** An address that breaks a rule; no request was made. */
export class RefusedAddress extends Error {}

const ADDRESS_RULE = 'is no public address, nor in WEBHOOK_NETWORKS'
const PLAIN_RULE = 'is reached by plain HTTP, which is for addresses in WEBHOOK_NETWORKS alone'

/** Resolves a name to all its addresses, as `dns.lookup` does. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Returns the networks of WEBHOOK_NETWORKS. @throws ServiceError invalid_setting */
export function allowedNetworks(setting: string): BlockList {
  return networksOf(setting === '' ? [] : setting.split(','), 'WEBHOOK_NETWORKS')
}

/** Throws unless a request may go to an address. @throws RefusedAddress */
export function requireAllowed(address: string, isPlain: boolean, allowed: BlockList): void {
  if (holds(allowed, address)) return
  if (isPlain) throw new RefusedAddress(`its host ${PLAIN_RULE}`)
  const isPublic = !holds(SPECIAL, address) && (isIP(address) === 4 || holds(GLOBAL_IPV6, address))
  if (!isPublic) throw new RefusedAddress(`its host ${ADDRESS_RULE}`)
}

/**
 * Returns a lookup function for connections. It resolves a name once and returns only checked addresses, so the
 * connection goes to an address that was checked, even if the name changes a moment later (DNS rebinding).
 */
export function checkedLookup(isPlain: boolean, allowed: BlockList, resolve: Resolve = lookup): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0)
      try {
        for (const { address } of addresses) requireAllowed(address, isPlain, allowed)
      } catch (refused) {
        return done(refused as Error, '', 0)
      }
      if (options.all) return done(null, addresses)
      done(null, addresses[0].address, addresses[0].family)
    })
  }
}
