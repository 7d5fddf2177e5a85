import { extname } from 'node:path'
import { VIDEO_TYPE_OF, VIDEO_TYPES, videoTypeOf } from '../../engine/model/video/video-facts.ts'

/** Media types of pictures and videos, by extension; nothing else is served. */
const TYPE_OF: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  ...VIDEO_TYPE_OF,
}

export function pictureType(filename: string): string | undefined {
  return TYPE_OF[extname(filename).toLowerCase()]
}

/** First bytes of each of PICTURE_TYPES. An SVG is served so that it can neither run scripts nor load anything. */
const BEGINNINGS: Record<string, (bytes: Buffer) => boolean> = {
  'image/png': (bytes) => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
  'image/jpeg': (bytes) => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')),
  'image/gif': (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)),
  'image/avif': (bytes) => /^ftypavi[fs]/.test(bytes.toString('latin1', 4, 12)),
  'image/webp': (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  'image/svg+xml': (bytes) => /^\uFEFF?\s*</.test(bytes.toString('utf8', 0, 1000)) && bytes.includes('<svg'),
  ...Object.fromEntries(VIDEO_TYPES.map((type) => [type, (bytes: Buffer) => videoTypeOf(bytes) === type])),
}

/** Returns the name of an item with the extension of a picture's type, unchanged if it already has one of that type. */
export function nameForPicture(filename: string, type: string): string {
  const plain = filename.replaceAll(/[/\\\0]+/g, '-')
  if (pictureType(plain) === type) return plain
  const stem = pictureType(plain) === undefined ? plain : plain.slice(0, -extname(plain).length)
  return `${stem || 'item'}${ENDINGS[type]}`
}

const ENDINGS = Object.fromEntries(Object.entries(TYPE_OF).map(([ending, type]) => [type, ending]))
ENDINGS['image/jpeg'] = '.jpg'
ENDINGS['video/mp4'] = '.mp4'

/** Returns a sentence on why a picture does not fit an item with that file name; null if it does. */
export function pictureFault(beginning: Buffer, type: string, filename: string): string | null {
  if (!/^[^/\\\0]+$/.test(filename) || /^\.+$/.test(filename))
    return `The item's filename, ${JSON.stringify(filename)}, is no name of a file: give the item another one.`
  const wanted = pictureType(filename)
  if (wanted !== type)
    return `The item's filename is ${JSON.stringify(filename)}, and a picture of type ${type} cannot be called so.`
  return BEGINNINGS[type](beginning)
    ? null
    : `The body is no ${type.split('/')[0] === 'video' ? 'video' : 'picture'} of type ${type}.`
}
