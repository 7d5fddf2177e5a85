/** Video that the browser can play. */
export type Clip = {
  video: HTMLVideoElement
  durationMs: number
  /** Mean duration of a frame. */
  frameMs: number
  /** Time within the last frame. */
  lastMs: number
  /** The frame that is shown, as far as the browser has told it. */
  shown: Shown
}

/** The start of the frame that a video shows, null until it is known; and who waits for the next ones. */
type Shown = { seconds: number | null; listeners: Set<() => void> }

/** Facts of a video, as the server reads them from its header. */
type Facts = { durationMs: number; frameRateHz: number | null }

/** Default for videos that do not give a frame rate. */
const FRAME_RATE_HZ = 30

/** Limit for the wait for a frame after its seek, for pages that are not painted. */
const FRAME_WAIT_MAX_MS = 100

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
  return { video, durationMs, frameMs, lastMs: Math.max(0, durationMs - frameMs / 2), shown: followFrames(video) }
}

/** Follows which frame a video shows. */
function followFrames(video: HTMLVideoElement): Shown {
  const shown: Shown = { seconds: null, listeners: new Set() }
  const onFrame: VideoFrameRequestCallback = (_, { mediaTime }) => {
    shown.seconds = mediaTime
    for (const listener of shown.listeners) listener()
    video.requestVideoFrameCallback(onFrame)
  }
  video.requestVideoFrameCallback?.(onFrame)
  return shown
}

/** Releases a video's data. */
export function closeClip({ video }: Clip): void {
  video.pause()
  video.removeAttribute('src')
  video.load()
}

/** Seeks to the frame of a time, or to the last frame after the end. Resolves once the frame is shown. */
export async function seekTo(clip: Clip, tMs: number): Promise<void> {
  const { video, lastMs } = clip
  // Slightly after the start of the frame, since its exact time may still show the frame before.
  const seconds = (Math.min(tMs, lastMs) + 0.5) / 1000
  if (Math.abs(video.currentTime - seconds) >= 1e-4 || video.seeking) await seeked(video, seconds)
  // Also without a seek: that of an earlier call may have ended before its frame was shown.
  await frameShown(clip, seconds)
}

function seeked(video: HTMLVideoElement, seconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const listening = new AbortController()
    const { signal } = listening
    const onSeeked = () => {
      // Of an earlier seek, which this one follows.
      if (video.seeking) return
      listening.abort()
      resolve()
    }
    const onError = () => {
      listening.abort()
      reject(new Error('the browser cannot play the video'))
    }
    video.addEventListener('seeked', onSeeked, { signal })
    video.addEventListener('error', onError, { signal })
    video.currentTime = seconds
  })
}

/**
 * Waits for the frame of a time: after a seek, a video may show the one before for some more milliseconds. If none is
 * told of, as within a frame that is longer than the mean, it is shown when the page has been painted twice.
 */
function frameShown({ shown, frameMs }: Clip, seconds: number): Promise<void> | null {
  const isThere = () => shown.seconds !== null && shown.seconds <= seconds && seconds < shown.seconds + frameMs / 1000
  if (isThere()) return null
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      shown.listeners.delete(look)
      resolve()
    }
    const look = () => isThere() && end()
    const timer = setTimeout(end, FRAME_WAIT_MAX_MS)
    shown.listeners.add(look)
    requestAnimationFrame(() => requestAnimationFrame(end))
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
