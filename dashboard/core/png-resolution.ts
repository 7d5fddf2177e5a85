const SIGNATURE_BYTES = 8
/** IHDR is the first chunk: 13 bytes, with its length, name and CRC. */
const AFTER_HEADER = SIGNATURE_BYTES + 8 + 13 + 4
const CHUNK_BYTES = 9
const METRE_PER_INCH = 0.0254

/** Returns a PNG with its resolution in pixels per inch (chunk pHYs of the PNG specification). */
export function withResolution(png: Uint8Array<ArrayBuffer>, dpi: number): Uint8Array<ArrayBuffer> {
  const perMetre = Math.round(dpi / METRE_PER_INCH)
  const chunk = new Uint8Array(8 + CHUNK_BYTES + 4)
  const view = new DataView(chunk.buffer)
  view.setUint32(0, CHUNK_BYTES)
  chunk.set([0x70, 0x48, 0x59, 0x73], 4)
  view.setUint32(8, perMetre)
  view.setUint32(12, perMetre)
  chunk[16] = 1
  view.setUint32(17, crc32(chunk.subarray(4, 17)))
  const sized = new Uint8Array(png.length + chunk.length)
  sized.set(png.subarray(0, AFTER_HEADER))
  sized.set(chunk, AFTER_HEADER)
  sized.set(png.subarray(AFTER_HEADER), AFTER_HEADER + chunk.length)
  return sized
}

/** Computes the CRC of PNG chunks, polynomial 0xEDB88320. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
