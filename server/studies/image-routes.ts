import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Request, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { longestTestMs } from '../../engine/analysis/charts/shown-size.ts'
import { pictureSize, SIZE_BYTES_MAX } from '../../engine/model/picture-size.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { isShortage } from '../../engine/model/system-errors.ts'
import { VideoFault } from '../../engine/model/video/reader.ts'
import { isVideoName, type VideoFacts } from '../../engine/model/video/video-facts.ts'
import { closing } from '../../engine/storage/concurrency/closing.ts'
import { videoOfFile } from '../../engine/storage/files/video-file.ts'
import type { Size } from '../../isomorphic/same-shape.ts'
import { namesTag, sendBlocks } from '../exports/send-file.ts'
import { requestedRange, sendRange } from '../http/byte-range.ts'
import { ProblemError } from '../http/problems.ts'
import { queryOf, refuseUnknown } from '../http/query.ts'
import type { Answers } from '../routes/route.ts'
import type { IMAGE_ROUTES } from '../routes/studies.ts'
import { fitOf } from './picture-fit.ts'
import { pictureType } from './pictures.ts'
import { isVideoType } from './receive-video.ts'

/** Content security policy of an SVG that is opened by its address: it may style itself, and nothing else. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
/** Content security policy of a video: the browser builds a page that plays it. */
const VIDEO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; sandbox"

/** Returns the handlers of the pictures of items, and of the size in which they were shown. */
export function imageRoutes(): Answers<typeof IMAGE_ROUTES> {
  const videos = knownVideos()
  return {
    getItemImage: async ({ req, res, snapshot, item: { filename } }) => {
      const { manifest, directory } = snapshot
      const type = pictureType(filename)
      // The manifest lists all files, so a name that leads elsewhere is not found.
      const sha256 = manifest.files[`images/${filename}`]
      if (type === undefined || sha256 === undefined) throw new ProblemError('not_found')
      refuseUnknown(queryOf(req.url), ['version'])
      const tag = `"${sha256}"`
      res.setHeader('ETag', tag)
      res.setHeader('X-Content-Type-Options', 'nosniff')
      res.setHeader('Content-Security-Policy', isVideoType(type) ? VIDEO_POLICY : PICTURE_POLICY)
      if (namesTag(req, tag)) return void res.status(304).end()
      res.setHeader('Accept-Ranges', 'bytes')
      const release = await snapshot.pin?.({ image: filename })
      await sendPicture(req, res, join(directory, 'images', filename), { type, tag }).finally(release)
    },
    getShown: async ({ snapshot, item }) => {
      const sha256 = snapshot.manifest.files[`images/${item.filename}`]
      const longestMs = await longestTestMs(snapshot, item)
      if (sha256 !== undefined && isVideoName(item.filename)) {
        const facts = await videos.of(snapshot, item.filename, sha256)
        return { ...(await fitOf(snapshot, item, facts)), video: facts && partOf(facts), longestTestMs: longestMs }
      }
      const size = sha256 === undefined ? null : await sizeInSnapshot(snapshot, item.filename)
      return { ...(await fitOf(snapshot, item, size)), video: null, longestTestMs: longestMs }
    },
  }
}

const VIDEOS_KNOWN_MAX = 1000

/** Caches the facts of videos: if a video does not give its duration, every block of it must be read. */
function knownVideos() {
  const known = new LRUCache<string, { facts: VideoFacts | null }>({ max: VIDEOS_KNOWN_MAX })
  return {
    /** Returns the facts of a video; null if the file is not a video. */
    of: async (snapshot: Snapshot, filename: string, sha256: string): Promise<VideoFacts | null> => {
      const found = known.get(sha256) ?? { facts: await inSnapshot(snapshot, filename, readFacts) }
      known.set(sha256, found)
      return found.facts
    },
  }
}

async function readFacts(file: FileHandle): Promise<VideoFacts | null> {
  return videoOfFile(file).catch((error: unknown) => {
    if (error instanceof VideoFault) return null
    throw error
  })
}

function partOf({ durationMs, frameRateHz }: VideoFacts) {
  return { durationMs, frameRateHz }
}

async function sizeInSnapshot(snapshot: Snapshot, filename: string): Promise<Size | null> {
  const type = pictureType(filename)
  if (type === undefined) return null
  return inSnapshot(snapshot, filename, async (file) => {
    const bytes = Buffer.alloc(SIZE_BYTES_MAX)
    const { bytesRead } = await file.read(bytes, 0, SIZE_BYTES_MAX, 0)
    return pictureSize(bytes.subarray(0, bytesRead), type)
  })
}

/** Runs `work` with a picture of a snapshot. */
async function inSnapshot<T>(snapshot: Snapshot, filename: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const release = await snapshot.pin?.({ image: filename })
  try {
    const file = await openPicture(join(snapshot.directory, 'images', filename))
    try {
      return await work(file)
    } finally {
      await file.close()
    }
  } finally {
    release?.()
  }
}

/** Opens a picture of a snapshot. @throws ProblemError corrupt if it is missing */
function openPicture(path: string): Promise<FileHandle> {
  return open(path).catch((cause: unknown) => {
    throw isShortage(cause) ? cause : new ProblemError('corrupt', { cause })
  })
}

/** Sends a picture, or a range of it, with backpressure. */
async function sendPicture(
  req: Request,
  res: Response,
  path: string,
  { type, tag }: { type: string; tag: string },
): Promise<void> {
  return closing(await openPicture(path), async (file) => {
    const { size } = await file.stat()
    const { start, end } = sendRange(res, requestedRange(req, tag, size), size)
    res.setHeader('Content-Type', type)
    res.setHeader('Content-Length', String(end - start))
    if (req.method === 'HEAD' || end === start) return void res.end()
    await sendBlocks(file.createReadStream({ start, end: end - 1, autoClose: false }), res)
  })
}
