import type { Settings } from '../../core/view/chart-settings.ts'
import { NO_END } from '../../core/view/window-text.ts'

/** Choices of the frame on which charts are drawn, within the time window. */
export const FRAMES_OF = { middle: 'middle of the time window', start: 'start of the time window' }
export type FrameOf = keyof typeof FRAMES_OF

/** Frame that is drawn. @property isLast true if the video ended before */
export type DrawnFrame = { tMs: number; of: FrameOf; isLast: boolean; endMs: number }

type Window = Pick<Settings, 'fromMs' | 'toMs'>

export function readFrameOf(query: URLSearchParams): FrameOf {
  return query.get('frame') === 'start' ? 'start' : 'middle'
}

/** Returns the frame of a video to draw; a window without an end ends with the video. */
export function frameIn({ fromMs, toMs }: Window, of: FrameOf, durationMs: number): DrawnFrame {
  const from = Number(fromMs) || 0
  const to = toMs === '' || toMs === NO_END ? Math.max(from, durationMs) : Number(toMs)
  const tMs = of === 'start' ? from : (from + to) / 2
  return { tMs: Math.max(0, tMs), of, isLast: tMs >= durationMs, endMs: durationMs }
}

/** Describes the frame that is drawn, as a sentence. */
export function frameWords({ tMs, of, isLast, endMs }: DrawnFrame): string {
  const at = (ms: number) => `${(ms / 1000).toFixed(3)} s`
  const wanted = `${at(tMs)}, the ${FRAMES_OF[of]}`
  return isLast
    ? `The picture is the last frame of the video, which ends at ${at(endMs)}, before ${wanted}.`
    : `The picture is the frame of the video at ${wanted}.`
}

/** Says that a video has ended, if it has; '' otherwise. */
export function filmWords(clip: { durationMs: number } | null, tMs: number): string {
  if (clip === null || tMs < clip.durationMs) return ''
  return `The video ended at ${(clip.durationMs / 1000).toFixed(3)} s: its last frame is shown.`
}

/**
 * Returns the time some frames further.
 *
 * @param frameMs duration of a frame; frames are counted from the start of the video
 */
export function framesFrom(tMs: number, frames: number, frameMs: number): number {
  return (Math.floor(tMs / frameMs + 1e-6) + frames) * frameMs
}
