import { createHash } from 'node:crypto'

/** Our own name space, made once at random. */
const NAMESPACE = Buffer.from('6f2c1f0e9a7b4d2c8b5e3d1a7c9e4f60', 'hex')

/** Returns the UUID of these names, always the same for the same names (RFC 9562, version 5). */
export function nameUuid(...names: string[]): string {
  const hash = createHash('sha1').update(NAMESPACE).update(JSON.stringify(names)).digest().subarray(0, 16)
  hash[6] = (hash[6] & 0x0f) | 0x50
  hash[8] = (hash[8] & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
