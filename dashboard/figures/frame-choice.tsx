import { setQuery } from '../core/router.ts'
import { Choice } from '../ui/controls/choice.tsx'
import type { Caption } from './captions.ts'
import type { Picture } from './stimulus.tsx'
import { FRAMES_OF, type FrameOf, frameWords } from './video/frame-time.ts'

/** Draws the choice of a video's frame below the charts; draws nothing for a picture. */
export function FrameChoice({ picture: { frame } }: { picture: Picture }) {
  if (frame === undefined) return null
  const choose = (of: FrameOf) => setQuery({ frame: of === 'middle' ? null : of })
  return <Choice isInline label="Frame of the video" value={frame.of} of={FRAMES_OF} onChange={choose} />
}

/** Adds to a caption which frame of a video is drawn. */
export function withFrame(caption: Caption, { frame, href }: Picture): Caption {
  if (frame === undefined || href === null) return caption
  const words = frameWords(frame)
  return { ...caption, short: `${caption.short} ${words}`.trim(), reading: `${caption.reading} ${words}`.trim() }
}
