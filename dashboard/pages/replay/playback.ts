import { useEffect, useRef, useState } from 'preact/hooks'

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4]

type Playback = {
  isPlaying: boolean
  speed: number
  /** Current time in ms from item onset; it changes without rendering the page. */
  at: { current: number }
  setSpeed: (speed: number) => void
  toggle: () => void
  pause: () => void
  /** Seeks to a time, and pauses unless `isPlayingOn`. */
  seek: (tMs: number, isPlayingOn?: boolean) => void
}

/**
 * Plays time from onset to `untilMs`, at a speed.
 *
 * @param startsAt ms
 * @param isStarting true to play at once
 * @param show called with each new time, at most once per frame of the screen
 */
export function usePlayback(
  untilMs: number,
  { startsAt, isStarting, startSpeed }: { startsAt: number; isStarting: boolean; startSpeed: number },
  show: (tMs: number) => void,
): Playback {
  const at = useRef(startsAt)
  const [isPlaying, setIsPlaying] = useState(isStarting)
  const [speed, setSpeed] = useState(startSpeed)
  const latest = useRef(show)
  latest.current = show
  useEffect(() => {
    if (!isPlaying) return
    let before = performance.now()
    let frame = 0
    const step = (now: number) => {
      at.current = Math.min(untilMs, at.current + Math.max(0, now - before) * speed)
      before = now
      latest.current(at.current)
      if (at.current >= untilMs) setIsPlaying(false)
      else frame = requestAnimationFrame(step)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, speed, untilMs])
  const seek = (tMs: number, isPlayingOn = false) => {
    at.current = Math.max(0, Math.min(untilMs, tMs))
    if (!isPlayingOn) setIsPlaying(false)
    latest.current(at.current)
  }
  return {
    isPlaying,
    speed,
    at,
    setSpeed,
    seek,
    pause: () => setIsPlaying(false),
    toggle: () => {
      if (!isPlaying && at.current >= untilMs) at.current = 0
      setIsPlaying(!isPlaying)
    },
  }
}
