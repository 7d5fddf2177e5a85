import type { Size } from '../../isomorphic/same-shape.ts'

/** Number of leading bytes that suffice for the size of a picture; a camera's metadata before it are shorter. */
export const SIZE_BYTES_MAX = 1 << 20

/** Longest side of a picture, in px. */
const SIDE_MAX_PX = 100_000

/**
 * Returns the size of a picture as a browser shows it, from its first bytes; null if unknown, for an SVG without a size
 * and for other types.
 */
export function pictureSize(bytes: Buffer, type: string): Size | null {
  const size = statedSize(bytes, type)
  return size !== null && size.widthPx > 0 && size.heightPx > 0 ? size : null
}

/**
 * Returns the rule that the size of a picture breaks, to follow its name; null if it breaks none, or is unknown. An SVG
 * is drawn at any size.
 *
 * @param bytes first bytes of the file, up to SIZE_BYTES_MAX
 */
export function sizeFault(bytes: Buffer): string | null {
  const sizes = Object.keys(READERS).map((type) => (type === 'image/svg+xml' ? null : statedSize(bytes, type)))
  const size = sizes.find((each) => each !== null) ?? null
  if (size === null || [size.widthPx, size.heightPx].every((px) => px >= 1 && px <= SIDE_MAX_PX)) return null
  return `is ${size.widthPx} × ${size.heightPx} px: a side has 1 to ${SIDE_MAX_PX} px`
}

function statedSize(bytes: Buffer, type: string): Size | null {
  try {
    return READERS[type]?.(bytes) ?? null
  } catch (error) {
    // The file ends before its header does.
    if (error instanceof RangeError) return null
    throw error
  }
}

const READERS: Record<string, (bytes: Buffer) => Size | null> = {
  'image/png': pngSize,
  'image/gif': gifSize,
  'image/webp': webpSize,
  'image/jpeg': jpegSize,
  'image/avif': avifSize,
  'image/svg+xml': svgSize,
}

function pngSize(bytes: Buffer): Size | null {
  if (bytes.readUInt32BE(0) !== 0x89504e47) return null
  return { widthPx: bytes.readUInt32BE(16), heightPx: bytes.readUInt32BE(20) }
}

function gifSize(bytes: Buffer): Size | null {
  if (bytes.toString('latin1', 0, 4) !== 'GIF8') return null
  return { widthPx: bytes.readUInt16LE(6), heightPx: bytes.readUInt16LE(8) }
}

function webpSize(bytes: Buffer): Size | null {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return null
  const kind = bytes.toString('latin1', 12, 16)
  if (kind === 'VP8X') return { widthPx: bytes.readUIntLE(24, 3) + 1, heightPx: bytes.readUIntLE(27, 3) + 1 }
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21)
    return { widthPx: (bits & 0x3fff) + 1, heightPx: ((bits >> 14) & 0x3fff) + 1 }
  }
  if (kind !== 'VP8 ') return null
  return { widthPx: bytes.readUInt16LE(26) & 0x3fff, heightPx: bytes.readUInt16LE(28) & 0x3fff }
}

/** First of the Exif orientations that are rotated by a quarter turn (Exif 2.32, tag 274). */
const FIRST_TURNED = 5

function jpegSize(bytes: Buffer): Size | null {
  if (bytes.readUInt16BE(0) !== 0xffd8) return null
  let isTurned = false
  for (let at = 2; ; ) {
    const marker = bytes.readUInt16BE(at)
    const length = bytes.readUInt16BE(at + 2)
    if (marker < 0xff00) return null
    if (marker === 0xffe1 && bytes.toString('latin1', at + 4, at + 10) === 'Exif\0\0')
      isTurned = orientationOf(bytes.subarray(at + 10, at + 2 + length)) >= FIRST_TURNED
    // The frame's header; C4, C8 and CC are other markers.
    if (marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker)) {
      const [heightPx, widthPx] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
      return isTurned ? { widthPx: heightPx, heightPx: widthPx } : { widthPx, heightPx }
    }
    at += 2 + length
  }
}

/** Returns the Exif orientation, 1 for upright. @param tiff bytes after `Exif` */
function orientationOf(tiff: Buffer): number {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  for (let i = 0; i < short(first); i++) {
    const entry = first + 2 + 12 * i
    if (short(entry) === 0x0112) return short(entry + 8)
  }
  return 1
}

function avifSize(bytes: Buffer): Size | null {
  if (!/^ftypavi[fs]$/.test(bytes.toString('latin1', 4, 12))) return null
  const at = bytes.indexOf('ispe', 0, 'latin1')
  return at < 0 ? null : { widthPx: bytes.readUInt32BE(at + 8), heightPx: bytes.readUInt32BE(at + 12) }
}

function svgSize(bytes: Buffer): Size | null {
  const text = bytes.toString('utf8')
  const root = /<svg\b(?:[^>"']|"[^"]*"|'[^']*')*>/.exec(text)?.[0]
  if (root === undefined) return null
  const attribute = (name: string) => {
    const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(root)
    return found?.[1] ?? found?.[2]
  }
  const length = (name: string) => {
    const found = /^\s*(\d*\.?\d+(?:e\d+)?)(px)?\s*$/i.exec(attribute(name) ?? '')
    return found === null ? null : Number(found[1])
  }
  const [widthPx, heightPx] = [length('width'), length('height')]
  if (widthPx !== null && heightPx !== null) return { widthPx, heightPx }
  const box = attribute('viewBox')
    ?.trim()
    .split(/[\s,]+/)
    .map(Number)
  if (box?.length !== 4 || box.some(Number.isNaN)) return null
  return { widthPx: box[2], heightPx: box[3] }
}
