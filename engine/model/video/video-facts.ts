import type { Size } from '../../../isomorphic/same-shape.ts'
import { mp4Facts } from './mp4.ts'
import { type ReadAt, reader, VideoFault } from './reader.ts'
import { webmFacts } from './webm.ts'

export const VIDEO_TYPES = ['video/mp4', 'video/webm'] as const
type VideoType = (typeof VIDEO_TYPES)[number]

/** Facts from the header of a video. */
export type VideoFacts = Size & {
  type: VideoType
  durationMs: number
  /** Mean number of frames per second; null if unknown. */
  frameRateHz: number | null
}

/** Types of videos by extension. */
export const VIDEO_TYPE_OF: Record<string, VideoType> = {
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.webm': 'video/webm',
}

/** Returns the type of a video with that name; undefined for any other extension. */
export function videoTypeNamed(name: string): VideoType | undefined {
  return VIDEO_TYPE_OF[/\.\w+$/.exec(name)?.[0].toLowerCase() ?? '']
}

export function isVideoName(name: string): boolean {
  return videoTypeNamed(name) !== undefined
}

/** Number of leading bytes that suffice to recognise a video. */
export const VIDEO_HEAD_BYTES = 64

/** Recognises a video by its first bytes; null for anything else. */
export function videoTypeOf(head: Buffer): VideoType | null {
  if (/^ftyp(?!avi[fs]|hei[cx]|mif1|msf1)/.test(head.toString('latin1', 4, 12))) return 'video/mp4'
  const isEbml = head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3
  return isEbml && head.toString('latin1', 4, VIDEO_HEAD_BYTES).includes('webm') ? 'video/webm' : null
}

const DURATION_MAX_MS = 86_400_000
const SIDE_MAX_PX = 100_000

/**
 * Reads size, duration and frame rate of a video, as a browser shows it. Reads only headers, up to a limit.
 *
 * @param read reads a range of the file, shorter only at its end
 * @throws VideoFault, whose message is the rule that the file breaks
 */
export async function videoFacts(read: ReadAt, sizeBytes: number): Promise<VideoFacts> {
  const bytes = reader(read, sizeBytes)
  const type = videoTypeOf(await read(0, VIDEO_HEAD_BYTES))
  if (type === null) throw new VideoFault('must be an MP4 or a WebM video')
  const facts = { type, ...(await (type === 'video/mp4' ? mp4Facts(bytes) : webmFacts(bytes))) }
  const { widthPx, heightPx, durationMs } = facts
  if (![widthPx, heightPx].every((side) => side >= 1 && side <= SIDE_MAX_PX))
    throw new VideoFault('must give the size of its picture')
  if (!(durationMs > 0 && durationMs <= DURATION_MAX_MS))
    throw new VideoFault('must give its duration, of at most a day')
  return facts
}
