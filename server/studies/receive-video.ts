import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Request } from 'express'
import { collectAll } from '../../engine/duckdb/garbage.ts'
import type { Config } from '../../engine/model/settings.ts'
import { VideoFault } from '../../engine/model/video/reader.ts'
import { VIDEO_HEAD_BYTES, VIDEO_TYPES } from '../../engine/model/video/video-facts.ts'
import { closing } from '../../engine/storage/concurrency/closing.ts'
import { makeDirectory } from '../../engine/storage/files/durable.ts'
import { withScratch } from '../../engine/storage/files/scratch.ts'
import { videoOfFile } from '../../engine/storage/files/video-file.ts'
import type { PictureContent } from '../../engine/study/changes/picture.ts'
import type { Size } from '../../isomorphic/same-shape.ts'
import { streamBody } from '../http/body/body.ts'
import { ProblemError } from '../http/problems.ts'

/** A received picture. @property size null if the file does not give it */
export type ReceivedPicture = { content: PictureContent; beginning: Buffer; sizeBytes: number; size: Size | null }

/** Number of received bytes from which a collection frees more than it costs. */
const COLLECTED_BYTES = 16 << 20

export function isVideoType(type: string): boolean {
  return VIDEO_TYPES.some((each) => each === type)
}

/**
 * Streams a video to disk, validates it, and runs `work` while the file exists.
 *
 * @throws ProblemError as `streamBody`, and invalid_body if it is not a video; ServiceError disk_full
 */
export function withVideo<T>(
  req: Request,
  { dataDir, videoMaxMib }: Config,
  work: (video: ReceivedPicture) => Promise<T>,
): Promise<T> {
  return withScratch(dataDir, async (directory) => {
    await makeDirectory(directory)
    const path = join(directory, 'video')
    const video = await receive(req, path, videoMaxMib * 2 ** 20)
    // Its pieces are garbage now, and the change takes memory, too.
    if (video.sizeBytes > COLLECTED_BYTES) collectAll()
    return work(video)
  })
}

async function receive(req: Request, path: string, maxBytes: number): Promise<ReceivedPicture> {
  return closing(await open(path, 'wx+', 0o600), async (file) => {
    const hash = createHash('sha256')
    let sizeBytes = 0
    for await (const piece of streamBody(req, { types: VIDEO_TYPES, maxBytes })) {
      hash.update(piece)
      await file.writeFile(piece)
      sizeBytes += piece.length
    }
    const beginning = Buffer.alloc(VIDEO_HEAD_BYTES)
    await file.read(beginning, 0, VIDEO_HEAD_BYTES, 0)
    const { widthPx, heightPx } = await videoOfFile(file).catch((error: unknown) => {
      throw error instanceof VideoFault
        ? new ProblemError('invalid_body', { detail: `The video ${error.message}.` })
        : error
    })
    return { content: { path, sha256: hash.digest('hex') }, beginning, sizeBytes, size: { widthPx, heightPx } }
  })
}
