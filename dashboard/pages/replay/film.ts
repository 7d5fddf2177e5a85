import { useEffect, useMemo, useRef } from 'preact/hooks'
import { type Clip, seekTo } from '../../figures/video/clip.ts'
import { paintPale } from './draw-moment.ts'

/** Drift, in s, above which a playing video seeks instead of changing its speed. */
const FAR_S = 0.25
const STEER_MAX = 0.1

/**
 * Synchronizes a video with the replay, and draws its frame on a canvas.
 *
 * @param redraw draws the layers over a new frame
 * @returns `ground` null without a video
 */
export function useFilm(clip: Clip | null, { width, height }: { width: number; height: number }, redraw: () => void) {
  const latest = useRef(redraw)
  latest.current = redraw
  const film = useMemo(() => {
    if (clip === null || width < 1 || height < 1) return null
    const ground = document.createElement('canvas')
    ground.width = Math.round(width)
    ground.height = Math.round(height)
    const paint = () => paintPale(ground.getContext('2d')!, clip.video, ground)
    return { ground, ...following(clip, paint, () => latest.current()) }
  }, [clip, width, height])
  useEffect(() => () => film?.stop(), [film])
  return film
}

/** Follows a time: a paused video seeks to its frame; a playing video is synchronized. */
function following(clip: Clip, paint: () => void, onFrame: () => void) {
  const { video, lastMs } = clip
  let wantedMs: number | null = null
  let paintedMs: number | null = null
  let isSeeking = false
  let isStopped = false
  const rest = async () => {
    if (isSeeking) return
    isSeeking = true
    while (wantedMs !== null && wantedMs !== paintedMs && !isStopped) {
      const tMs: number = wantedMs
      try {
        await seekTo(clip, tMs)
      } catch {
        break
      }
      paint()
      paintedMs = tMs
      onFrame()
    }
    isSeeking = false
  }
  const run = (tMs: number, speed: number) => {
    wantedMs = null
    paintedMs = null
    const lateS = tMs / 1000 - video.currentTime
    if (Math.abs(lateS) > FAR_S && !video.seeking) video.currentTime = tMs / 1000
    video.playbackRate = speed * (1 + Math.max(-STEER_MAX, Math.min(STEER_MAX, 2 * lateS)))
    if (video.paused) void video.play().catch(() => undefined)
    paint()
  }
  return {
    /** Shows the frame of a time. @param speed 0 while paused */
    follow: (tMs: number, speed: number) => {
      if (speed > 0 && tMs < lastMs) return run(tMs, speed)
      if (!video.paused) video.pause()
      wantedMs = Math.min(tMs, lastMs)
      void rest()
    },
    stop: () => {
      isStopped = true
      video.pause()
    },
  }
}
