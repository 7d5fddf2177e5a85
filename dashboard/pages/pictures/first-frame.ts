import { closeClip, frameUrl, openClip } from '../../figures/video/clip.ts'

/** Returns the first frame of a video as a picture; null if the browser cannot play it. */
export async function firstFrame(file: File): Promise<HTMLImageElement | null> {
  const address = URL.createObjectURL(file)
  try {
    const clip = await openClip(address, { durationMs: 0, frameRateHz: null }, new AbortController().signal)
    const image = new Image()
    image.src = frameUrl(clip)
    closeClip(clip)
    await image.decode()
    return image
  } catch {
    return null
  } finally {
    URL.revokeObjectURL(address)
  }
}
