/** Width and height of a picture, in pixels. */
type PictureSize = { widthPx: number; heightPx: number }

type Kind = { endings: RegExp; begins: (bytes: Buffer) => boolean; size: (bytes: Buffer) => PictureSize | null }

const latin1 = (bytes: Buffer, start: number, end: number) => bytes.toString('latin1', start, end)

/** Kinds of pictures that browsers show, and how large each says that it is. */
const KINDS: Kind[] = [
  {
    endings: /\.png$/i,
    begins: (bytes) => latin1(bytes, 1, 8) === 'PNG\r\n\x1a\n',
    size: (bytes) => sizeOf(bytes.readUInt32BE(16), bytes.readUInt32BE(20)),
  },
  { endings: /\.jpe?g$/i, begins: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8, size: jpegSize },
  {
    endings: /\.gif$/i,
    begins: (bytes) => /^GIF8[79]a/.test(latin1(bytes, 0, 6)),
    size: (bytes) => sizeOf(bytes.readUInt16LE(6), bytes.readUInt16LE(8)),
  },
  {
    endings: /\.webp$/i,
    begins: (bytes) => latin1(bytes, 0, 4) === 'RIFF' && latin1(bytes, 8, 12) === 'WEBP',
    size: webpSize,
  },
  { endings: /\.avif$/i, begins: (bytes) => /^ftypavi[fs]/.test(latin1(bytes, 4, 12)), size: avifSize },
  { endings: /\.svg$/i, begins: (bytes) => /<svg[\s>]/.test(latin1(bytes, 0, 1 << 16)), size: svgSize },
]

const OTHER_KINDS = /\.(bmp|tiff?|psd|heic|jp2|ppm|pgm|pcx|tga|eps)$/i

/** Returns whether a name is that of a picture, also of one that no browser shows. */
export function isPictureName(name: string): boolean {
  return canBeShown(name) || OTHER_KINDS.test(name)
}

export function canBeShown(name: string): boolean {
  return KINDS.some(({ endings }) => endings.test(name))
}

/** Leaves out the ending of a picture's name, and no other. */
export function withoutEnding(name: string): string {
  return isPictureName(name) ? name.replace(/\.\w+$/, '') : name
}

/**
 * Reads how large a picture is, px.
 *
 * @returns null where it does not say so; undefined for what is no picture of its name's kind
 */
export function pictureSize(name: string, bytes: Buffer): PictureSize | null | undefined {
  const kind = KINDS.find(({ endings }) => endings.test(name))
  if (kind === undefined || !kind.begins(bytes)) return undefined
  try {
    return kind.size(bytes)
  } catch (error) {
    // Behind the end of the bytes: it is cut.
    if (error instanceof RangeError) return null
    throw error
  }
}

function sizeOf(widthPx: number, heightPx: number): PictureSize | null {
  const isSize = (side: number) => side >= 1 && side <= 100_000
  return isSize(widthPx) && isSize(heightPx) ? { widthPx, heightPx } : null
}

/** Follows the markers up to the frame; a picture that is to be turned before it is shown has no size here. */
function jpegSize(bytes: Buffer): PictureSize | null {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1]
    if (marker === 0xe1 && isTurned(bytes.subarray(at + 4, at + 2 + bytes.readUInt16BE(at + 2)))) return null
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return sizeOf(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
  }
  return null
}

/** Reads the orientation of EXIF, as cameras write it. */
function isTurned(segment: Buffer): boolean {
  if (latin1(segment, 0, 6) !== 'Exif\0\0') return false
  const tiff = segment.subarray(6)
  const isLittle = latin1(tiff, 0, 2) === 'II'
  const read16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  for (let i = 0; i < read16(start); i++)
    if (read16(start + 2 + 12 * i) === 0x0112) return read16(start + 10 + 12 * i) > 4
  return false
}

function webpSize(bytes: Buffer): PictureSize | null {
  const chunk = latin1(bytes, 12, 16)
  if (chunk === 'VP8X') return sizeOf(1 + bytes.readUIntLE(24, 3), 1 + bytes.readUIntLE(27, 3))
  if (chunk === 'VP8L') {
    const bits = bytes.readUInt32LE(21)
    return sizeOf(1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff))
  }
  return chunk === 'VP8 ' ? sizeOf(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff) : null
}

function avifSize(bytes: Buffer): PictureSize | null {
  const at = bytes.indexOf('ispe', 0, 'latin1')
  return at < 0 ? null : sizeOf(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12))
}

/** Takes the sides of a drawing where they are in px; else those of its view, whose shape it has. */
function svgSize(bytes: Buffer): PictureSize | null {
  const tag = /<svg\s[^>]{0,4000}>/.exec(bytes.toString('utf8', 0, 1 << 16))?.[0] ?? ''
  const side = (name: string) => Number(new RegExp(`\\s${name}=["'](\\d+(?:\\.\\d+)?)(?:px)?["']`).exec(tag)?.[1] ?? 0)
  const view = /\sviewBox=["']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(tag)
  return sizeOf(side('width'), side('height')) ?? (view && sizeOf(Number(view[1]), Number(view[2])))
}
