import {
  BufferTarget,
  CanvasSource,
  getFirstEncodableVideoCodec,
  Mp4OutputFormat,
  Output,
  QUALITY_HIGH,
  type VideoCodec,
  WebMOutputFormat,
} from 'mediabunny'

export type VideoKind = 'webm' | 'mp4'

/** Codecs of each file type, the most widely supported first. */
const CODECS: Record<VideoKind, VideoCodec[]> = { webm: ['vp9', 'vp8', 'av1'], mp4: ['avc', 'hevc', 'vp9', 'av1'] }
const TYPES: Record<VideoKind, string> = { webm: 'video/webm', mp4: 'video/mp4' }
/** Interval of key frames, in seconds. */
const KEY_FRAMES_S = 2

/**
 * Encodes a video frame by frame, as fast as the browser can. No frame is dropped, however slow that is.
 *
 * @param draw draws a frame on the canvas, whose sides are even; `seconds` is its time in the video
 * @throws Error with a sentence for the user if the browser cannot encode the video; AbortError if aborted
 */
export async function saveVideo(given: {
  kind: VideoKind
  canvas: HTMLCanvasElement
  frames: number
  framesPerSecond: number
  draw: (seconds: number) => void | Promise<void>
  onProgress: (share: number) => void
  signal: AbortSignal
}): Promise<Blob> {
  const { kind, canvas, frames, framesPerSecond, draw, onProgress, signal } = given
  const { width, height } = canvas
  if (typeof VideoEncoder === 'undefined')
    throw new Error(
      'This browser cannot encode videos (it has no WebCodecs). A newer one can, over HTTPS or localhost.',
    )
  const codec = await getFirstEncodableVideoCodec(CODECS[kind], { width, height })
  if (codec === null)
    throw new Error(
      `This browser cannot encode ${kind === 'webm' ? 'WebM' : 'MP4'} of ${width} × ${height} px. Try the other format.`,
    )
  const target = new BufferTarget()
  const output = new Output({ format: kind === 'webm' ? new WebMOutputFormat() : new Mp4OutputFormat(), target })
  const source = new CanvasSource(canvas, { codec, bitrate: QUALITY_HIGH, keyFrameInterval: KEY_FRAMES_S })
  output.addVideoTrack(source, { frameRate: framesPerSecond })
  try {
    await output.start()
    for (let i = 0; i < frames; i++) {
      signal.throwIfAborted()
      await draw(i / framesPerSecond)
      await source.add(i / framesPerSecond, 1 / framesPerSecond)
      onProgress((i + 1) / frames)
    }
    await output.finalize()
  } catch (error) {
    await output.cancel()
    throw error
  }
  return new Blob([target.buffer!], { type: TYPES[kind] })
}
