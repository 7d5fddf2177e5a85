import { useEffect, useState } from 'preact/hooks'
import { type Clip, closeClip, frameUrl, openClip, seekTo } from './clip.ts'

type Facts = { durationMs: number; frameRateHz: number | null }
type FoundClip = { clip: Clip | null; isUnplayable: boolean }

const NONE: FoundClip = { clip: null, isUnplayable: false }

/** Returns a video once it can be played, or that this browser cannot play it. @param href null for no video */
export function useClip(href: string | null, facts: Facts | null): FoundClip {
  const [found, setFound] = useState<FoundClip>(NONE)
  const [durationMs, frameRateHz] = [facts?.durationMs ?? null, facts?.frameRateHz ?? null]
  useEffect(() => {
    setFound(NONE)
    if (href === null || durationMs === null) return
    const controller = new AbortController()
    const opening = openClip(href, { durationMs, frameRateHz }, controller.signal)
    opening.then(
      (clip) => setFound({ clip, isUnplayable: false }),
      () => controller.signal.aborted || setFound({ clip: null, isUnplayable: true }),
    )
    return () => {
      controller.abort()
      void opening.then(closeClip).catch(() => undefined)
    }
  }, [href, durationMs, frameRateHz])
  return found
}

/** Returns the frame of a video at a time as a picture. Until it is there, the previous one; null for none. */
export function useVideoFrame(clip: Clip | null, tMs: number): string | null {
  const [frame, setFrame] = useState<{ clip: Clip; href: string } | null>(null)
  useEffect(() => {
    if (clip === null) return
    let isWanted = true
    seekTo(clip, tMs)
      .then(() => {
        if (isWanted) setFrame({ clip, href: frameUrl(clip) })
      })
      .catch(() => undefined)
    return () => {
      isWanted = false
    }
  }, [clip, tMs])
  return frame !== null && frame.clip === clip ? frame.href : null
}
