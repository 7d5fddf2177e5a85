import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Sums } from '../../exports/columns/export-entry.ts'

const FAST = { level: 1 }

/** Packs the sums of a shard: as objects, those of all shards would take ten times the memory. */
export function packSums(sums: Sums): Uint8Array {
  return deflateRawSync(serialize(sums), FAST)
}

/** Returns sums that are unpacked one after another whenever they are iterated. @param onUnpacked gets their bytes */
export function unpackedSums(packed: Uint8Array[], onUnpacked: (bytes: number) => void): Iterable<Sums> {
  return {
    *[Symbol.iterator]() {
      for (const part of packed) {
        const bytes = inflateRawSync(part)
        yield deserialize(bytes) as Sums
        onUnpacked(bytes.length)
      }
    },
  }
}
