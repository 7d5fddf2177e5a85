import { crc32, deflateRawSync, gzipSync } from 'node:zlib'

/** An entry of an archive, as whoever makes one may claim it to be. */
export type Put = { name: string; bytes?: Buffer | string; mode?: number; claimedSize?: number; isEncrypted?: boolean }

/** Makes a zip, byte by byte, so that it may hold what no program would put there. */
export function zipOf(entries: Put[]): Buffer {
  const parts: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, bytes = '', mode = 0o100644, claimedSize, isEncrypted = false } of entries) {
    const plain = Buffer.from(bytes)
    const packed = deflateRawSync(plain)
    const nameBytes = Buffer.from(name)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(0x800 | (isEncrypted ? 1 : 0), 2)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(plain), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(claimedSize ?? plain.length, 18)
    facts.writeUInt16LE(nameBytes.length, 22)
    parts.push(Buffer.from('PK\x03\x04'), facts, nameBytes, packed)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((mode << 16) >>> 0, 6)
    tail.writeUInt32LE(offset, 10)
    central.push(Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), facts, tail, nameBytes)
    offset += 4 + facts.length + nameBytes.length + packed.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, directory, Buffer.from('PK\x05\x06'), end])
}

/** Makes a tar, block by block. @param type '0' a file, '1' and '2' links, '3' a device, '5' a folder, '6' a pipe */
export function tarOf(entries: (Put & { type?: string; linkTo?: string })[]): Buffer {
  const blocks: Buffer[] = []
  for (const { name, bytes = '', type = '0', linkTo = '', claimedSize, mode = 0o644 } of entries) {
    const body = Buffer.from(bytes)
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100)
    header.write('0000000\x000000000\0', 108)
    header.write(`${(claimedSize ?? body.length).toString(8).padStart(11, '0')}\0`, 124)
    header.write('00000000000\0', 136)
    header.write('        ', 148)
    header.write(type, 156)
    header.write(linkTo, 157)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    blocks.push(header, body, Buffer.alloc((512 - (body.length % 512)) % 512))
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

export function tarGzOf(entries: Parameters<typeof tarOf>[0]): Buffer {
  return gzipSync(tarOf(entries))
}

/** Makes a gzip of so many GiB of the same, cheaply: members of one piece, one behind the other, are one file. */
export function gzipOfSame(text: string, gib: number): Buffer {
  const member = gzipSync(Buffer.alloc(2 ** 26, text), { level: 9 })
  return Buffer.concat(Array.from({ length: gib * 16 }, () => member))
}
