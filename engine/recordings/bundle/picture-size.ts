import type { Size } from '../../../isomorphic/same-shape.ts'
import { pictureSize as sizeByType } from '../../model/picture-size.ts'
import { isVideoName } from '../../model/video/video-facts.ts'

const latin1 = (bytes: Buffer, start: number, end: number) => bytes.toString('latin1', start, end)

/** Picture types that browsers display: file name extensions, first bytes, and media type. */
const KINDS: { endings: RegExp; begins: (bytes: Buffer) => boolean; type: string }[] = [
  { endings: /\.png$/i, begins: (bytes) => latin1(bytes, 1, 8) === 'PNG\r\n\x1a\n', type: 'image/png' },
  { endings: /\.jpe?g$/i, begins: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8, type: 'image/jpeg' },
  { endings: /\.gif$/i, begins: (bytes) => /^GIF8[79]a/.test(latin1(bytes, 0, 6)), type: 'image/gif' },
  {
    endings: /\.webp$/i,
    begins: (bytes) => latin1(bytes, 0, 4) === 'RIFF' && latin1(bytes, 8, 12) === 'WEBP',
    type: 'image/webp',
  },
  { endings: /\.avif$/i, begins: (bytes) => /^ftypavi[fs]/.test(latin1(bytes, 4, 12)), type: 'image/avif' },
  { endings: /\.svg$/i, begins: (bytes) => /<svg[\s>]/.test(latin1(bytes, 0, 1 << 16)), type: 'image/svg+xml' },
]

const OTHER_KINDS = /\.(bmp|tiff?|psd|heic|jp2|ppm|pgm|pcx|tga|eps|mov|avi|mkv|wmv|mpe?g|flv|ogv)$/i

/** Returns whether a name is that of a picture, including types that browsers do not display. */
export function isPictureName(name: string): boolean {
  return canBeShown(name) || OTHER_KINDS.test(name)
}

export function canBeShown(name: string): boolean {
  return isVideoName(name) || KINDS.some(({ endings }) => endings.test(name))
}

/** Removes a picture's file name extension, and no other. */
export function withoutEnding(name: string): string {
  return isPictureName(name) ? name.replace(/\.\w+$/, '') : name
}

/**
 * Reads the size of a picture, in px.
 *
 * @returns null if it states none; undefined if it is not a picture of its extension's type
 */
export function checkedPictureSize(name: string, bytes: Buffer): Size | null | undefined {
  const kind = KINDS.find(({ endings }) => endings.test(name))
  if (kind === undefined || !kind.begins(bytes)) return undefined
  const size = sizeByType(bytes, kind.type)
  return size !== null && isSide(size.widthPx) && isSide(size.heightPx) ? size : null
}

/** Returns whether a study may have a side of this length. */
function isSide(px: number): boolean {
  return px >= 1 && px <= 100_000
}
