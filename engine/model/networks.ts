import { BlockList, isIP } from 'node:net'
import { ServiceError } from './errors.ts'

/**
 * Parses a list of networks.
 *
 * @param list addresses, or CIDRs such as 10.0.0.0/8
 * @param setting name for the error
 * @throws ServiceError invalid_setting
 */
export function networksOf(list: string[], setting: string): BlockList {
  const networks = new BlockList()
  for (const each of list) {
    const [address, bits] = each.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    try {
      if (bits === undefined) networks.addAddress(address, family)
      else networks.addSubnet(address, Number(bits), family)
    } catch (cause) {
      throw new ServiceError('invalid_setting', `${setting} must list networks, got ${each}`, { cause })
    }
  }
  return networks
}

/** Returns whether an address (not a name) is in any of the networks. IPv4 within IPv6 counts as IPv4. */
export function holds(networks: BlockList, address: string): boolean {
  const family = isIP(address)
  return family !== 0 && networks.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
