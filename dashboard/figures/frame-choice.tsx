import type { Aoi } from '../core/api.ts'
import { setQuery } from '../core/router.ts'
import { Choice } from '../ui/controls/choice.tsx'
import { movingWords } from './aoi-at-time.ts'
import type { Caption } from './caption.ts'
import type { Picture } from './stimulus.tsx'
import { FRAMES_OF, type FrameOf, frameWords } from './video/frame-time.ts'

/** Draws the choice of a video's frame below the charts; draws nothing for a picture. */
export function FrameChoice({ picture: { frame } }: { picture: Picture }) {
  if (frame === undefined) return null
  const choose = (of: FrameOf) => setQuery({ frame: of === 'middle' ? null : of })
  return <Choice isInline label="Frame of the video" value={frame.of} of={FRAMES_OF} onChange={choose} />
}

/** Adds to a caption which frame of a video is drawn, and how AOIs that move are. @param aois drawn AOIs */
export function withFrame(caption: Caption, { frame, href }: Picture, aois: Aoi[]): Caption {
  const words = frame === undefined || href === null ? '' : frameWords(frame)
  const reading = [caption.reading, words, movingWords(aois)].filter((text) => text !== '').join(' ')
  return { ...caption, short: `${caption.short} ${words}`.trim(), reading }
}
