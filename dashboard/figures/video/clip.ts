/** Video that the browser can play. */
export type Clip = {
  video: HTMLVideoElement
  durationMs: number
  /** Mean duration of a frame. */
  frameMs: number
  /** Time within the last frame. */
  lastMs: number
}

/** Facts of a video, as the server reads them from its header. */
type Facts = { durationMs: number; frameRateHz: number | null }

/** Default for videos that do not give a frame rate. */
const FRAME_RATE_HZ = 30

/** Opens a video. @throws Error if the browser cannot play it */
export async function openClip(href: string, { durationMs, frameRateHz }: Facts, signal: AbortSignal): Promise<Clip> {
  const video = document.createElement('video')
  video.muted = true
  video.playsInline = true
  video.preload = 'auto'
  const frameMs = 1000 / (frameRateHz ?? FRAME_RATE_HZ)
  await new Promise<void>((resolve, reject) => {
    video.addEventListener('loadeddata', () => resolve(), { once: true })
    video.addEventListener('error', () => reject(new Error('the browser cannot play it')), { once: true })
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    video.src = href
  })
  return { video, durationMs, frameMs, lastMs: Math.max(0, durationMs - frameMs / 2) }
}

/** Releases a video's data. */
export function closeClip({ video }: Clip): void {
  video.pause()
  video.removeAttribute('src')
  video.load()
}

/** Seeks to the frame of a time, or to the last frame after the end. Resolves once the frame is shown. */
export function seekTo({ video, lastMs }: Clip, tMs: number): Promise<void> {
  // Slightly after the start of the frame, since its exact time may still show the frame before.
  const seconds = (Math.min(tMs, lastMs) + 0.5) / 1000
  if (Math.abs(video.currentTime - seconds) < 1e-4 && !video.seeking) return Promise.resolve()
  return new Promise((resolve, reject) => {
    video.addEventListener('seeked', () => resolve(), { once: true })
    video.addEventListener('error', () => reject(new Error('the browser cannot play the video')), { once: true })
    video.currentTime = seconds
  })
}

/** Returns the frame that a video shows, as a PNG data URL. */
export function frameUrl({ video }: Clip): string {
  const canvas = document.createElement('canvas')
  canvas.width = video.videoWidth
  canvas.height = video.videoHeight
  canvas.getContext('2d')!.drawImage(video, 0, 0)
  return canvas.toDataURL('image/png')
}
