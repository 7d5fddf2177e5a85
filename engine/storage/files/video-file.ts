import type { FileHandle } from 'node:fs/promises'
import { VideoFault } from '../../model/video/reader.ts'
import { type VideoFacts, videoFacts, videoTypeNamed } from '../../model/video/video-facts.ts'
import { withPlain } from './plain-file.ts'

/** Reads the header of a video. @throws VideoFault */
export async function videoOfFile(file: FileHandle): Promise<VideoFacts> {
  const { size } = await file.stat()
  const read = async (offset: number, length: number) => {
    const bytes = Buffer.alloc(length)
    const { bytesRead } = await file.read(bytes, 0, length, offset)
    return bytes.subarray(0, bytesRead)
  }
  return videoFacts(read, size)
}

/** Reads the header of a video and checks that it matches the file's name. @throws VideoFault; NotPlain */
export async function videoNamed(path: string, name: string): Promise<VideoFacts> {
  const facts = await withPlain(path, videoOfFile)
  if (facts.type !== videoTypeNamed(name))
    throw new VideoFault(`must be what its ending says: it is of type ${facts.type}`)
  return facts
}
